//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a live process that belongs to a test's machine.
type process struct {
	pid  int
	args []string
}

func (p process) String() string {
	line := strings.Join(p.args, " ")
	if len(line) > 160 {
		line = line[:160] + "…"
	}
	return fmt.Sprintf("%d %s", p.pid, line)
}

// is reports whether the process runs our binary with arg as its first
// argument; an empty arg is the agent role, which has none.
func (p process) is(arg string) bool {
	if len(p.args) == 0 || filepath.Base(p.args[0]) != filepath.Base(binary) {
		return false
	}
	if arg == "" {
		return len(p.args) == 1
	}
	return len(p.args) > 1 && strings.HasPrefix(p.args[1], arg)
}

// The first argument of each of our roles.
const (
	agentRole  = ""
	helperRole = "helper"
	nativeRole = "chrome-extension://"
)

// isBrowser reports whether the process is a browser's main one, not one of its
// renderers and services.
func (p process) isBrowser() bool {
	profile, child := false, false
	for _, a := range p.args {
		profile = profile || strings.HasPrefix(a, "--remote-debugging-port=")
		child = child || strings.HasPrefix(a, "--type=") || strings.Contains(a, "crashpad")
	}
	return profile && !child
}

// processes lists the live processes whose environment or command line names
// the state folder. A zombie has neither, so it does not count.
func processes(base string) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that ends between the listing and the reading is gone,
		// which is all that matters.
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if !bytes.Contains(line, []byte(base)) && !bytes.Contains(environ, []byte(base)) {
			continue
		}
		if len(line) == 0 {
			continue
		}
		found = append(found, process{pid, splitArgs(line)})
	}
	return found
}

// splitArgs splits a command line as /proc shows it. Chromium's children write
// theirs over with a single string, its arguments parted by spaces.
func splitArgs(line []byte) []string {
	args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	if len(args) == 1 {
		return strings.Fields(args[0])
	}
	return args
}

// one returns the single process of a role, waiting for it to be there.
func (e *env) one(what string, is func(process) bool) process {
	e.t.Helper()
	var found []process
	e.eventually(10*time.Second, "one "+what, func() bool {
		found = found[:0]
		for _, p := range processes(e.base) {
			if is(p) {
				found = append(found, p)
			}
		}
		return len(found) == 1
	})
	return found[0]
}

func (e *env) helper() process {
	e.t.Helper()
	return e.one("helper process", func(p process) bool { return p.is(helperRole) })
}

func (e *env) nativeHost() process {
	e.t.Helper()
	return e.one("native host process", func(p process) bool { return p.is(nativeRole) })
}

func (e *env) browser() process {
	e.t.Helper()
	return e.one("browser process", process.isBrowser)
}

// kill ends a process as nothing can refuse, and waits until it is gone.
func (e *env) kill(p process) {
	e.t.Helper()
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		e.t.Fatalf("killing %v: %v", p, err)
	}
	e.eventually(5*time.Second, fmt.Sprintf("end of %v", p), func() bool { return !alive(p.pid) })
}

// alive reports whether the process runs; a zombie does not. (Its first thread is
// one before the others have ended, and its sockets are open until then.)
func alive(pid int) bool {
	if threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err == nil && len(threads) > 1 {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state is the first field after the name, which is in parentheses
	// and may hold anything.
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	fields := bytes.Fields(rest)
	return len(fields) > 0 && fields[0][0] != 'Z' && fields[0][0] != 'X'
}

// gone waits until the process has ended.
func (e *env) gone(pid int, within time.Duration) {
	e.t.Helper()
	e.eventually(within, fmt.Sprintf("end of process %d", pid), func() bool { return !alive(pid) })
}

// eventually waits for a condition, and ends the test if it is not met in time.
func (e *env) eventually(within time.Duration, what string, ok func() bool) {
	e.t.Helper()
	eventually(e.t, within, what, ok)
}

func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	if !holds(within, ok) {
		t.Fatalf("waited %v for: %s", within, what)
	}
}

// holds reports whether a condition is met within a time.
func holds(within time.Duration, ok func() bool) bool {
	deadline := time.Now().Add(within)
	for !ok() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(5 * time.Millisecond) // between two looks at the condition
	}
	return true
}
