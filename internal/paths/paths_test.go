package paths

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	tests := []struct {
		name, goos, home string
		env              map[string]string
		state, run       string
	}{
		{"linux", "linux", "/home/ada", nil,
			"/home/ada/.local/share/sidekick", "/home/ada/.local/share/sidekick/run"},
		{"linux, in the sandbox of a snap", "linux", "/home/ada",
			map[string]string{"XDG_DATA_HOME": "/home/ada/snap/code/9/.local/share", "XDG_RUNTIME_DIR": "/run/user/1000/snap.code"},
			"/home/ada/.local/share/sidekick", "/home/ada/.local/share/sidekick/run"},
		{"macOS", "darwin", "/Users/ada", nil,
			"/Users/ada/Library/Application Support/Sidekick", "/Users/ada/Library/Application Support/Sidekick/run"},
		{"windows", "windows", `C:\Users\ada`, map[string]string{"LocalAppData": `D:\Local\`},
			`D:\Local\Sidekick`, `D:\Local\Sidekick\run`},
		{"windows, bare environment", "windows", `C:\Users\ada`, nil,
			`C:\Users\ada\AppData\Local\Sidekick`, `C:\Users\ada\AppData\Local\Sidekick\run`},
		{"SIDEKICK_HOME", "linux", "/home/ada", map[string]string{"SIDEKICK_HOME": "/tmp/x"},
			"/tmp/x", "/tmp/x/run"},
		{"SIDEKICK_HOME on windows", "windows", `C:\Users\ada`, map[string]string{"SIDEKICK_HOME": `E:\kick`, "LocalAppData": `D:\Local`},
			`E:\kick`, `E:\kick\run`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := locate(tt.goos, func(k string) string { return tt.env[k] },
				func() (string, error) { return tt.home, nil })
			if err != nil {
				t.Fatal(err)
			}
			if want := (Dirs{State: tt.state, Run: tt.run}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestLocateErrors(t *testing.T) {
	none := func(string) string { return "" }
	if _, err := locate("linux", func(k string) string { return "state" }, Home); err == nil || !strings.Contains(err.Error(), "SIDEKICK_HOME") {
		t.Errorf("a relative SIDEKICK_HOME: got error %v", err)
	}
	if _, err := locate("linux", none, func() (string, error) { return "home", nil }); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("a relative HOME: got error %v", err)
	}
	lost := errors.New("lost")
	if _, err := locate("darwin", none, func() (string, error) { return "", lost }); !errors.Is(err, lost) {
		t.Errorf("no home: got error %v, want %v", err, lost)
	}
}

func TestSocketAddress(t *testing.T) {
	long := "/home/ada/" + strings.Repeat("deep/", 30) + "run"
	tests := []struct{ name, goos, run, user, want string }{
		{"short", "linux", "/tmp/x/run", "1000", "/tmp/x/run/helper.sock"},
		{"long", "linux", long, "1000", "/tmp/sidekick-1000/" + digest(long) + ".sock"},
		{"long on macOS", "darwin", long, "501", "/tmp/sidekick-501/" + digest(long) + ".sock"},
		{"windows", "windows", `C:\Kick\run`, "S-1-5-21", `\\.\pipe\sidekick-` + digest("S-1-5-21\n"+`c:\kick\run`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := socketAddress(tt.goos, tt.run, tt.user)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if tt.goos != "windows" && len(got) > maxSocketPath {
				t.Errorf("%s has %d bytes, over %d", got, len(got), maxSocketPath)
			}
		})
	}
	if socketAddress("windows", `C:\a`, "S-1") == socketAddress("windows", `C:\a`, "S-2") {
		t.Error("two users share a pipe")
	}
	if socketAddress("linux", long, "1") == socketAddress("linux", long+"2", "1") {
		t.Error("two folders share a socket")
	}
}

func TestFiles(t *testing.T) {
	d := Dirs{State: filepath.FromSlash("/s"), Run: filepath.FromSlash("/r")}
	for got, want := range map[string]string{
		d.Lock():           "/r/helper.lock",
		d.Pairings():       "/s/pairings.json",
		d.Cache("0a1b"):    "/s/cache/0a1b.json",
		d.ManagedProfile(): "/s/browser",
		d.Extension():      "/s/extension",
		d.Log():            "/s/log/helper.log",
		d.KeyFile():        "/s/key",
	} {
		if got != filepath.FromSlash(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDefaultIsFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SIDEKICK_HOME", dir)
	d, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if d.State != dir {
		t.Errorf("State is %s, want %s", d.State, dir)
	}
	if want := socketAddress(runtime.GOOS, d.Run, userID()); d.Socket() != want || userID() == "" {
		t.Errorf("Socket is %q, want %q", d.Socket(), want)
	}
}

func TestHomeWithoutHOME(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Setenv("HOME", "")
	}
	home, err := Home()
	if err != nil || !filepath.IsAbs(home) {
		t.Errorf("got %q, %v; want the user database's folder", home, err)
	}
}

func TestEnsure(t *testing.T) {
	d := inDir(filepath.Join(t.TempDir(), "a", "b"))
	for range 2 { // the second finds everything made
		if err := d.Ensure(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{d.State, d.Run} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s is %v, want 0700", dir, info.Mode().Perm())
		}
	}
}

// inDir is the folders that SIDEKICK_HOME=dir stands for.
func inDir(dir string) Dirs { return Dirs{State: dir, Run: filepath.Join(dir, "run")} }
