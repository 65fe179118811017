package launch

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// give hands the pipes to cmd: the browser is told the handles of its two in a
// flag; it does not know of the others.
func (d *devtools) give(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	for _, f := range []*os.File{d.childR, d.childW, d.w, d.r} {
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(f.Fd()))
	}
	// First, before the URL: what follows a URL is not read as a flag.
	cmd.Args = slices.Insert(cmd.Args, 1, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", d.childR.Fd(), d.childW.Fd()))
}

// unblock has nothing to do: a call that is under way here ends with the
// browser.
func (d *devtools) unblock() error { return nil }
