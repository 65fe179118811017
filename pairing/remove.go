package pairing

import (
	"context"
	"slices"
)

// Remove takes the pairing with an id out of the list as if it had never been,
// without the note that a revoked one leaves. It is for a pairing that a
// program made for itself and whose token nobody else has seen. One that is not
// there is no error.
func (s *Store) Remove(ctx context.Context, id string) error {
	return s.change(ctx, func(doc *document) error {
		n := len(doc.Pairings)
		doc.Pairings = slices.DeleteFunc(doc.Pairings, func(r record) bool { return r.ID == id })
		if len(doc.Pairings) == n {
			return errUnchanged
		}
		return nil
	})
}
