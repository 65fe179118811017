package main

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	xmod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// treeFile is a file of the source tree, as it goes into a module's zip.
type treeFile struct{ root, path string }

func (f treeFile) Path() string                 { return f.path }
func (f treeFile) Lstat() (fs.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.path)) }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.path)) }

// treeFiles are those that a checkout has.
func treeFiles(t *testing.T, root string) []zip.File {
	t.Helper()
	var files []zip.File
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if slices.Contains([]string{".git", "bin", "dist"}, rel) || d.Name() == "node_modules" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			files = append(files, treeFile{root, filepath.ToSlash(rel)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// "go install …@latest" from a module proxy: all that the program embeds is in
// the module, and its version is that of the release.
func TestGoInstall(t *testing.T) {
	r, err := newRelease(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := xmod.Version{Path: module, Version: "v" + r.version}
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(r.root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": v.Version + "\n", v.Version + ".mod": string(mod),
		v.Version + ".info": `{"Version": "` + v.Version + `", "Time": "2026-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.Create(filepath.Join(dir, v.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Create(out, v, treeFiles(t, r.root)); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}

	bin := t.TempDir()
	// The modules that it needs are in this machine's cache, which is a proxy,
	// too; what is installed here does not get into it.
	cache := strings.TrimSpace(command(t, r.root, "go", "env", "GOMODCACHE"))
	cmd := exec.Command("go", "install", module+"/cmd/sidekick-mcp@latest")
	cmd.Dir = bin
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GOSUMDB=off", "GOWORK=off",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download",
		"GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0") // the build cache's entries are those of a release
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(bin, "sidekick-mcp")
	if got := command(t, bin, program, "version"); !strings.HasPrefix(got, "sidekick-mcp "+r.version+" (") {
		t.Errorf("version: %q, want %s", got, r.version)
	}
	// Which unpacks the extension.
	home := t.TempDir()
	cmd = exec.Command(program, "install", "--all", "--no-service", "--no-open")
	cmd.Env = append(os.Environ(), "HOME="+home, "SIDEKICK_HOME="+filepath.Join(home, "state"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	for _, f := range []string{"manifest.json", "sw.js", "settings.html"} {
		if _, err := os.Stat(filepath.Join(home, "state", "extension", f)); err != nil {
			t.Error(err)
		}
	}
}
