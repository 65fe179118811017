package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func newInstallCommand() *cobra.Command {
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Tell the browsers on this computer where Sidekick is",
		Long: "install writes a native messaging manifest for each browser of the Chromium family that is\n" +
			"here, so that the Sidekick extension can start this program. Do it again after this program\n" +
			"was moved.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := installOptions(dryRun)
			if err != nil {
				return err
			}
			changes, err := installer.Install(cmd.Context(), opts)
			return errors.Join(printChanges(cmd.OutOrStdout(), changes, asJSON, wording{"wrote", "would write", "nothing to do"}, dryRun), err)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing, and say what would be changed")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func newUninstallCommand() *cobra.Command {
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Take back what install has done",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := installOptions(dryRun)
			if err != nil {
				return err
			}
			changes, err := installer.Uninstall(cmd.Context(), opts)
			return errors.Join(printChanges(cmd.OutOrStdout(), changes, asJSON, wording{"removed", "would remove", "nothing to remove"}, dryRun), err)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing, and say what would be changed")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func installOptions(dryRun bool) (installer.Options, error) {
	dirs, err := paths.Default()
	if err != nil {
		return installer.Options{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return installer.Options{}, fmt.Errorf("finding this program's own file: %w", err)
	}
	return installer.Options{Binary: self, ExtensionID: extension.ID, StateDir: dirs.State, DryRun: dryRun}, nil
}

// wording is how a command tells what it did.
type wording struct{ did, would, nothing string }

func printChanges(out io.Writer, changes []installer.Change, asJSON bool, w wording, dryRun bool) error {
	if asJSON {
		if changes == nil {
			changes = []installer.Change{}
		}
		return writeJSON(out, map[string]any{"changes": changes, "dry_run": dryRun})
	}
	verb := w.did
	if dryRun {
		verb = w.would
	}
	var b strings.Builder
	for _, c := range changes {
		if !c.Done {
			fmt.Fprintf(&b, "%s: is right already (%s)\n", c.Place, strings.Join(c.Browsers, ", "))
			continue
		}
		fmt.Fprintf(&b, "%s %s", verb, c.Place)
		if len(c.Browsers) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(c.Browsers, ", "))
		}
		b.WriteString("\n")
	}
	if len(changes) == 0 {
		fmt.Fprintln(&b, w.nothing)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
