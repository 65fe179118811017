package pairing

import (
	"context"
	"errors"
)

// Probe asks the system's keyring for something that it does not have. It
// returns nil if the keyring answers, and waits no longer than any other call
// does. Nothing is kept or changed; one that is locked may ask its user to
// unlock it.
func (s *Secrets) Probe(ctx context.Context) error {
	_, err := s.ring.get(ctx, "probe")
	if errors.Is(err, ErrNoSecret) {
		return nil
	}
	return err
}
