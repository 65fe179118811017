//go:build !windows

package ipc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// A helper whose socket and lock somebody removed does not take those of the
// next helper with it as it ends.
func TestLeftOverHelperTakesNothingWithIt(t *testing.T) {
	home, err := os.MkdirTemp("/tmp", "sk-") // short, for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	dirs := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	_, endFirst, err := Listen(context.Background(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{dirs.Socket(), dirs.Lock()} {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	_, endSecond, err := Listen(context.Background(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	endFirst()
	for _, f := range []string{dirs.Socket(), dirs.Lock()} {
		if _, err := os.Lstat(f); err != nil {
			t.Errorf("the second helper's is gone with the first: %v", err)
		}
	}
	endSecond()
	for _, f := range []string{dirs.Socket(), dirs.Lock()} {
		if _, err := os.Lstat(f); err == nil {
			t.Errorf("%s is left", f)
		}
	}
}

// What is no socket in the socket's place is named at once, by whoever dials
// and by the helper, and nobody waits for a helper that cannot listen there.
func TestSomethingElseInTheSocketsPlace(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a file":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":   func(path string) error { return os.Symlink("nowhere", path) },
	} {
		dirs := tempDirs(t)
		if err := dirs.Ensure(); err != nil {
			t.Fatal(err)
		}
		if err := put(dirs.Socket()); err != nil {
			t.Fatal(err)
		}
		start := func(context.Context) error { t.Errorf("%s: a helper was started", name); return nil }
		if _, err := DialOrStart(t.Context(), dirs, start); !errors.Is(err, cause.SocketInTheWay) || !strings.Contains(err.Error(), dirs.Socket()) {
			t.Errorf("%s: dialing says %v", name, err)
		}
		if _, _, err := Listen(t.Context(), dirs); !errors.Is(err, cause.SocketInTheWay) {
			t.Errorf("%s: listening says %v", name, err)
		}
	}
}
