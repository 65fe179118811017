//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// builds are the programs that build has made in this run.
var builds = map[string]string{}

// build builds the program as the release of a version, into a folder of its
// own as npx keeps each version in one. It goes with the other build's folder.
func build(t *testing.T, version string) string {
	t.Helper()
	if exe := builds[version]; exe != "" {
		return exe
	}
	exe := filepath.Join(filepath.Dir(binary), "v"+version, "sidekick-mcp")
	args := []string{"build", "-o", exe, "-ldflags", "-X main.release=" + version}
	if raceEnabled {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp")...).CombinedOutput()
	if err != nil {
		t.Fatalf("building version %s: %v\n%s", version, err, out)
	}
	builds[version] = exe
	return exe
}

// of is the same machine with another build of the program.
func (e *env) of(exe string) *env {
	c := *e
	c.exe = exe
	return &c
}
