package doctor

import (
	"golang.org/x/sys/windows"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// helpers cannot be told here: no process says which files it holds open.
func helpers(paths.Dirs) (pids []int, known bool) { return nil, false }

// surely has nothing to ask: internal/ipc has found the pipe to be this user's.
func surely(paths.Dirs, int) error { return nil }

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

// programOf is not asked for: no process is found here.
func programOf(int) string { return "sidekick-mcp" }
