package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
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
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), stopBound, fmt.Errorf("not all had ended after %v", stopBound))
			defer cancel()
			told := "Sidekick's helper has ended, and its managed browser with it."
			switch err := helper.Stop(ctx, dirs); {
			case errors.Is(err, helper.ErrNotRunning):
				told = "Sidekick's helper and its managed browser are not running."
			case err != nil:
				return fmt.Errorf("stopping Sidekick: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), told)
			return err
		},
	}
}

// statusReport is what status --json prints.
type statusReport struct {
	Running bool `json:"running"`
	wire.Status
}

func newStatusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show which agents and browsers are connected",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), askBound, fmt.Errorf("it did not answer within %v", askBound))
			defer cancel()
			r := statusReport{Running: true}
			r.Status, err = helper.Status(ctx, dirs)
			if errors.Is(err, helper.ErrNotRunning) {
				r, err = statusReport{}, nil
			}
			if err != nil {
				return fmt.Errorf("asking the helper: %w", err)
			}
			if r.Agents == nil {
				r.Agents = []wire.AgentStatus{}
			}
			if r.Browsers == nil {
				r.Browsers = []wire.BrowserStatus{}
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), r)
			}
			return r.print(cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (r statusReport) print(out io.Writer) error {
	if !r.Running {
		_, err := fmt.Fprintln(out, "The helper is not running. It is started when an agent or a browser needs it.")
		return err
	}
	up := (time.Duration(r.UptimeMS) * time.Millisecond).Round(time.Second)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "The helper %s is running (process %d, for %v).\n", r.Version, r.PID, up)
	if len(r.Agents) == 0 {
		fmt.Fprintln(w, "No agent is connected.")
	} else {
		fmt.Fprintln(w, "\nAGENT\tCLIENT\tPROCESS\tCONNECTED")
	}
	for _, a := range r.Agents {
		// The client's name is whatever a program called itself.
		fmt.Fprintf(w, "%q\t%q\t%d\t%s\n", a.Title, a.Client, a.PID, day(a.ConnectedAt))
	}
	if len(r.Browsers) == 0 {
		fmt.Fprintln(w, "No browser is connected.")
	} else {
		fmt.Fprintln(w, "\nBROWSER\tEXECUTABLE\tPROFILES IN\tSIDEKICK'S OWN")
	}
	for _, b := range r.Browsers {
		own := "no"
		if b.Managed {
			own = "yes"
		}
		fmt.Fprintf(w, "%q\t%s\t%s\t%s\n", b.Browser, unknown(b.Exe), unknown(b.UserDataDir), own)
	}
	return w.Flush()
}

func unknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// notify tells the running helper, if there is one, that the list of pairings
// has changed.
func notify(ctx context.Context, dirs paths.Dirs) error {
	ctx, cancel := context.WithTimeoutCause(ctx, askBound, fmt.Errorf("it did not answer within %v", askBound))
	defer cancel()
	return helper.NotifyPairings(ctx, dirs)
}
