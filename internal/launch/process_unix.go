//go:build !windows

package launch

import "syscall"

// terminate asks a process to end.
func terminate(p process) { syscall.Kill(p.PID, syscall.SIGTERM) }

func kill(p process) {
	if p.alive() {
		syscall.Kill(p.PID, syscall.SIGKILL)
	}
}

// detached gives a browser a session of its own, so that nothing that ends the
// helper ends it too.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
