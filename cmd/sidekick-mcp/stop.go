package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func newStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the helper and the managed browser",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			late := fmt.Errorf("not all had ended after %v: run \"sidekick-mcp doctor --fix\", or end it by force", stopBound)
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), stopBound, late)
			defer cancel()
			told, err := stop(ctx, dirs)
			if err != nil {
				return fmt.Errorf("stopping Sidekick: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), told)
			return err
		},
	}
}

// stop ends what runs, and says what that was.
func stop(ctx context.Context, dirs paths.Dirs) (told string, err error) {
	err = helper.Stop(ctx, dirs)
	if errors.Is(err, cause.HelperHung) {
		for _, p := range doctor.Helpers(dirs) {
			err = fmt.Errorf("%w; or end it by force: kill -9 %d (%s)", err, p.PID, p.Program)
		}
	}
	if !errors.Is(err, helper.ErrNotRunning) {
		return "Sidekick's helper has ended, and its managed browser with it.", err
	}
	// One that has lost its socket hears of nothing.
	lost := doctor.Helpers(dirs)
	if len(lost) == 0 {
		return "Sidekick's helper and its managed browser are not running.", nil
	}
	for _, p := range lost {
		if err := doctor.EndHelper(ctx, dirs, p.PID); err != nil {
			return "", fmt.Errorf("the helper (process %d, %s) has lost its socket: %w; end it by force: kill -9 %d", p.PID, p.Program, err, p.PID)
		}
	}
	// What it had started, and its lock.
	if err := helper.Stop(ctx, dirs); err != nil && !errors.Is(err, helper.ErrNotRunning) {
		return "", err
	}
	return fmt.Sprintf("Sidekick's helper, which had lost its socket (process %d), has ended, and its managed browser with it.", lost[0].PID), nil
}

// lostHelper returns an error if a helper lives that nobody can reach. One that
// is just starting or ending has no socket either, so it is given time.
func lostHelper(ctx context.Context, dirs paths.Dirs) error {
	found := doctor.Helpers(dirs)
	if len(found) == 0 {
		return nil
	}
	if doctor.Gone(ctx, found[0].PID) {
		return nil
	}
	why := fmt.Sprintf(" (process %d, %s)", found[0].PID, found[0].Program)
	return cause.HelperHung.About(why, "its socket is gone")
}
