package pairing

import (
	"context"
	"errors"
	"fmt"
)

// ForgetAll removes all that Sidekick keeps in the keyring: the tokens of the
// pairings that have one there, and the signing key. It returns how many
// secrets it removed. Without a keyring to ask that is none, and an error only
// if the list of pairings says that a token is in it.
func (s *Secrets) ForgetAll(ctx context.Context, dryRun bool) (removed int, err error) {
	pairings, err := s.store.List(ctx)
	if err != nil {
		return 0, err
	}
	var names []string
	for _, p := range pairings {
		if p.InKeyring {
			names = append(names, tokenName(p.ID))
		}
	}
	if dryRun {
		return len(names), nil
	}
	for _, name := range append(names, signingKeyName) {
		switch err := s.ring.delete(ctx, name); {
		case err == nil:
			removed++
		case errors.Is(err, ErrNoSecret):
		case len(names) > 0:
			// The others would be waited for as long.
			return removed, fmt.Errorf("the keyring does not remove Sidekick's secrets (%w): unlock it and try again, or remove what it has under %s", err, keyringService)
		default:
			return removed, nil
		}
	}
	return removed, nil
}
