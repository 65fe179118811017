package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what /proc/<pid>/stat says after the process's name.
func stat(pid int) ([]string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name is in parentheses and may hold some itself.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return nil, errors.New("no name in /proc/pid/stat")
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 20 {
		return nil, errors.New("/proc/pid/stat is short")
	}
	return f, nil
}

// startOf tells when a process started, in clock ticks since the boot, and
// which boot that was. A zombie counts as gone.
func startOf(pid int) (string, error) {
	f, err := stat(pid)
	if err != nil {
		return "", err
	}
	if f[0] == "Z" || f[0] == "X" {
		return "", os.ErrProcessDone
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return f[19] + "@" + strings.TrimSpace(string(boot)), nil
}

// descendants are the processes that pid has started, those that they have, and
// the rest of its session: Chromium's crash handler is nobody's child.
func descendants(pid int) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found family
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		f, err := stat(id)
		if err != nil {
			continue
		}
		parent, _ := strconv.Atoi(f[1])
		session, _ := strconv.Atoi(f[3])
		found.add(id, parent, session)
	}
	return found.of(pid)
}

// marked are the processes that have the variable kv, "NAME=value", in their
// environment as they were started, this one excluded.
func marked(kv string) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []process
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || id == os.Getpid() {
			continue
		}
		// Unreadable unless it is a process of this user.
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", id))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+kv+"\x00")) {
			continue
		}
		if p, err := processOf(id); err == nil {
			found = append(found, p)
		}
	}
	return found
}
