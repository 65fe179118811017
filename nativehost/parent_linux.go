package nativehost

import (
	"fmt"
	"os"
	"strings"
)

// parent is the executable and the command line of the process that started
// this one.
func parent() (exe string, line []string) {
	ppid := os.Getppid()
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", ppid))
	if err != nil {
		return "", nil
	}
	// An update replaced the file; the new one has the old one's name.
	exe = strings.TrimSuffix(exe, " (deleted)")
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", ppid))
	if err != nil {
		return exe, nil
	}
	line = strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
	if len(line) == 1 {
		// Chromium's processes write their title over it, with spaces.
		line = strings.Fields(line[0])
	}
	return exe, line
}
