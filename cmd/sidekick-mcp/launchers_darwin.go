package main

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"
)

// watchExits calls gone when one of the processes ends, or has ended. kqueue(2)
// tells of it (EVFILT_PROC, NOTE_EXIT); the thread that waits ends with this
// process.
func watchExits(_ context.Context, pids []int, gone func()) {
	queue, err := unix.Kqueue()
	if err != nil {
		return // there is still the end of stdin
	}
	watched := false
	for _, pid := range pids {
		change := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
		_, err := unix.Kevent(queue, []unix.Kevent_t{change}, nil, nil)
		if errors.Is(err, unix.ESRCH) {
			gone()
			return
		}
		watched = watched || err == nil
	}
	if !watched {
		unix.Close(queue)
		return
	}
	go func() {
		events := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(queue, nil, events, nil)
			if n > 0 {
				gone()
				return
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
		}
	}()
}

// behindShell is for shells that stay between npm and this program; macOS's
// becomes the program.
func behindShell(int, string) int { return 0 }
