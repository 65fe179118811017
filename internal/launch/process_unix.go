//go:build !windows

package launch

import "syscall"

// terminate asks a browser to end. Chromium takes SIGTERM for the end of the
// user's session, and leaves without removing its temporary folder; SIGINT makes
// it clean up.
func terminate(p process) { syscall.Kill(p.PID, syscall.SIGINT) }

func kill(p process) {
	if p.alive() {
		syscall.Kill(p.PID, syscall.SIGKILL)
	}
}

// detached gives a browser a session of its own, so that nothing that ends the
// helper ends it too.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
