package ipc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// StartHelper starts `exe helper args…` as a process of its own, which outlives
// this one, and does not wait for it: dial until it answers. What it says
// before its log is open, and its last words, go to dirs.Log().
func StartHelper(ctx context.Context, exe string, dirs paths.Dirs, args ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Not CommandContext: the helper is not to end with this call.
	cmd := exec.Command(exe, append([]string{"helper"}, args...)...)
	cmd.Env = HelperEnv(os.Environ())
	cmd.SysProcAttr = detached()
	// The folder where an agent runs is not the helper's to keep busy.
	if err := dirs.Ensure(); err != nil {
		return err
	}
	cmd.Dir = dirs.State
	if os.MkdirAll(filepath.Dir(dirs.Log()), 0o700) == nil {
		log, err := os.OpenFile(dirs.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			defer log.Close()
			cmd.Stderr = log
		}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running %s helper: %w", exe, err)
	}
	// Reap it if it ends before us (as each but one of many started at once
	// does), else it stays as a zombie for as long as this process lives. This
	// goroutine ends with the helper or with the process, whichever is first.
	go cmd.Wait()
	return nil
}

// notTheHelpers are the environment variables that belong to the process which
// starts the helper alone: an agent's token, and the mark of the managed
// browser's processes (internal/launch), whose native host may start it.
var notTheHelpers = []string{"SIDEKICK_TOKEN", "SIDEKICK_MANAGED_PROFILE", ServiceEnv}

// ServiceEnv says in the helper's environment that a service manager runs it,
// and which. It is not for what the helper starts.
const ServiceEnv = "SIDEKICK_SERVICE"

// HelperEnv is env as the helper, and the browsers that it starts, get it:
// without what belongs to another process alone.
func HelperEnv(env []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(notTheHelpers, func(s string) bool { return strings.EqualFold(s, name) }) {
			kept = append(kept, kv)
		}
	}
	return kept
}
