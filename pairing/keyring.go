package pairing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// Keyring keeps secrets for the user, each under a name.
type Keyring interface {
	// Get returns [ErrNoSecret] for a name that nothing is kept under.
	Get(name string) (string, error)
	Set(name, secret string) error
	// Delete returns [ErrNoSecret] likewise.
	Delete(name string) error
}

// ErrNoSecret says that a keyring works and has nothing under a name.
var ErrNoSecret = errors.New("the keyring has no such secret")

// keyringService is what all our secrets are filed under.
const keyringService = "ai.frogbot.sidekick"

// keyringWait bounds a call of the keyring: a locked one waits for the user to
// type a password, for as long as that takes.
const keyringWait = 3 * time.Second

// systemKeyring is the Secret Service, the macOS keychain or the Windows
// credential manager.
type systemKeyring struct{}

func (systemKeyring) Get(name string) (string, error) {
	secret, err := keyring.Get(keyringService, name)
	return secret, noSecret(err)
}

func (systemKeyring) Set(name, secret string) error {
	return keyring.Set(keyringService, name, secret)
}

func (systemKeyring) Delete(name string) error {
	return noSecret(keyring.Delete(keyringService, name))
}

func noSecret(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNoSecret
	}
	return err
}

// patient calls a keyring and waits no longer than the user of an agent would.
type patient struct {
	ring Keyring
	wait time.Duration
}

func (p patient) get(ctx context.Context, name string) (string, error) {
	return bounded(ctx, p.wait, func() (string, error) { return p.ring.Get(name) })
}

func (p patient) set(ctx context.Context, name, secret string) error {
	_, err := bounded(ctx, p.wait, func() (struct{}, error) { return struct{}{}, p.ring.Set(name, secret) })
	return err
}

func (p patient) delete(ctx context.Context, name string) error {
	_, err := bounded(ctx, p.wait, func() (struct{}, error) { return struct{}{}, p.ring.Delete(name) })
	return err
}

// bounded runs f and waits for it, but not for ever. The keyring's calls know
// no context, so one that hangs is left behind with its goroutine; a process
// makes few of these calls, and none after one that failed.
func bounded[T any](ctx context.Context, wait time.Duration, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	ch := make(chan answer, 1)
	go func() {
		v, err := f()
		ch <- answer{v, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var zero T
	select {
	case a := <-ch:
		return a.value, a.err
	case <-timer.C:
		return zero, fmt.Errorf("the keyring did not answer within %v; it may be locked", wait)
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}
