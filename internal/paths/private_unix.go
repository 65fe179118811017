//go:build unix

package paths

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// userID tells users of one machine apart.
func userID() string { return strconv.Itoa(os.Getuid()) }

// checkOurs refuses a folder of somebody else and one that anybody may write to.
func checkOurs(dir string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder: move it away, Sidekick needs its place", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("the folder %s belongs to another user (uid %d), so it is not safe to use: remove it, or set SIDEKICK_HOME to a folder of your own", dir, st.Uid)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("everybody may write to the folder %s, so it is not safe to use: run \"chmod 700\" on it, or \"sidekick-mcp doctor --fix\", or set SIDEKICK_HOME to a folder of your own", dir)
	}
	return nil
}

// closeToOthers takes everybody else's rights to a folder of ours away.
func closeToOthers(dir string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("other users may enter the folder %s, and that cannot be changed: %w", dir, err)
	}
	return nil
}
