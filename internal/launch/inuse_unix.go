//go:build !windows

package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// inUse reports whether a browser runs that uses a folder of profiles. Chromium
// keeps a link in it whose target is "<host name>-<process id>".
func inUse(userDataDir string) bool {
	target, err := os.Readlink(filepath.Join(userDataDir, "SingletonLock"))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(target[strings.LastIndexByte(target, '-')+1:])
	return err == nil && pid > 0 && syscall.Kill(pid, 0) == nil
}
