package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// startOf tells when a process started, in microseconds since 1970. A zombie
// counts as gone.
func startOf(pid int) (string, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	if k.Proc.P_stat == zombie || int(k.Proc.P_pid) != pid {
		return "", os.ErrProcessDone
	}
	return fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec), nil
}

// descendants are the processes that pid has started, those that they have, and
// the rest of its process group: Chromium's crash handler is nobody's child.
func descendants(pid int) []process {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var found family
	for i := range all {
		found.add(int(all[i].Proc.P_pid), int(all[i].Eproc.Ppid), int(all[i].Eproc.Pgid))
	}
	return found.of(pid)
}
