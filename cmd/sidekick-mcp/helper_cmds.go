package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// Bounds of the commands that talk to the helper.
const (
	askBound = 5 * time.Second
	// stopBound covers a managed browser that has to be killed.
	stopBound = 20 * time.Second
)

func newHelperCommand() *cobra.Command {
	var idle time.Duration
	var service serviceOptions
	c := &cobra.Command{
		Use:   "helper",
		Short: "Be the helper, which connects agents and browsers (started when needed)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if idle <= 0 {
				return &usageError{cmd, fmt.Errorf("--idle is %v, and has to be more than 0, such as 10m", idle)}
			}
			if service.stay {
				return service.run(cmd.Context())
			}
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			if err := dirs.Ensure(); err != nil {
				return err
			}
			err = runHelper(cmd.Context(), dirs, version(), idle)
			if !errors.Is(err, ipc.ErrRunning) {
				return err
			}
			// Not an error: of many that are started at once, one stays.
			if isTerminal(os.Stdin) {
				fmt.Fprintln(cmd.ErrOrStderr(), "A helper is running already.")
			}
			return nil
		},
	}
	c.Flags().DurationVar(&idle, "idle", helper.DefaultIdle, "how long to stay when nobody is connected")
	service.flags(c)
	return c
}

func newNativeHostCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "native-host",
		Short:  "Be the native messaging host, as a browser starts it",
		Hidden: true,
		Args:   cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			if code := runNativeHost(dirs, version(), args); code != 0 {
				return exitCode(code)
			}
			return nil
		},
	}
}

// notify tells the running helper, if there is one, that the list of pairings
// has changed.
func notify(ctx context.Context, dirs paths.Dirs) error {
	ctx, cancel := context.WithTimeoutCause(ctx, askBound, fmt.Errorf("it did not answer within %v", askBound))
	defer cancel()
	return helper.NotifyPairings(ctx, dirs)
}
