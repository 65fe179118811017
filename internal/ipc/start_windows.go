package ipc

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// detached gives the helper no console and a process group of its own, and
// takes it out of the agent host's job object where that one allows it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}
