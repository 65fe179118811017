package userservice

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standIn puts a systemctl into PATH that writes down what it is asked, and
// does what a script says. What Open and kardianos do with it is real.
func standIn(t *testing.T, script string) (home string, asked func() []string) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "Ada Łovelace")
	bin := filepath.Join(home, "fake")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(home, "asked")
	text := "#!/bin/sh\necho \"$@\" >>'" + log + "'\n" +
		"case \"$*\" in *show*) echo 255.4-1ubuntu8;; esac\n" + script
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	return home, func() []string {
		b, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
}

const ask = "--user show --property=Version --value"

func TestServiceLife(t *testing.T) {
	home, asked := standIn(t, "")
	c := Config{Binary: filepath.Join(home, "bin", "sidekick-mcp")}
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(home, ".config/systemd/user/sidekick.service")
	if s.Place != unit {
		t.Errorf("the service is kept in %s", s.Place)
	}
	if there, _, err := s.Installed(); there || err != nil {
		t.Errorf("before: %v, %v", there, err)
	}
	if err := s.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := asked(), []string{ask, "enable --user sidekick.service", "daemon-reload --user", "start --user sidekick.service"}; !slices.Equal(got, want) {
		t.Errorf("systemctl was asked %q, want %q", got, want)
	}
	text, err := os.ReadFile(unit)
	// Nothing of kardianos' template engine is left in it, or done to it.
	if err != nil || string(text) != systemdUnit(c, systemdOptions{version: 255, setuidSandbox: !userNamespaces()}) {
		t.Errorf("the unit (%v):\n%s", err, text)
	}
	if there, right, err := s.Installed(); !there || !right || err != nil {
		t.Errorf("after: %v, %v, %v", there, right, err)
	}

	// What another version, or the user, left is replaced.
	if err := os.WriteFile(unit, []byte("[Service]\nExecStart=/old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if there, right, err := s.Installed(); !there || right || err != nil {
		t.Errorf("of another version: %v, %v, %v", there, right, err)
	}
	if err := s.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stop --user sidekick.service", "disable --user sidekick.service", "daemon-reload --user",
		"enable --user sidekick.service", "daemon-reload --user", "start --user sidekick.service",
	}
	if got := asked(); !slices.Equal(got, want) {
		t.Errorf("systemctl was asked %q, want %q", got, want)
	}

	for range 2 { // the second finds nothing
		if err := s.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(unit); err == nil {
			t.Error("the unit is still there")
		}
	}
	if got := asked(); !slices.Equal(got, want[:3]) {
		t.Errorf("systemctl was asked %q, want %q", got, want[:3])
	}
}

// A service that cannot be installed, or not be started, leaves nothing and can
// be tried again.
func TestServiceRollsBack(t *testing.T) {
	for _, failing := range []string{"enable", "start", "daemon-reload"} {
		t.Run(failing, func(t *testing.T) {
			home, asked := standIn(t, "case $1 in "+failing+") echo cannot >&2; exit 1;; esac\n")
			s, err := Open(t.Context(), Config{Binary: filepath.Join(home, "sidekick-mcp")})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Install(t.Context()); err == nil {
					t.Error("no error")
				}
				if _, err := os.Lstat(s.Place); err == nil {
					t.Error("the unit is still there")
				}
			}
			if got := asked(); !slices.Contains(got, failing+" --user sidekick.service") && !slices.Contains(got, failing+" --user") {
				t.Errorf("systemctl was asked %q", got)
			}
		})
	}
}

func TestNoManager(t *testing.T) {
	for _, c := range []struct{ name, script, says string }{
		{"no bus", "echo 'Failed to connect to bus: No medium found' >&2; exit 1\n", "No medium found"},
		{"says nothing", "exit 4\n", "exit status 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home, _ := standIn(t, c.script)
			s, err := Open(t.Context(), Config{Binary: "/sidekick-mcp"})
			if !errors.Is(err, ErrNoManager) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			// What an earlier installation left still goes, its link too.
			wants := filepath.Join(home, ".config/systemd/user/default.target.wants")
			if err := os.MkdirAll(wants, 0o700); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(wants, "sidekick.service")
			if err := errors.Join(os.WriteFile(s.Place, []byte("x"), 0o600), os.Symlink(s.Place, link), s.Remove(t.Context())); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{s.Place, link} {
				if _, err := os.Lstat(file); err == nil {
					t.Errorf("%s is still there", file)
				}
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(t.Context(), Config{Binary: "/sidekick-mcp"}); !errors.Is(err, ErrNoManager) {
		t.Errorf("without systemctl: %v", err)
	}
}

// systemd's own checker reads the units of this system's version.
func TestUnitVerifies(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("HOME", dir)
	binary := filepath.Join(dir, `Ada Łovelace 100% {{x}} $y`, "sidekick-mcp")
	if err := errors.Join(os.MkdirAll(filepath.Dir(binary), 0o700), os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	verify := func(text string) (string, error) {
		unit := filepath.Join(dir, "sidekick.service")
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "--user", "--recursive-errors=no", "verify", unit).CombinedOutput()
		return string(out), err
	}
	good := systemdUnit(Config{Binary: binary, Home: dir}, systemdOptions{version: 252})
	if out, err := verify(good); err != nil || out != "" {
		t.Errorf("%v:\n%s\n%s", err, out, good)
	}
	// The checker does look.
	if out, _ := verify(strings.Replace(good, "Restart=on-failure", "Restart=perhaps", 1)); out == "" {
		t.Error("a wrong unit passes")
	}
	if out, _ := verify(strings.Replace(good, "/sidekick-mcp", "/no-such-program", 1)); out == "" {
		t.Error("a unit without its program passes")
	}
}
