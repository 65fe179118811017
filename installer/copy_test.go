package installer

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestCopyBinary(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "cache", "sidekick-mcp")
	to := filepath.Join(dir, "Ada Łovelace", "bin", "sidekick-mcp")
	check := func(what string, from string, dry, changed bool) {
		t.Helper()
		c, err := CopyBinary(from, to, dry)
		if err != nil || c.Done != changed || c.Place != to {
			t.Errorf("%s: got %+v, %v", what, c, err)
		}
	}
	write(t, from, "one", 0o700)
	check("a dry run", from, true, true)
	if _, err := os.Stat(to); err == nil {
		t.Error("a dry run has copied")
	}
	check("the first time", from, false, true)
	check("the second time", from, false, false)
	check("onto itself", to, false, false)
	write(t, from, "two", 0o700)
	check("another of the same size", from, false, true)
	if b, err := os.ReadFile(to); err != nil || string(b) != "two" {
		t.Errorf("it holds %q, %v", b, err)
	}
	if runtime.GOOS != "windows" {
		write(t, to, "two", 0o600)
		check("one that cannot be run", from, false, true)
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("it is %v, %v", info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) != 1 {
		t.Errorf("its folder holds %v, %v", left, err)
	}
	if _, err := CopyBinary(filepath.Join(dir, "none"), to, false); err == nil {
		t.Error("copying what is not there: no error")
	}
	// A folder in its place.
	to = filepath.Join(dir, "taken")
	write(t, filepath.Join(to, "x"), "", 0o600)
	if _, err := CopyBinary(from, to, false); err == nil || !strings.Contains(err.Error(), "cannot be copied to "+to) {
		t.Errorf("onto a folder: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".copy-*")); err != nil || left != nil {
		t.Errorf("left after an error: %v, %v", left, err)
	}
}

// The program that is replaced goes on with what it was.
func TestCopyOverARunningBinary(t *testing.T) {
	if os.Getenv("COPY_TEST_RUN") != "" {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(7)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(self))
	if _, err := CopyBinary(self, to, false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	running := exec.CommandContext(ctx, to, "-test.run", "^TestCopyOverARunningBinary$")
	running.Env = append(os.Environ(), "COPY_TEST_RUN=1")
	stdin, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	write(t, fresh, "new", 0o700)
	if c, err := CopyBinary(fresh, to, false); err != nil || !c.Done {
		t.Errorf("got %+v, %v", c, err)
	}
	stdin.Close()
	if running.Wait(); running.ProcessState.ExitCode() != 7 {
		t.Errorf("the running one ended with %v", running.ProcessState)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "new" {
		t.Errorf("in its place is %q, %v", b, err)
	}
}

func TestLedger(t *testing.T) {
	dir := t.TempDir()
	had := filepath.Join(dir, "had")
	write(t, filepath.Join(had, "x"), "", 0o600)
	deep := filepath.Join(had, "a", "b")
	l := ReadLedger(filepath.Join(dir, "none.json"))
	l.Note(deep)
	l.Note(had)
	l.Note(filepath.Join(dir, "kept"))
	(*Ledger)(nil).Note(deep)
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "kept", "theirs"), "", 0o600)
	l.Note(deep) // it is there now
	file := filepath.Join(dir, "state", "installed.json")
	if err := l.Write(file); err != nil {
		t.Fatal(err)
	}
	l = ReadLedger(file)
	if want := []string{deep, filepath.Join(had, "a"), filepath.Join(dir, "kept")}; !slices.Equal(l.Dirs, want) {
		t.Errorf("noted %q, want %q", l.Dirs, want)
	}
	l.RemoveDirs()
	for name, there := range map[string]bool{"had/a": false, "had/x": true, "kept/theirs": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	write(t, file, "{", 0o600)
	if l := ReadLedger(file); len(l.Dirs) != 0 {
		t.Errorf("nonsense: %+v", l)
	}
}

func TestRemoveState(t *testing.T) {
	for _, c := range []struct {
		name                 string
		keep, shared, dryRun bool
		want                 []string
	}{
		{"all", false, false, false, nil},
		{"a dry run", false, false, true, []string{"bin", "key", "mine", "pairings.json", "run", ".extension-1"}},
		{"a folder of the user's choice", false, true, false, []string{"mine"}},
		{"the pairings are kept", true, false, false, []string{"key", "pairings.json"}},
		{"both", true, true, false, []string{"key", "mine", "pairings.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dirs := paths.Dirs{State: filepath.Join(t.TempDir(), "s")}
			dirs.Run = filepath.Join(dirs.State, "run")
			for _, name := range []string{"bin/sidekick-mcp", "key", "mine", "pairings.json", "run/x", ".extension-1/y"} {
				write(t, filepath.Join(dirs.State, name), "", 0o600)
			}
			changes, err := RemoveState(dirs, c.keep, c.shared, c.dryRun)
			if err != nil || len(changes) == 0 {
				t.Fatalf("got %v, %v", changes, err)
			}
			var left []string
			entries, err := os.ReadDir(dirs.State)
			if (err == nil) != (c.want != nil) {
				t.Fatalf("the folder: %v", err)
			}
			for _, e := range entries {
				left = append(left, e.Name())
			}
			slices.Sort(left)
			slices.Sort(c.want)
			if !slices.Equal(left, c.want) {
				t.Errorf("left is %q, want %q", left, c.want)
			}
		})
	}
	if changes, err := RemoveState(paths.Dirs{State: filepath.Join(t.TempDir(), "none")}, false, false, false); err != nil || changes != nil {
		t.Errorf("nothing there: %v, %v", changes, err)
	}
}

func TestWelcome(t *testing.T) {
	dir := t.TempDir()
	address, err := WriteWelcome(dir, `/home/A & <B>/extension`)
	if err != nil || address != fileURL(runtime.GOOS, filepath.Join(dir, WelcomeFile)) {
		t.Fatalf("got %q, %v", address, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, WelcomeFile))
	if err != nil || !strings.Contains(string(b), "<code>/home/A &amp; &lt;B&gt;/extension</code>") {
		t.Errorf("the page (%v):\n%s", err, b)
	}
	for _, c := range [][3]string{
		{"linux", "/home/Ada Łovelace/100%/x.html", "file:///home/Ada%20%C5%81ovelace/100%25/x.html"},
		{"windows", `C:\Users\Ada Ł\x.html`, "file:///C:/Users/Ada%20%C5%81/x.html"},
	} {
		if got := fileURL(c[0], c[1]); got != c[2] {
			t.Errorf("got %s, want %s", got, c[2])
		}
	}
}
