package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/pairing"
)

func newRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "End a pairing's right to the browser, at once and for good",
		Args:  named("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			dirs, store, err := openStore()
			if err != nil {
				return err
			}
			p, err := store.Find(ctx, args[0])
			if err != nil {
				return err
			}
			// By its id: nothing else may have got the name meanwhile.
			if p, err = store.Revoke(ctx, p.ID); err != nil {
				return err
			}
			if err := notify(ctx, dirs); err != nil {
				return fmt.Errorf("the pairing %q is revoked, but its agents that are connected now may stay so, for the running helper could not be told (%w): run \"sidekick-mcp stop\"", p.Name, err)
			}
			if p.InKeyring {
				if err := pairing.OpenSecrets(store, dirs.KeyFile()).ForgetToken(ctx, p.ID); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "sidekick-mcp: the token, which is of no use any more, is still in the keyring: %v\n", err)
				}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The pairing %q is revoked: its token opens nothing any more.\n", p.Name)
			return err
		},
	}
}
