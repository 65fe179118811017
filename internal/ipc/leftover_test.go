//go:build !windows

package ipc

import (
	"context"
	"os"
	"path/filepath"
	"testing"

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
