//go:build linux

package doctor_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Of a helper that answers nothing stop names the process, the program and what
// to do, and does not wait for all that it might have to end.
func TestStopNamesAHelperThatHangs(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	pid := m.helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"stop", "status"} {
		_, errs, code := m.run(command)
		if code == 0 || !strings.Contains(errs, fmt.Sprintf("process %d", pid)) || !strings.Contains(errs, "doctor --fix") || strings.Contains(errs, "after 20s") {
			t.Errorf("%s ends with %d: %s", command, code, errs)
		}
		if command == "stop" && (!strings.Contains(errs, fmt.Sprintf("kill -9 %d", pid)) || !strings.Contains(errs, program)) {
			t.Errorf("stop says %s", errs)
		}
	}
}

// A helper that has lost its socket is found, and ended though it was stopped.
func TestStopFindsAHelperWithoutASocket(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	pid := m.helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.dirs().Socket()); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := m.run("status"); code == 0 || !strings.Contains(errs, fmt.Sprintf("process %d", pid)) {
		t.Errorf("status ends with %d: %s%s", code, out, errs)
	}
	if out, errs, code := m.run("stop"); code != 0 || !strings.Contains(out, fmt.Sprintf("process %d", pid)) {
		t.Errorf("stop ends with %d: %s%s", code, out, errs)
	}
	if !wait(5*time.Second, func() bool { return len(helpersOf(m.s)) == 0 }) {
		t.Error("it still lives")
	}
	if out, errs, code := m.run("status"); code != 0 || !strings.Contains(out, "not running") {
		t.Errorf("after it status ends with %d: %s%s", code, out, errs)
	}
}
