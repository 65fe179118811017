//go:build unix

package doctor

import (
	"errors"
	"syscall"
)

// terminate asks a process to end. One that was stopped is continued, or it
// would not hear of it.
func terminate(pid int) error {
	err := syscall.Kill(pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return errors.Join(err, ignoreGone(syscall.Kill(pid, syscall.SIGCONT)))
}

func kill(pid int) error { return ignoreGone(syscall.Kill(pid, syscall.SIGKILL)) }

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
