//go:build !windows

package launch

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// The browser's file descriptors: it reads the first and writes the second, and
// does not know of the others, which are our ends.
const (
	browserReads = 3 + iota
	browserWrites
	ourWriteEnd
	ourReadEnd
)

// give hands the pipes to cmd.
func (d *devtools) give(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{
		browserReads - 3:  d.childR,
		browserWrites - 3: d.childW,
		ourWriteEnd - 3:   d.w,
		ourReadEnd - 3:    d.r,
	}
}

// unblock makes closing our ends end a call under way. Handing them to a
// process has made them files that block.
func (d *devtools) unblock() error {
	for _, f := range []**os.File{&d.r, &d.w} {
		raw, err := (*f).SyscallConn()
		if err != nil {
			return err
		}
		var fd int
		var dupErr error
		if err := raw.Control(func(old uintptr) {
			// No process is started before the copy is one's own.
			syscall.ForkLock.RLock()
			defer syscall.ForkLock.RUnlock()
			if fd, dupErr = syscall.Dup(int(old)); dupErr == nil {
				syscall.CloseOnExec(fd)
				dupErr = syscall.SetNonblock(fd, true)
			}
		}); err != nil {
			return err
		}
		if dupErr != nil {
			return fmt.Errorf("making a pipe for the browser: %w", dupErr)
		}
		name := (*f).Name()
		(*f).Close()
		*f = os.NewFile(uintptr(fd), name)
	}
	return nil
}
