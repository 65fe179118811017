package main

import (
	"context"
	"errors"

	"golang.org/x/sys/windows"
)

// watchExits calls gone when one of the processes ends, or has ended. Node ends
// what it started itself with it, by a job object; npx starts the launcher
// through cmd.exe, which is what this is for. The thread that waits ends with
// this process.
func watchExits(_ context.Context, pids []int, gone func()) {
	var handles []windows.Handle
	for _, pid := range pids {
		h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
		if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // there is no such process
			gone()
			return
		}
		if err == nil {
			handles = append(handles, h)
		}
	}
	if len(handles) == 0 {
		return // there is still the end of stdin
	}
	go func() {
		event, err := windows.WaitForMultipleObjects(handles, false, windows.INFINITE)
		if err == nil && event < windows.WAIT_OBJECT_0+uint32(len(handles)) {
			gone()
		}
	}()
}

// behindShell is for shells that outlive npm; cmd.exe ends with it, by Node's
// job object.
func behindShell(int, string) int { return 0 }
