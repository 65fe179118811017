package doctor

import (
	"context"

	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// Process is a running helper.
type Process struct {
	PID     int
	Program string // its file, or what it calls itself
}

// Helpers are the helpers of a state folder that run, whether they have their
// socket or not; none where the system does not tell.
func Helpers(dirs paths.Dirs) []Process {
	pids, _ := helpers(dirs)
	var found []Process
	for _, pid := range pids {
		found = append(found, Process{pid, programOf(pid)})
	}
	return found
}

// Gone waits a little for a process to end by itself, and reports whether it has.
func Gone(ctx context.Context, pid int) bool {
	ctx, cancel := context.WithTimeout(ctx, politeBound)
	defer cancel()
	return launch.WaitGone(ctx, pid) == nil
}
