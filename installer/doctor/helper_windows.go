package doctor

import (
	"context"
	"net"

	"golang.org/x/sys/windows"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// peerPID is the process that made the pipe.
func peerPID(nc net.Conn) int {
	f, ok := nc.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	var pid uint32
	if windows.GetNamedPipeServerProcessId(windows.Handle(f.Fd()), &pid) != nil {
		return 0
	}
	return int(pid)
}

// helpers cannot be told here: no process says which files it holds open.
func helpers(paths.Dirs) (pids []int, known bool) { return nil, false }

// endHelper ends the process that made the pipe, which internal/ipc has found
// to be this user's.
func endHelper(ctx context.Context, _ paths.Dirs, pid int) error { return end(ctx, pid) }

// terminate has no gentle way with a process without a window.
func terminate(int) error { return nil }

func kill(pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.TerminateProcess(h, 1)
}

// endLeftOver meets nothing here, where such a helper is not found.
func endLeftOver(ctx context.Context, _ paths.Dirs, pid int) error { return force(ctx, pid) }
