//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the program under test, built once a run.
var binary string

// hostRole is the environment variable that makes this test binary play an
// agent's host instead (host_test.go).
const hostRole = "E2E_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostRole) != "" {
		playHost()
		return
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sk-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "sidekick-mcp")
	args := []string{"build", "-o", binary}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp")...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: building the binary:", err)
		return 1
	}
	if os.Getenv("E2E_HEADFUL") != "" {
		stop, err := startDisplay()
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
		defer stop()
	}
	return m.Run()
}
