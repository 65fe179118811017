//go:build !windows

package ipc

import "syscall"

// detached gives the helper a session of its own: neither a closed terminal
// nor the end of the agent host's process group reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
