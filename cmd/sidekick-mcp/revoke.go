package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/cache"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
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
			if err := forgetRevoked(ctx, dirs, store, p); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "sidekick-mcp: the pairing is revoked, but something of it is left: %v\n", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The pairing %q is revoked: its token opens nothing any more.\n", p.Name)
			return err
		},
	}
}

// forgetRevoked removes what is of no use after a pairing was revoked: what its
// handshakes were answered from, and its token in the keyring.
func forgetRevoked(ctx context.Context, dirs paths.Dirs, store *pairing.Store, p pairing.Pairing) error {
	err := cache.New(dirs.Cache).Remove(p.ID)
	if p.InKeyring {
		err = errors.Join(err, pairing.OpenSecrets(store, dirs.KeyFile()).ForgetToken(ctx, p.ID))
	}
	return err
}
