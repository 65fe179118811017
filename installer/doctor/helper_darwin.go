package doctor

import "github.com/frogbotai/sidekick-mcp/internal/paths"

// helpers cannot be told here: no process says which files it holds open.
func helpers(paths.Dirs) (pids []int, known bool) { return nil, false }

// surely has nothing to ask: the socket lies in a folder that is this user's
// alone, and nothing but a helper of ours listens on it.
func surely(paths.Dirs, int) error { return nil }

// programOf is not asked for: no process is found here.
func programOf(int) string { return "sidekick-mcp" }
