//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// display is the virtual display of a headful run (":99"), empty for a headless
// one.
var display string

// startDisplay starts an X server that draws into memory, on a display number
// that it chooses itself. The function it returns ends the server.
func startDisplay() (stop func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("starting a virtual display (scripts/setup.sh test installs it): %w", err)
	}
	_ = w.Close()
	stop = func() {
		_ = x.Process.Signal(os.Interrupt)
		_ = x.Wait()
	}
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		stop()
		return nil, err
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the virtual display did not say its number: %w", err)
	}
	display = ":" + strings.TrimSpace(number)
	return stop, nil
}

// withDisplay gives one test's browsers a window, also in a headless run: for
// what a headless browser does not do.
func withDisplay(t *testing.T) {
	t.Helper()
	if display != "" {
		return
	}
	stop, err := startDisplay()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		display = ""
	})
}
