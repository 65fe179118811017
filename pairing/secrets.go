package pairing

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"
)

// Where says where a secret is kept.
type Where string

const (
	InKeyring Where = "keyring" // the system's keyring
	InFile    Where = "file"    // the key file, for there is no keyring that works
)

// keyringPrefix in SIDEKICK_TOKEN says that the token is in the keyring, under
// the pairing that follows.
const keyringPrefix = "keyring:"

// Names of our secrets in the keyring.
const signingKeyName = "signing-key"

func tokenName(id string) string { return "token:" + id }

// Secrets are what the system's keyring holds for Sidekick: the key that signs
// what a client gives back to us, and the tokens that the user wants there.
// Its methods may be called by any number of goroutines.
type Secrets struct {
	store   *Store
	keyFile string
	ring    patient
}

// OpenSecrets returns the secrets that belong to a store. keyFile holds the
// signing key where there is no keyring. It touches neither of them.
func OpenSecrets(store *Store, keyFile string) *Secrets {
	return &Secrets{store: store, keyFile: keyFile, ring: patient{systemKeyring{}, keyringWait}}
}

// SigningKey returns the user's signing key, 32 bytes, and where it is kept,
// making one the first time.
//
// A key file is looked at first. All of a user's processes must have the same
// key, and not all of them can reach the keyring: agent hosts start some with
// hardly any environment. So once one of them had to make a file, that holds.
func (s *Secrets) SigningKey(ctx context.Context) ([]byte, Where, error) {
	if key, err := s.readKeyFile(); err != nil || key != nil {
		return key, InFile, err
	}
	if err := os.MkdirAll(filepath.Dir(s.keyFile), 0o700); err != nil {
		return nil, "", fmt.Errorf("the folder of the key file cannot be made: %w", err)
	}
	// Two processes that make a key at once must end with the same one.
	l := flock.New(s.keyFile + ".lock")
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := l.TryLockContext(wait, lockRetry); err != nil {
		return nil, "", fmt.Errorf("locking %s: %w", l.Path(), err)
	}
	defer l.Close()
	if key, err := s.readKeyFile(); err != nil || key != nil {
		return key, InFile, err
	}
	key, err := s.keyringKey(ctx)
	if err == nil {
		return key, InKeyring, nil
	}
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	key = newKey()
	if err := atomic.WriteFile(s.keyFile, strings.NewReader(hex.EncodeToString(key)+"\n")); err != nil {
		return nil, "", fmt.Errorf("the key file cannot be written: %w", err)
	}
	return key, InFile, nil
}

// keyringKey reads the key from the keyring, or makes one there.
func (s *Secrets) keyringKey(ctx context.Context) ([]byte, error) {
	text, err := s.ring.get(ctx, signingKeyName)
	if err == nil {
		if key, ok := parseKey(text); ok {
			return key, nil
		}
		// Nothing that a person keeps: replace it.
		err = ErrNoSecret
	}
	if !errors.Is(err, ErrNoSecret) {
		return nil, err
	}
	key := newKey()
	if err := s.ring.set(ctx, signingKeyName, hex.EncodeToString(key)); err != nil {
		return nil, err
	}
	return key, nil
}

// readKeyFile returns nil when there is no file.
func (s *Secrets) readKeyFile() ([]byte, error) {
	b, err := os.ReadFile(s.keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the key file cannot be read: %w", err)
	}
	key, ok := parseKey(string(bytes.TrimSpace(b)))
	if !ok {
		return nil, fmt.Errorf("the key file %s does not hold a key: remove it, and Sidekick makes a new one", s.keyFile)
	}
	return key, nil
}

func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
}

func parseKey(text string) ([]byte, bool) {
	key, err := hex.DecodeString(text)
	return key, err == nil && len(key) == 32
}

// KeepToken puts the token of the pairing with an id into the keyring, and
// returns what SIDEKICK_TOKEN is then to be set to. The list of pairings says
// from then on that it is there.
func (s *Secrets) KeepToken(ctx context.Context, id string, t Token) (env string, err error) {
	if err := s.ring.set(ctx, tokenName(id), t.Reveal()); err != nil {
		return "", fmt.Errorf("the keyring does not take the token (%w): unlock it, or leave out --keyring", err)
	}
	if err := s.store.setInKeyring(ctx, id); err != nil {
		return "", err
	}
	return keyringPrefix + id, nil
}

// ForgetToken removes the token of the pairing with an id from the keyring. It
// is no error when it was not there.
func (s *Secrets) ForgetToken(ctx context.Context, id string) error {
	if err := s.ring.delete(ctx, tokenName(id)); err != nil && !errors.Is(err, ErrNoSecret) {
		return fmt.Errorf("the keyring does not remove the token: %w", err)
	}
	return nil
}

// ResolveToken returns the token that the value of SIDEKICK_TOKEN stands for:
// the value itself, or for "keyring:NAME" (or an id) what the keyring holds.
// The error is a [Fault], unless the list of pairings cannot be read.
func (s *Secrets) ResolveToken(ctx context.Context, env string) (string, error) {
	ref, ok := strings.CutPrefix(strings.TrimSpace(env), keyringPrefix)
	if !ok {
		return env, nil
	}
	p, err := s.store.Find(ctx, strings.TrimSpace(ref))
	switch {
	case errors.Is(err, errRevokedPairing):
		return "", ErrRevoked.because("SIDEKICK_TOKEN is " + env + ", but " + err.Error() + ".")
	case errors.Is(err, ErrNoPairing):
		return "", ErrUnknown.because("SIDEKICK_TOKEN is " + env + ", but " + err.Error() + ".")
	case err != nil:
		return "", err
	}
	token, err := s.ring.get(ctx, tokenName(p.ID))
	switch {
	case err == nil:
		return token, nil
	case errors.Is(err, ErrNoSecret):
		return "", ErrUnknown.because(fmt.Sprintf("SIDEKICK_TOKEN is %s, but the keyring holds no token of the pairing %q: set SIDEKICK_TOKEN to the token itself, or make a new pairing with \"sidekick-mcp pair --name NAME --keyring\".", env, p.Name))
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", ErrKeyring.because(fmt.Sprintf("SIDEKICK_TOKEN is %s, but the keyring cannot be asked (%v): unlock it, or set SIDEKICK_TOKEN to a token.", env, err))
}
