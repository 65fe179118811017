package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

var update = flag.Bool("update", false, "write the golden files")

// made is a folder that ends with the tests.
var made string

// makeAll makes a whole release there, which most tests look at. Not in this
// process: the race detector would have it take minutes.
var makeAll = sync.OnceValue(func() error {
	out, err := exec.Command("go", "run", ".", "-out", made, "all").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

func TestMain(m *testing.M) {
	var err error
	if made, err = os.MkdirTemp("", "sidekick-release-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(made)
	os.Exit(code)
}

func releaseDir(t *testing.T) string {
	t.Helper()
	if err := makeAll(); err != nil {
		t.Fatal(err)
	}
	return made
}

func testRelease(t *testing.T) *release {
	t.Helper()
	r, err := newRelease(releaseDir(t), allPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestFiles(t *testing.T) {
	v := testRelease(t).version
	var want []string
	for _, p := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		ext := ".tar.gz"
		if strings.HasPrefix(p, "windows") {
			ext = ".zip"
		}
		want = append(want, "release/sidekick-mcp_"+v+"_"+p+ext, "release/sidekick-mcp_"+v+"_"+p+".cdx.json")
	}
	for _, p := range []string{"", "-linux-x64", "-linux-arm64", "-darwin-x64", "-darwin-arm64", "-win32-x64", "-win32-arm64"} {
		want = append(want, "npm/frogbotai-sidekick-mcp"+p+"-"+v+".tgz")
	}
	want = append(want, "release/sidekick-mcp_"+v+"_amd64.deb", "release/sidekick-mcp_"+v+"_arm64.deb",
		"release/SHA256SUMS", "release/sidekick-mcp.rb", "release/sidekick-mcp.json")
	slices.Sort(want)
	var got []string
	for _, sub := range []string{"npm", "release"} {
		entries, err := os.ReadDir(filepath.Join(releaseDir(t), sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got = append(got, sub+"/"+e.Name())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("made %v\nwant %v", got, want)
	}
}

// The checksums are such as people check them with, and of all files but
// those that hold them.
func TestChecksums(t *testing.T) {
	dir := filepath.Join(releaseDir(t), "release")
	out := command(t, dir, "sha256sum", "--check", "--strict", "SHA256SUMS")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out, ": OK\n"); got != len(entries)-3 {
		t.Errorf("%d of %d files have checksums:\n%s", got, len(entries), out)
	}
	for _, name := range []string{"sidekick-mcp.rb", "sidekick-mcp.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(sums)) {
			sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if bytes.Contains(text, []byte(sum)) {
				if !bytes.Contains(text, []byte("/"+file+`"`)) {
					t.Errorf("%s has the sum of %s, not its name", name, file)
				}
				n++
			}
		}
		if want := map[string]int{"sidekick-mcp.rb": 4, "sidekick-mcp.json": 2}[name]; n != want {
			t.Errorf("%s has %d checksums, want %d", name, n, want)
		}
	}
}

// contents reads an archive: "mode name" and the bytes.
func contents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if files[f.Mode().String()+" "+f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.FileInfo().Mode().String()+" "+h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// Every archive and every npm package holds the program of its platform.
func TestPrograms(t *testing.T) {
	r := testRelease(t)
	for _, p := range allPlatforms {
		for path, inside := range map[string]string{
			filepath.Join("release", r.archiveName(p)):              p.exe(),
			filepath.Join("npm", tarball(npmPackage(p), r.version)): "package/bin/" + p.exe(),
		} {
			files := contents(t, filepath.Join(releaseDir(t), path))
			info, err := buildinfo.Read(bytes.NewReader(files["-rwxr-xr-x "+inside]))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			settings := map[string]string{}
			for _, s := range info.Settings {
				settings[s.Key] = s.Value
			}
			if settings["GOOS"] != p.os || settings["GOARCH"] != p.arch || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
				t.Errorf("%s has a program of %v", path, settings)
			}
		}
	}
	out := command(t, ".", r.program(platform{runtime.GOOS, runtime.GOARCH}), "version")
	if !strings.HasPrefix(out, "sidekick-mcp "+r.version+" (") {
		t.Errorf("the program of version %s prints %q", r.version, out)
	}
}

// npm reads these itself in the tests of the packages; what it does not need is
// looked at here.
func TestNpmPackages(t *testing.T) {
	r := testRelease(t)
	names := []string{npmName}
	for _, p := range allPlatforms {
		names = append(names, npmPackage(p))
	}
	for _, name := range names {
		files := contents(t, filepath.Join(releaseDir(t), "npm", tarball(name, r.version)))
		var m packageJSON
		if err := json.Unmarshal(files["-rw-r--r-- package/package.json"], &m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Name != name || m.Version != r.version || m.Repository["url"] == "" || m.Engines["node"] != ">=18" || len(files["-rw-r--r-- package/README.md"]) == 0 {
			t.Errorf("%s is described as %+v", name, m)
		}
		want := append([]string{"README.md", "package.json"}, m.Files...)
		var got []string
		for f := range files {
			got = append(got, f[strings.Index(f, "package/")+len("package/"):])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s holds %v, says %v", name, got, want)
		}
		if name == npmName {
			for _, p := range names[1:] {
				if m.Optional[p] != r.version {
					t.Errorf("%s needs %s %q", name, p, m.Optional[p])
				}
			}
		}
	}
}

func TestBills(t *testing.T) {
	r := testRelease(t)
	for _, p := range allPlatforms {
		f, err := os.Open(filepath.Join(releaseDir(t), "release", r.billName(p)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var bom cdx.BOM
		if err := cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
			t.Fatal(err)
		}
		if c := bom.Metadata.Component; c.Name != module || c.Version != "v"+r.version {
			t.Errorf("%s: it is of %s %s", p, c.Name, c.Version)
		}
		got := map[string]bool{}
		for _, c := range *bom.Components {
			got["pkg:golang/"+c.Name+"@"+c.Version] = c.PackageURL == "pkg:golang/"+c.Name+"@"+c.Version
		}
		// What Go's own tool prints of the program.
		n := 1
		for line := range strings.Lines(command(t, ".", "go", "version", "-m", r.program(p))) {
			if dep := strings.Fields(line); len(dep) >= 3 && dep[0] == "dep" {
				n++
				if !got["pkg:golang/"+dep[1]+"@"+dep[2]] {
					t.Errorf("%s: %s %s is not in it", p, dep[1], dep[2])
				}
			}
		}
		if len(got) != n || n < 5 {
			t.Errorf("%s: it has %d components, the program %d", p, len(got), n)
		}
	}
}

// dpkg itself installs, lists and removes the package, in a system of its own.
func TestDeb(t *testing.T) {
	r := testRelease(t)
	deb := filepath.Join(releaseDir(t), "release", r.debName(platform{"linux", runtime.GOARCH}))
	list := command(t, ".", "dpkg-deb", "--contents", deb)
	for line := range strings.Lines(list) {
		if !strings.Contains(line, "root/root") || !strings.HasPrefix(line, "drwxr-xr-x") && !strings.HasPrefix(line, "-rw-r--r--") && !strings.HasSuffix(line, " ./usr/bin/sidekick-mcp\n") {
			t.Errorf("it has %s", line)
		}
	}
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) string {
		return command(t, ".", "dpkg", append([]string{"--root=" + root, "--force-not-root", "--force-script-chrootless", "--log=" + filepath.Join(root, "log")}, args...)...)
	}
	dpkg("--install", deb)
	if out := dpkg("--status", "sidekick-mcp"); !strings.Contains(out, "Status: install ok installed") || !strings.Contains(out, "Version: "+r.version+"\n") {
		t.Errorf("its status is %s", out)
	}
	if out := command(t, ".", filepath.Join(root, "usr/bin/sidekick-mcp"), "version"); !strings.HasPrefix(out, "sidekick-mcp "+r.version+" ") {
		t.Errorf("what it installed says %q", out)
	}
	dpkg("--purge", "sidekick-mcp")
	for _, gone := range []string{"usr/bin/sidekick-mcp", "usr/share/doc/sidekick-mcp"} {
		if _, err := os.Stat(filepath.Join(root, gone)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
}

// The package managers' files for sums that are known beforehand.
func TestManagers(t *testing.T) {
	r := &release{version: "1.2.3", platforms: allPlatforms}
	sums := map[string]string{}
	for i, p := range allPlatforms {
		sums[r.archiveName(p)] = strings.Repeat(string(rune('a'+i)), 64)
	}
	dir := t.TempDir()
	if err := errors.Join(r.homebrew(dir, sums), r.scoop(dir, sums)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sidekick-mcp.rb", "sidekick-mcp.json"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	delete(sums, r.archiveName(platform{"darwin", "arm64"}))
	if err := r.homebrew(dir, sums); err == nil {
		t.Error("a formula without a checksum")
	}
}

// The same source gives the same bytes, wherever and by whoever it is built.
// (The compiler's own part of that is Go's to test; its cache is used here.)
func TestReproducible(t *testing.T) {
	r := testRelease(t)
	other := filepath.Join(t.TempDir(), "another place")
	list := command(t, r.root, "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for f := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(r.root, f))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(other, f)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(other, f), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// One of each kind of file; a link takes its seconds.
	command(t, other, "go", "run", "./scripts/release", "-platforms", "linux/amd64,windows/amd64", "-out", "made", "all")
	n := 0
	for _, sub := range []string{"npm", "release"} {
		entries, err := os.ReadDir(filepath.Join(other, "made", sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == "SHA256SUMS" { // of other files
				continue
			}
			n++
			first, err := os.ReadFile(filepath.Join(releaseDir(t), sub, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			second, err := os.ReadFile(filepath.Join(other, "made", sub, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, second) {
				t.Errorf("%s is another one the second time", e.Name())
			}
		}
	}
	if n != 8 {
		t.Errorf("%d files were compared, want 8", n)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "say what to make: npm or all"},
		{[]string{"nothing"}, "say what to make: npm or all"},
		{[]string{"-platforms", "plan9/amd64", "npm"}, `there is no platform "plan9/amd64"`},
	} {
		if err := run(t.Context(), append([]string{"-out", t.TempDir()}, c.args...)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}
