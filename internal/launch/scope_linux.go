package launch

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
)

// scopeBound is how long the user's systemd may take to make a scope.
const scopeBound = 3 * time.Second

// inScope has a browser that the helper starts as systemd's service run in a
// scope of its own: else it would count against the service's memory, and be
// taken for a part of it. systemd-run becomes the browser in the same process,
// with the same open files. Where it cannot, the browser runs as it is.
func inScope(cmd *exec.Cmd) {
	if os.Getenv(ipc.ServiceEnv) != "systemd" {
		return
	}
	run, err := exec.LookPath("systemd-run")
	if err != nil {
		return
	}
	scope := []string{run, "--user", "--scope", "--quiet", "--collect", "--"}
	ctx, cancel := context.WithTimeout(context.Background(), scopeBound)
	defer cancel()
	if exec.CommandContext(ctx, run, append(scope[1:], "true")...).Run() != nil {
		return
	}
	cmd.Args = slices.Concat(scope, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = run
}
