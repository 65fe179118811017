package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer/userservice"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/logs"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// serviceOptions are how the helper runs as the user's service.
type serviceOptions struct {
	stay, detach bool
	home         string
}

func (o *serviceOptions) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.stay, "stay", false, "stay until it is stopped, in place of a helper that was started on demand (for the user service)")
	c.Flags().BoolVar(&o.detach, "detach", false, "with --stay: start the helper as a process of its own")
	c.Flags().StringVar(&o.home, "home", "", "with --stay: what SIDEKICK_HOME is to be")
	for _, name := range []string{"detach", "home"} {
		if err := c.Flags().MarkHidden(name); err != nil {
			panic(err) // the flags just made
		}
	}
}

// placeTries bounds how often the service tries to get the place of the helper:
// others may start one on demand just as it is free.
const placeTries = 5

// run is the helper as the user's service.
func (o *serviceOptions) run(ctx context.Context) error {
	if o.home != "" {
		if err := os.Setenv("SIDEKICK_HOME", o.home); err != nil {
			return err
		}
	}
	dirs, err := paths.Default()
	if err != nil {
		return err
	}
	if err := dirs.Ensure(); err != nil {
		return err
	}
	// launchd appends to it, again and again of one that fails to start.
	serviceLog := userservice.Log(filepath.Dir(dirs.Log()))
	if err := logs.Cut(serviceLog); err != nil {
		fmt.Fprintf(os.Stderr, "sidekick-mcp: %s cannot be cut short: %v\n", serviceLog, err)
	}
	if o.detach {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		return ipc.StartHelper(ctx, exe, dirs, "--stay")
	}
	for range placeTries {
		switch err := helper.TakeOver(ctx, dirs, version()); {
		case errors.Is(err, helper.ErrNewerRuns):
			fmt.Fprintf(os.Stderr, "sidekick-mcp: %v: the service leaves it its place\n", err)
			return nil
		case err != nil:
			return err
		}
		err = runHelper(ctx, dirs, version(), math.MaxInt64*time.Nanosecond)
		if !errors.Is(err, ipc.ErrRunning) {
			return err
		}
	}
	// Not an error: there is a helper, and it is this version's.
	fmt.Fprintln(os.Stderr, "sidekick-mcp: a helper that was started on demand is quicker each time: the service leaves it its place")
	return nil
}
