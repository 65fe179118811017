package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// helpers are the processes that hold the lock of this state folder open,
// which the helpers do: also one whose lock was removed under it.
func helpers(dirs paths.Dirs) (pids []int, known bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if isHelper(pid) && holds(pid, dirs.Lock()) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, true
}

func isHelper(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return false
	}
	args := bytes.Split(line, []byte{0})
	return len(args) > 1 && string(args[1]) == "helper"
}

// holds reports whether a process of this user has a file open. Other users'
// cannot be looked into.
func holds(pid int, file string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(real, filepath.Base(file))
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && strings.TrimSuffix(to, " (deleted)") == file {
			return true
		}
	}
	return false
}

// surely returns an error if a process is no helper of this state folder.
func surely(dirs paths.Dirs, pid int) error {
	if !isHelper(pid) || !holds(pid, dirs.Lock()) {
		return fmt.Errorf("process %d is not Sidekick's helper; it is let alone", pid)
	}
	return nil
}

// programOf is the file that a process runs.
func programOf(pid int) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return "sidekick-mcp"
	}
	return exe
}
