package launch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func TestSplitArgs(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                   nil,
		"  \t\n":                             nil,
		"--headless=new --no-sandbox":        {"--headless=new", "--no-sandbox"},
		`--a="x y" 'b c'`:                    {"--a=x y", "b c"},
		`--dir="C:\Program Files\x"`:         {`--dir=C:\Program Files\x`},
		`a\ b "say \"hi\"" 'it''s' "" ''`:    {"a b", `say "hi"`, "its", "", ""},
		`--user-agent='Mozilla/5.0 (X11; )'`: {"--user-agent=Mozilla/5.0 (X11; )"},
		`'a\b'`:                              {`a\b`},
	} {
		if got, err := splitArgs(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{`'`, `"a`, `a\`, `a "b' c`} {
		if got, err := splitArgs(in); err == nil {
			t.Errorf("%s: got %q", in, got)
		}
	}
}

// Any arguments, quoted, come back.
func TestSplitArgsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		args := rapid.SliceOf(rapid.String()).Draw(rt, "args")
		var quoted []string
		for _, a := range args {
			quoted = append(quoted, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
		}
		got, err := splitArgs(strings.Join(quoted, " "))
		// Runes that are no UTF-8 are replaced when they are read.
		if err != nil || !slices.Equal(got, args) && strings.ToValidUTF8(strings.Join(args, ""), "") == strings.Join(args, "") {
			rt.Fatalf("got %q, %v, want %q", got, err, args)
		}
	})
}

func TestMergeFlags(t *testing.T) {
	got := mergeFlags([]string{
		"--load-extension=/a", "--disable-features=A", "--headless=new", "--disable-features=B,C", "--enable-features=", "--enable-features=D",
		"--user-agent=x", "--user-agent=y", "--disable-features", "--load-extension=/b", "--disable-features=",
	})
	want := []string{
		"--load-extension=/a,/b", "--disable-features=A,B,C", "--headless=new", "--enable-features=D",
		"--user-agent=x", "--user-agent=y", "--disable-features",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestExtract(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "extension")
	old := fstest.MapFS{"manifest.json": {Data: []byte("1")}, "worker/a.js": {Data: []byte("a")}}
	read := func() map[string]string {
		t.Helper()
		files := make(map[string]string)
		err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			rel, _ := filepath.Rel(dir, p)
			files[filepath.ToSlash(rel)] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	if err := extract(old, dir); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) != 2 || got["worker/a.js"] != "a" {
		t.Errorf("got %v", got)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := extract(old, dir); err != nil {
		t.Fatal(err)
	}
	if again, err := os.Stat(dir); err != nil || !os.SameFile(info, again) {
		t.Error("the same extension was unpacked again")
	}
	// A file that somebody changed is put right, and a new version replaces the
	// old one whole.
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("spoiled"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := extract(old, dir); err != nil {
		t.Fatal(err)
	}
	if got := read(); got["manifest.json"] != "1" {
		t.Errorf("got %v", got)
	}
	if err := extract(fstest.MapFS{"manifest.json": {Data: []byte("2")}}, dir); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) != 1 || got["manifest.json"] != "2" {
		t.Errorf("got %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".extension-*")); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

func TestManagedFlags(t *testing.T) {
	l := New(paths.Dirs{State: "/s", Run: "/s/run"}, "/bin/self", nil)
	got := l.managedFlags(false, []string{"--disable-features=Translate", "--headless=new"})
	if !slices.Contains(got, "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate") ||
		!slices.Contains(got, "--headless=new") || slices.Contains(got, "--no-sandbox") || got[len(got)-1] != "about:blank" {
		t.Errorf("got %q", got)
	}
	got = l.managedFlags(true, nil)
	if !slices.Contains(got, "--enable-unsafe-extension-debugging") || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "--load-extension") }) {
		t.Errorf("got %q", got)
	}
}

// sleeper starts a process that lasts, whose child lasts as well.
func sleeper(t *testing.T, script string) (*exec.Cmd, process) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Fatal("this test needs a shell")
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = detached()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if n, err := out.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	p, err := processOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, p
}

func TestStopProcess(t *testing.T) {
	for name, script := range map[string]string{
		"ends when asked": "sleep 1000 & echo; wait",
		"refuses":         "trap '' TERM; sleep 1000 & echo; wait; wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := sleeper(t, script)
			children := descendants(p.PID)
			if len(children) != 1 {
				t.Fatalf("it has %d descendants, want 1", len(children))
			}
			if err := p.stop(t.Context(), nil); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := children[0].waitGone(ctx); err != nil || p.alive() {
				t.Errorf("alive are it: %v, its child: %v", p.alive(), err == nil)
			}
			if err := p.stop(t.Context(), nil); err != nil {
				t.Errorf("stopping it again: %v", err)
			}
		})
	}
}

// A process id that another process has got meanwhile is left alone.
func TestStopTellsProcessesApart(t *testing.T) {
	_, p := sleeper(t, "echo; exec sleep 1000")
	other := process{PID: p.PID, Start: "another time"}
	if other.alive() {
		t.Error("the other process counts as the one that is meant")
	}
	if err := other.stop(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if !p.alive() {
		t.Error("the wrong process was ended")
	}
	if (process{}).alive() {
		t.Error("no process is alive")
	}
}

func TestWaitGone(t *testing.T) {
	cmd, p := sleeper(t, "echo; exec sleep 1000")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := WaitGone(ctx, p.PID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it runs: %v", err)
	}
	cmd.Process.Kill() // a zombie until it is waited for, and gone for all that
	if err := WaitGone(t.Context(), p.PID); err != nil {
		t.Error(err)
	}
	if err := WaitGone(t.Context(), os.Getpid()); err != nil {
		t.Error(err)
	}
}

func TestState(t *testing.T) {
	home := t.TempDir()
	dirs := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	if err := StopManaged(t.Context(), dirs); err != nil {
		t.Errorf("where nothing was started: %v", err)
	}
	if err := dirs.Ensure(); err != nil {
		t.Fatal(err)
	}
	want := state{process{42, "x"}, "/opt/browser"}
	if err := writeState(dirs, want); err != nil {
		t.Fatal(err)
	}
	if got, err := readState(dirs); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := os.WriteFile(stateFile(dirs), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readState(dirs); err != nil || got != (state{}) {
		t.Errorf("a broken file: %+v, %v", got, err)
	}
	if err := StopManaged(t.Context(), dirs); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(stateFile(dirs)); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
}

// What a wake says when it cannot do anything names what was wrong.
func TestWakeErrors(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", filepath.Join(home, "me"))
	t.Setenv("SIDEKICK_BROWSER_ARGS", "")
	l := New(paths.Dirs{State: home, Run: filepath.Join(home, "run")}, "/bin/self", slog.New(slog.DiscardHandler))
	if err := l.Dirs.Ensure(); err != nil {
		t.Fatal(err)
	}
	never := make(chan struct{})
	for name, c := range map[string]struct {
		target Target
		env    [2]string
		says   string
		cause  error // nil for none of the table's
	}{
		"no profile":   {Target{}, [2]string{}, "no browser profile", cause.ExtensionAbsent},
		"lost profile": {Target{Profile: strings.Repeat("a", 32)}, [2]string{}, "not to be found", cause.ProfileGone},
		"gone browser": {Target{Profile: "x", Browser: "/no/such/browser"}, [2]string{}, "/no/such/browser", nil},
		"bad choice":   {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", "/no/such/choice"}, "/no/such/choice", nil},
		"bad args":     {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER_ARGS", "'"}, "a ' quote is not closed", cause.BrowserArgs},
		"ends at once": {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", failing(t, "echo no display >&2; exit 3")}, "with exit status 3; it said: no display", cause.BrowserEnded},
		"killed":       {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", failing(t, "kill -SEGV $$")}, "segmentation fault", cause.BrowserEnded},
		"no browser":   {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", failing(t, "exit 0")}, "without an error, as no browser does", cause.BrowserEnded},
		"own ends":     {Target{Browser: failing(t, "exit 4"), UserDataDir: home, ProfileDir: "Default"}, [2]string{}, "exit status 4", cause.BrowserEnded},
		"as root": {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", failing(t, `echo "[1:1:1/1:ERROR:zygote_host_impl_linux.cc(101)] Running as root without --no-sandbox is not supported. See https://crbug.com/638180." >&2; exit 1`)},
			"add --no-sandbox to SIDEKICK_BROWSER_ARGS", cause.BrowserRoot},
		"no program": {Target{Managed: true}, [2]string{"SIDEKICK_BROWSER", noProgram(t)}, "exec format error", cause.BrowserNoStart},
	} {
		t.Run(name, func(t *testing.T) {
			if c.env[0] != "" {
				t.Setenv(c.env[0], c.env[1])
			}
			_, err := l.Wake(t.Context(), c.target, never)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
			if c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("%v is not the cause %v", err, c.cause)
			}
		})
	}
	l.Wait()
}

// A browser that takes the extension over its pipe and crashes instead is told
// by how it ended, not by the pipe.
func TestBrandedThatCrashes(t *testing.T) {
	home := t.TempDir()
	t.Setenv("SIDEKICK_BROWSER", failing(t, "echo a crash >&2; exec 3<&- 4>&-; kill -SEGV $$"))
	l := New(paths.Dirs{State: home, Run: filepath.Join(home, "run")}, "/bin/self", slog.New(slog.DiscardHandler))
	l.isBranded = func(string) bool { return true }
	if err := l.Dirs.Ensure(); err != nil {
		t.Fatal(err)
	}
	_, err := l.Wake(t.Context(), Target{Managed: true}, make(chan struct{}))
	if !errors.Is(err, cause.BrowserEnded) || !strings.Contains(err.Error(), "it said: a crash") {
		t.Errorf("got %v", err)
	}
	l.Wait()
}

// noProgram is a file that may be run and is nothing that can be.
func noProgram(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(exe, []byte("not a program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return exe
}

// failing is a browser that does something else at once.
func failing(t *testing.T, does string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Fatal("this test needs a shell")
	}
	exe := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(exe, []byte("#!/bin/sh\n"+does+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return exe
}

// A browser keeps the worker that it has stored while the version is the same.
func TestExtractedVersionFollowsTheFiles(t *testing.T) {
	version := func(worker string) (version, name string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "extension")
		fsys := fstest.MapFS{
			"manifest.json": {Data: []byte(`{"manifest_version": 3, "version": "0.1.0", "minimum_chrome_version": "125"}`)},
			"sw.js":         {Data: []byte(worker)},
		}
		for range 2 { // the second finds it there
			if err := extract(fsys, dir); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Version string `json:"version"`
			Name    string `json:"version_name"`
			Minimum string `json:"minimum_chrome_version"`
		}
		if err := json.Unmarshal(b, &m); err != nil || m.Minimum != "125" {
			t.Fatalf("%v in %s", err, b)
		}
		return m.Version, m.Name
	}
	one, name := version("1")
	if !strings.HasPrefix(one, "0.1.0.") || name != "0.1.0" {
		t.Errorf("the version is %q, %q", one, name)
	}
	if again, _ := version("1"); again != one {
		t.Errorf("the same files have the versions %q and %q", one, again)
	}
	if other, _ := version("2"); other == one {
		t.Errorf("other files have the same version %q", other)
	}
}
