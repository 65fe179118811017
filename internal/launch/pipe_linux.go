package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// reopenDevtools opens our ends of the pipes of a browser that an earlier helper
// has started: the browser holds them too.
func reopenDevtools(p process) (*devtools, error) {
	open := func(fd, flag int) (*os.File, error) {
		name := fmt.Sprintf("/proc/%d/fd/%d", p.PID, fd)
		if target, err := os.Readlink(name); err != nil || !strings.HasPrefix(target, "pipe:") {
			return nil, errors.New("the browser's debugging pipe is not to be found")
		}
		return os.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	}
	d := new(devtools)
	var err error
	if d.w, err = open(ourWriteEnd, os.O_WRONLY); err != nil {
		return nil, err
	}
	if d.r, err = open(ourReadEnd, os.O_RDONLY); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}
