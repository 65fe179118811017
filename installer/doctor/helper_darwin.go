package doctor

import (
	"context"
	"net"

	"golang.org/x/sys/unix"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// peerPID is the process that listens at the other end of a Unix socket.
func peerPID(nc net.Conn) int {
	u, ok := nc.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	if err := raw.Control(func(fd uintptr) {
		if p, err := unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
			pid = p
		}
	}); err != nil {
		return 0
	}
	return pid
}

// helpers cannot be told here: no process says which files it holds open.
func helpers(paths.Dirs) (pids []int, known bool) { return nil, false }

// endHelper ends the process that listens on the socket, which lies in a folder
// that is this user's alone: nothing but a helper of ours does.
func endHelper(ctx context.Context, _ paths.Dirs, pid int) error { return end(ctx, pid) }

// endLeftOver meets nothing here, where such a helper is not found.
func endLeftOver(ctx context.Context, _ paths.Dirs, pid int) error { return force(ctx, pid) }
