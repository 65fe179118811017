//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// build builds the program as the release of a version, into a folder of its
// own as npx keeps each version in one.
func build(t *testing.T, version string) string {
	t.Helper()
	// Not t.TempDir: processes are told apart by what names the test's folder.
	dir, err := os.MkdirTemp("", "sk-v"+version+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe := filepath.Join(dir, "sidekick-mcp")
	args := []string{"build", "-o", exe, "-ldflags", "-X main.release=" + version}
	if raceEnabled {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp")...).CombinedOutput()
	if err != nil {
		t.Fatalf("building version %s: %v\n%s", version, err, out)
	}
	return exe
}

// of is the same machine with another build of the program.
func (e *env) of(exe string) *env {
	c := *e
	c.exe = exe
	return &c
}
