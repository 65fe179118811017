package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed formula.rb.tmpl
var formula string

// download is the address of a file of a release.
func download(version, name string) string {
	return homepage + "/releases/download/v" + version + "/" + name
}

// homebrew writes the formula for a tap.
func (r *release) homebrew(dir string, sums map[string]string) error {
	t, err := template.New("formula").Option("missingkey=error").Parse(formula)
	if err != nil {
		return err
	}
	data := map[string]any{"Version": r.version, "Tagline": tagline, "Homepage": homepage}
	for key, p := range map[string]platform{
		"MacARM": {"darwin", "arm64"}, "MacIntel": {"darwin", "amd64"},
		"LinuxARM": {"linux", "arm64"}, "LinuxIntel": {"linux", "amd64"},
	} {
		name := r.archiveName(p)
		if sums[name] == "" {
			return fmt.Errorf("no checksum of %s", name)
		}
		data[key] = map[string]string{"URL": download(r.version, name), "Sum": sums[name]}
	}
	var text bytes.Buffer
	if err := t.Execute(&text, data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sidekick-mcp.rb"), text.Bytes(), 0o644)
}

// scoopArch is one architecture of a Scoop manifest.
type scoopArch struct {
	URL  string `json:"url"`
	Hash string `json:"hash,omitempty"` // SHA-256, the default
}

// scoopManifest is what Scoop reads for an app. It wants a licence named; there
// is none yet.
type scoopManifest struct {
	Version      string               `json:"version"`
	Description  string               `json:"description"`
	Homepage     string               `json:"homepage"`
	License      string               `json:"license"`
	Architecture map[string]scoopArch `json:"architecture"`
	Bin          string               `json:"bin"`
	Checkver     string               `json:"checkver"`
	Autoupdate   struct {
		Architecture map[string]scoopArch `json:"architecture"`
		Hash         map[string]string    `json:"hash"`
	} `json:"autoupdate"`
}

// scoop writes the manifest for a bucket.
func (r *release) scoop(dir string, sums map[string]string) error {
	m := scoopManifest{
		Version: r.version, Description: tagline, Homepage: homepage, License: "Unknown",
		Architecture: map[string]scoopArch{}, Bin: "sidekick-mcp.exe", Checkver: "github",
	}
	m.Autoupdate.Architecture = map[string]scoopArch{}
	m.Autoupdate.Hash = map[string]string{"url": "$baseurl/SHA256SUMS"}
	next := &release{version: "$version"}
	for key, p := range map[string]platform{"64bit": {"windows", "amd64"}, "arm64": {"windows", "arm64"}} {
		name := r.archiveName(p)
		if sums[name] == "" {
			return fmt.Errorf("no checksum of %s", name)
		}
		m.Architecture[key] = scoopArch{download(r.version, name), sums[name]}
		m.Autoupdate.Architecture[key] = scoopArch{URL: download(next.version, next.archiveName(p))}
	}
	b, err := json.MarshalIndent(m, "", "    ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sidekick-mcp.json"), append(b, '\n'), 0o644)
}
