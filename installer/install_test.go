package installer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

const extID = "kebocaojpdepmdeepcjdclbbefiipehc"

func TestManifestGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the golden path is no absolute one on Windows")
		return
	}
	want, err := os.ReadFile("testdata/" + ManifestFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Manifest(`/opt/R & D/sidekick "new"/sidekick-mcp`, extID)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestWriteManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "NativeMessagingHosts")
	binary := filepath.Join(t.TempDir(), "sidekick-mcp")
	file, err := WriteManifest(dir, binary, extID)
	if err != nil || file != filepath.Join(dir, "ai.frogbot.sidekick.json") {
		t.Fatalf("got %q, %v", file, err)
	}
	first, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WriteManifest(dir, binary, extID); err != nil {
		t.Fatal(err)
	}
	if second, err := os.Stat(file); err != nil || !os.SameFile(first, second) {
		t.Errorf("a manifest that was right was written again (%v)", err)
	}
	moved := binary + "-2"
	if _, err := WriteManifest(dir, moved, extID); err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil || m["path"] != moved {
		t.Errorf("the path is %v, %v; want %s", m["path"], err, moved)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	if _, err := WriteManifest(dir, "sidekick-mcp", extID); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("a relative path: got %v", err)
	}
}

// home is that of a user with a Chrome that was run and an Edge that was not.
func home(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	for _, d := range []string{"bin", ".config/google-chrome"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "microsoft-edge-beta"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	return Options{
		Binary: filepath.Join(dir, "sidekick-mcp"), ExtensionID: extID,
		Env: browsers.Env{GOOS: "linux", Home: filepath.ToSlash(dir)},
	}
}

// ours keeps what does not come from browsers that this machine really has in
// places outside of any home.
func ours(opts Options, changes []Change) (files []string, done []bool) {
	for _, c := range changes {
		if slices.Contains(c.Browsers, "Google Chrome") || slices.Contains(c.Browsers, "Microsoft Edge Beta") {
			rel, _ := filepath.Rel(opts.Env.Home, c.Place)
			files, done = append(files, filepath.ToSlash(rel)), append(done, c.Done)
		}
	}
	return files, done
}

func TestInstallAndUninstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("Windows has a registry instead")
		return
	}
	opts := home(t)
	wantFiles := []string{
		".config/google-chrome/NativeMessagingHosts/ai.frogbot.sidekick.json",
		".config/microsoft-edge-beta/NativeMessagingHosts/ai.frogbot.sidekick.json",
	}
	check := func(what string, f func() ([]Change, error), files []string, change, there bool) {
		t.Helper()
		changes, err := f()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, done := ours(opts, changes)
		if !reflect.DeepEqual(got, files) || slices.Contains(done, !change) {
			t.Errorf("%s: got %q %v, want %q all %v", what, got, done, files, change)
		}
		for _, file := range wantFiles {
			if _, err := os.Stat(filepath.Join(opts.Env.Home, file)); (err == nil) != there {
				t.Errorf("%s: %s: %v", what, file, err)
			}
		}
	}
	install := func() ([]Change, error) { return Install(t.Context(), opts) }
	uninstall := func() ([]Change, error) { return Uninstall(t.Context(), opts) }
	opts.DryRun = true
	check("a dry run", install, wantFiles, true, false)
	opts.DryRun = false
	check("the first time", install, wantFiles, true, true)
	check("the second time", install, wantFiles, false, true)
	opts.DryRun = true
	check("a dry run then", install, wantFiles, false, true)
	check("a dry run of uninstall", uninstall, wantFiles, true, true)
	opts.DryRun = false
	check("uninstall", uninstall, wantFiles, true, false)
	check("uninstall again", uninstall, nil, true, false)
}

func TestInstallGoesOnAfterAnError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("Windows has a registry instead")
		return
	}
	opts := home(t)
	// A file in the place of the folder.
	if err := os.WriteFile(filepath.Join(opts.Env.Home, ".config/google-chrome/NativeMessagingHosts"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	changes, err := Install(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "Google Chrome") {
		t.Errorf("got %v, want an error about Google Chrome", err)
	}
	if files, _ := ours(opts, changes); len(files) != 1 || !strings.Contains(files[0], "edge-beta") {
		t.Errorf("got %q, want Edge's all the same", files)
	}
}

func TestInstallRefuses(t *testing.T) {
	opts := home(t)
	opts.Binary = "sidekick-mcp"
	if _, err := Install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("a relative path: got %v", err)
	}
	if places := placesOf(opts.Env, func(browsers.Browser) bool { return false }); places != nil {
		t.Errorf("no browser has the places %v", places)
	}
}

// All the registry keys that Windows' browsers need.
func TestPlacesOnWindows(t *testing.T) {
	var keys []string
	for _, p := range placesOf(browsers.Env{GOOS: "windows", Home: `C:\Users\ada`}, func(browsers.Browser) bool { return true }) {
		keys = append(keys, p.at)
	}
	want := []string{
		`Software\Google\Chrome\NativeMessagingHosts`,
		`Software\Chromium\NativeMessagingHosts`,
		`Software\Microsoft\Edge\NativeMessagingHosts`,
	}
	if !slices.Equal(keys, want) {
		t.Errorf("got %q, want %q", keys, want)
	}
}
