package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newEvaluateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "evaluate NAME on|off",
		Short: "Give a pairing's agents the tool evaluate, or take it away",
		Long: "evaluate says whether a pairing's agents have the tool of that name, which runs scripts of\n" +
			"theirs in the pages of their tab groups. It holds from the next call on.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := named("NAME", "on or off")(cmd, args); err != nil {
				return err
			}
			if args[1] != "on" && args[1] != "off" {
				return fmt.Errorf("%q is neither on nor off", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, store, err := openStore()
			if err != nil {
				return err
			}
			p, err := store.SetEvaluate(cmd.Context(), args[0], args[1] == "on")
			if err != nil {
				return err
			}
			if err := notify(cmd.Context(), dirs); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "sidekick-mcp: it holds, but the running helper could not be told, so agents that are connected are not: %v\n", err)
			}
			said := "Agents of %q may use evaluate.\n"
			if p.NoEvaluate {
				said = "Agents of %q may not use evaluate: its next call is refused.\n"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), said, p.Name)
			return err
		},
	}
}
