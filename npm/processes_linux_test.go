package npm

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processes are those that have the user's folder in their environment, by
// their executables.
func (u *user) processes() map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte("SIDEKICK_HOME="+u.state+"\x00")) {
			continue
		}
		exe, err := os.Readlink(filepath.Join(filepath.Dir(f), "exe"))
		if err != nil {
			continue // it has just ended
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			found[pid] = exe
		}
	}
	return found
}

// nothingRuns waits for the end of all that was started.
func (u *user) nothingRuns(t *testing.T) {
	t.Helper()
	var left map[int]string
	for end := time.Now().Add(bound); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if left = u.processes(); len(left) == 0 {
			return
		}
	}
	t.Fatalf("these are left: %v", left)
}

// killProgram sends the program itself, behind whatever started it, a signal.
func (u *user) killProgram(t *testing.T, sig syscall.Signal) {
	t.Helper()
	for pid, exe := range u.processes() {
		if strings.HasSuffix(exe, "/sidekick-mcp") {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("the program does not run: %v", u.processes())
}
