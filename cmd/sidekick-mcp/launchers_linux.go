package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// watchExits calls gone when one of the processes ends, or has ended, until ctx
// is done. A pidfd is readable then (pidfd_open(2), Linux 5.3); the runtime
// waits for it beside all else, so no thread is kept. Older systems have only
// the end of stdin.
func watchExits(ctx context.Context, pids []int, gone func()) {
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) {
			gone()
			return
		}
		if err != nil {
			continue
		}
		// Which has the runtime wait for it; only Linux 5.10 opens one so.
		_ = unix.SetNonblock(fd, true)
		f := os.NewFile(uintptr(fd), "pidfd")
		context.AfterFunc(ctx, func() { f.Close() })
		go func() {
			raw, err := f.SyscallConn()
			if err != nil {
				return
			}
			// The first look may be before there is anything to see.
			err = raw.Read(func(fd uintptr) bool {
				n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
				return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
			})
			if err == nil {
				gone()
			}
		}()
	}
}

// behindShell is the npm that started a shell, and 0 if the process is no shell
// of npm's. Debian's sh stays and waits for the program (others become it), and
// outlives npm. Node is npm's own executable.
func behindShell(pid int, node string) int {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || exe == node {
		return 0
	}
	// The name, in brackets, may hold anything; then come state and parent
	// (proc_pid_stat(5)).
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", parent)); err != nil || exe != node {
		return 0
	}
	return parent
}
