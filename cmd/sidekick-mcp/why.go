package main

import (
	"context"

	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// why is what doctor would say of a browser that does not connect.
func why(ctx context.Context, dirs paths.Dirs, version string, t launch.Target) (cause.Cause, bool) {
	env, err := doctor.Host(dirs, version)
	if err != nil {
		return cause.Cause{}, false
	}
	return doctor.Why(ctx, env, t)
}
