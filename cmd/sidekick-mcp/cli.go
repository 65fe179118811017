package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// Exit codes of the commands.
const (
	exitFailed = 1
	exitUsage  = 2 // the command line makes no sense
)

// usageError is what is wrong with a command line.
type usageError struct {
	cmd *cobra.Command
	err error
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v (see \"%s --help\")", e.err, e.cmd.CommandPath())
}

func (e *usageError) Unwrap() error { return e.err }

// exitCode is the error of a part that has said itself what is wrong.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// runCommand runs one command of the command line.
func runCommand(args []string) int {
	ctx, stop := signals()
	defer stop()
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(os.Stdout)
	root.SetErr(os.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	complain(err)
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "sidekick-mcp",
		Short: "Let AI agents use your own Chrome, each in a tab group of its own",
		Long: "Sidekick lets AI agents use your own Chrome, each in a tab group of its own.\n\n" +
			"Without a command this program is an MCP server over stdio: an agent's host starts it,\n" +
			"with a token in SIDEKICK_TOKEN. To begin, make one: sidekick-mcp pair --name NAME",
		SilenceUsage:  true,
		SilenceErrors: true,
		// Runs for a command that there is not.
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			err := fmt.Errorf("there is no command %q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				err = fmt.Errorf("there is no command %q; did you mean %q?", args[0], near[0])
			}
			return &usageError{cmd, err}
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &usageError{cmd, err} })
	root.AddCommand(
		newDoctorCommand(), newLogsCommand(),
		newPairCommand(), newPairingsCommand(), newRenameCommand(), newRevokeCommand(), newEvaluateCommand(),
		newConfigCommand(),
		newInstallCommand(), newUninstallCommand(), newStatusCommand(), newStopCommand(),
		newDemoCommand(), newHelperCommand(), newNativeHostCommand(), newVersionCommand(),
	)
	for _, c := range root.Commands() {
		c.Args = usage(c.Args)
	}
	return root
}

// usage makes what a check of arguments finds an error of usage.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return &usageError{cmd, err}
		}
		return nil
	}
}

// named checks that there is one argument for each name, and says which is
// missing.
func named(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return fmt.Errorf("%s is missing", names[len(args)])
		}
		if len(args) > len(names) {
			return fmt.Errorf("%q is one argument too many (put quotes around a name with spaces)", args[len(names)])
		}
		return nil
	}
}

// openStore opens the user's list of pairings.
func openStore() (paths.Dirs, *pairing.Store, error) {
	dirs, err := paths.Default()
	if err != nil {
		return paths.Dirs{}, nil, err
	}
	return dirs, pairing.Open(dirs.Pairings()), nil
}

// writeJSON prints one object for programs.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
