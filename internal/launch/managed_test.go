//go:build !windows

package launch

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// A headless browser takes no second command: that one ends with status 21 at
// once. The browser is not to blame, and is not ended for it.
func TestRunningBrowserOutlivesAFailedWakePage(t *testing.T) {
	home := t.TempDir()
	asked := filepath.Join(home, "asked")
	exe := filepath.Join(home, "fake-browser")
	script := "#!/bin/sh\n" +
		"case \"$*\" in *wake.html*) echo $$ >" + asked + ".new; mv " + asked + ".new " + asked + "; exit 21;; esac\n" +
		"exec 3<&- 4>&- 5>&- 6<&-\n" + // no debugging pipe either
		"exec tail -f /dev/null\n"
	if err := os.WriteFile(exe, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIDEKICK_BROWSER", exe)
	t.Setenv("SIDEKICK_BROWSER_ARGS", "--headless=new")
	l := New(paths.Dirs{State: home, Run: filepath.Join(home, "run")}, "/bin/self", slog.New(slog.DiscardHandler))
	if err := l.Dirs.Ensure(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.StopManaged(context.Background()); err != nil {
			t.Error(err)
		}
		l.Wait()
	})

	atOnce := make(chan struct{})
	close(atOnce)
	if _, err := l.Wake(t.Context(), Target{Managed: true}, atOnce); err != nil {
		t.Fatal(err)
	}
	before, err := readState(l.Dirs)
	if err != nil || !before.alive() {
		t.Fatalf("the browser does not run: %+v, %v", before, err)
	}

	connected := make(chan struct{})
	go func() {
		defer close(connected)
		// The worker comes back after the command has failed.
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && t.Context().Err() == nil; time.Sleep(5 * time.Millisecond) {
			pid, err := os.ReadFile(asked)
			if err == nil && exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() != nil {
				return
			}
		}
		t.Error("the wake page was not asked for")
	}()
	tried, err := l.Wake(t.Context(), Target{Managed: true}, connected)
	<-connected
	if err != nil || len(tried) != 2 || !strings.Contains(tried[0], "pipe") || !strings.Contains(tried[1], "wake.html") || !strings.Contains(tried[1], "exit status 21") {
		t.Errorf("waking: %q, %v", tried, err)
	}
	after, err := readState(l.Dirs)
	if err != nil || after != before || !after.alive() {
		t.Errorf("the browser was %+v and is %+v, %v: it was to be the same", before, after, err)
	}
}
