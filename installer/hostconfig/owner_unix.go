//go:build unix

package hostconfig

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner returns an error if the file is somebody else's: replacing it would
// make it ours.
func checkOwner(name string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user: change it as that user", name)
	}
	return nil
}

// readableByOthers reports whether a file with these rights can be read by other
// users.
func readableByOthers(mode fs.FileMode) bool { return mode&0o044 != 0 }
