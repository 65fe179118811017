//go:build !windows

package launch

import (
	"os"
	"os/exec"
)

// give hands the pipes to cmd: the browser reads its file descriptor 3 and
// writes 4; it does not know of 5 and 6.
func (d *devtools) give(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{d.childR, d.childW, d.w, d.r}
}
