package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// Every role pays for what packages do before main: of ours, none parses or
// computes anything there.
func TestPackagesDoNothingAtStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// testscript runs this binary as the program when it is called so.
	program := filepath.Join(t.TempDir(), "sidekick-mcp")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, program, "version")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1", "SIDEKICK_HOME="+t.TempDir())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) allocs$`).FindAllSubmatch(out, -1)
	if len(lines) == 0 {
		t.Fatalf("the trace names no package: %s", out)
	}
	ours := regexp.MustCompile(`^(main$|github\.com/frogbotai/sidekick-mcp(/|$))`)
	// A map or a few errors are fine; a parsed template has a thousand.
	const few = 60
	for _, l := range lines {
		if n, err := strconv.Atoi(string(l[2])); ours.Match(l[1]) && (err != nil || n > few) {
			t.Errorf("at its start %s allocates %d times", l[1], n)
		}
	}
}
