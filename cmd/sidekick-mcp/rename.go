package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW-NAME",
		Short: "Give a pairing another name; its tab groups follow",
		Args:  named("NAME", "NEW-NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, store, err := openStore()
			if err != nil {
				return err
			}
			p, err := store.Rename(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			if err := notify(cmd.Context(), dirs); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "sidekick-mcp: the running helper could not be told, so its tab groups keep the old name until it ends: %v\n", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The pairing is called %q now.\n", p.Name)
			return err
		},
	}
}
