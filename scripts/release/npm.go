package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const npmName = "@frogbotai/sidekick-mcp"

// npmNames are Node's names for Go's.
var npmNames = map[string]string{"windows": "win32", "amd64": "x64"}

func npmNameOf(s string) string {
	if n, ok := npmNames[s]; ok {
		return n
	}
	return s
}

// npmPackage is the package that holds a platform's program.
func npmPackage(p platform) string {
	return npmName + "-" + npmNameOf(p.os) + "-" + npmNameOf(p.arch)
}

// packageJSON is what npm reads, in the order in which people expect it.
type packageJSON struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Keywords     []string          `json:"keywords,omitempty"`
	Homepage     string            `json:"homepage"`
	Bugs         string            `json:"bugs"`
	Repository   map[string]string `json:"repository"`
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	Scripts      map[string]string `json:"scripts,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Engines      map[string]string `json:"engines"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // Yarn runs nothing from within its zip files
}

func (r *release) packageJSON(name, description string) packageJSON {
	return packageJSON{
		Name: name, Version: r.version, Description: description,
		Homepage: homepage + "#readme", Bugs: homepage + "/issues",
		Repository: map[string]string{"type": "git", "url": "git+" + homepage + ".git", "directory": "npm"},
		Engines:    map[string]string{"node": ">=18"},
	}
}

// npm makes the tarballs of the launcher's package and of each platform's.
func (r *release) npm(dir string) error {
	if err := freshDir(dir); err != nil {
		return err
	}
	launcher := r.packageJSON(npmName, "MCP server: "+tagline)
	launcher.Keywords = []string{"mcp", "mcp-server", "model-context-protocol", "chrome", "browser", "agent"}
	launcher.Bin = map[string]string{"sidekick-mcp": "bin/sidekick-mcp"}
	launcher.Files = []string{"bin/sidekick-mcp", "install.js"}
	launcher.Scripts = map[string]string{"postinstall": "node install.js"}
	launcher.Optional = map[string]string{}
	for _, p := range allPlatforms {
		launcher.Optional[npmPackage(p)] = r.version
	}
	var files []file
	for _, f := range []struct {
		from, to string
		mode     int64
	}{{"README.md", "README.md", 0o644}, {"launcher.js", "bin/sidekick-mcp", 0o755}, {"install.js", "install.js", 0o644}} {
		b, err := os.ReadFile(filepath.Join(r.root, "npm", "package", f.from))
		if err != nil {
			return err
		}
		files = append(files, file{f.to, f.mode, b})
	}
	if err := pack(dir, launcher, files); err != nil {
		return err
	}
	for _, p := range r.platforms {
		m := r.packageJSON(npmPackage(p), fmt.Sprintf("The program of %s for %s on %s", npmName, npmNameOf(p.os), npmNameOf(p.arch)))
		m.Files = []string{"bin/" + p.exe()}
		m.OS, m.CPU = []string{npmNameOf(p.os)}, []string{npmNameOf(p.arch)}
		m.PreferUnplug = true
		b, err := os.ReadFile(r.program(p))
		if err != nil {
			return err
		}
		readme := fmt.Sprintf("# %s\n\nThe program of [%s](https://www.npmjs.com/package/%s) for %s on %s. Install that one; npm then brings this.\n",
			m.Name, npmName, npmName, npmNameOf(p.os), npmNameOf(p.arch))
		if err := pack(dir, m, []file{{"README.md", 0o644, []byte(readme)}, {"bin/" + p.exe(), 0o755, b}}); err != nil {
			return err
		}
	}
	return nil
}

// pack writes a package's tarball, named as npm pack names it.
func pack(dir string, m packageJSON, files []file) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // ">=18"
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return err
	}
	all := []file{{"package/package.json", 0o644, text.Bytes()}}
	for _, f := range files {
		f.name = "package/" + f.name
		all = append(all, f)
	}
	return writeTarGz(filepath.Join(dir, tarball(m.Name, m.Version)), all)
}

func tarball(name, version string) string {
	scope, rest := filepath.Split(name)
	return fmt.Sprintf("%s-%s-%s.tgz", scope[1:len(scope)-1], rest, version)
}
