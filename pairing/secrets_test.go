package pairing

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeRing is a keyring in memory. err, when set, is what each call returns;
// hang makes them wait until it is closed.
type fakeRing struct {
	mu      sync.Mutex
	secrets map[string]string
	err     error
	hang    chan struct{}
}

func (f *fakeRing) call(do func() error) error {
	if f.hang != nil {
		<-f.hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	return do()
}

func (f *fakeRing) Get(name string) (secret string, err error) {
	err = f.call(func() error {
		s, ok := f.secrets[name]
		if !ok {
			return ErrNoSecret
		}
		secret = s
		return nil
	})
	return secret, err
}

func (f *fakeRing) Set(name, secret string) error {
	return f.call(func() error {
		if f.secrets == nil {
			f.secrets = map[string]string{}
		}
		f.secrets[name] = secret
		return nil
	})
}

func (f *fakeRing) Delete(name string) error {
	return f.call(func() error {
		if _, ok := f.secrets[name]; !ok {
			return ErrNoSecret
		}
		delete(f.secrets, name)
		return nil
	})
}

func newSecrets(t *testing.T, ring Keyring) *Secrets {
	t.Helper()
	s, _ := newStore(t)
	sec := OpenSecrets(s, filepath.Join(filepath.Dir(s.File()), "key"))
	sec.ring.ring = ring
	return sec
}

func TestSigningKeyInTheKeyring(t *testing.T) {
	sec := newSecrets(t, &fakeRing{})
	key, where, err := sec.SigningKey(t.Context())
	if err != nil || where != InKeyring || len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Fatalf("got %x in %q, %v", key, where, err)
	}
	again, where, err := sec.SigningKey(t.Context())
	if err != nil || where != InKeyring || !bytes.Equal(again, key) {
		t.Errorf("then %x in %q, %v; want %x", again, where, err, key)
	}
	if _, err := os.Stat(sec.keyFile); err == nil {
		t.Error("a key file was made as well")
	}
}

func TestSigningKeyWithoutKeyring(t *testing.T) {
	ring := &fakeRing{err: errors.New(`exec: "dbus-launch": executable file not found in $PATH`)}
	sec := newSecrets(t, ring)
	key, where, err := sec.SigningKey(t.Context())
	if err != nil || where != InFile || len(key) != 32 {
		t.Fatalf("got %x in %q, %v", key, where, err)
	}
	info, err := os.Stat(sec.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key file is %v, want 0600", info.Mode().Perm())
	}
	// A process that does reach the keyring has the same key.
	ring.err = nil
	again, where, err := sec.SigningKey(t.Context())
	if err != nil || where != InFile || !bytes.Equal(again, key) {
		t.Errorf("then %x in %q, %v; want %x", again, where, err, key)
	}
}

func TestSigningKeyFileDamaged(t *testing.T) {
	sec := newSecrets(t, &fakeRing{})
	if err := os.MkdirAll(filepath.Dir(sec.keyFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sec.keyFile, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := sec.SigningKey(t.Context()); err == nil || !strings.Contains(err.Error(), sec.keyFile) {
		t.Errorf("got %v, want an error with the file's name", err)
	}
}

func TestProcessesAgreeOnTheSigningKey(t *testing.T) {
	for _, ring := range []*fakeRing{{}, {err: errors.New("no keyring")}} {
		first := newSecrets(t, ring)
		keys := make([][]byte, 8)
		var wg sync.WaitGroup
		for i := range keys {
			wg.Go(func() {
				sec := OpenSecrets(first.store, first.keyFile)
				sec.ring.ring = ring
				var err error
				if keys[i], _, err = sec.SigningKey(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, key := range keys {
			if !bytes.Equal(key, keys[0]) {
				t.Errorf("keys %x and %x", key, keys[0])
			}
		}
	}
}

func TestResolveToken(t *testing.T) {
	ring := &fakeRing{}
	sec := newSecrets(t, ring)
	p, tok := add(t, sec.store, "FrogBot")
	env, err := sec.KeepToken(t.Context(), p.ID, tok)
	if err != nil || env != "keyring:"+p.ID {
		t.Fatalf("got %q, %v", env, err)
	}
	if p, err := sec.store.Find(t.Context(), p.ID); err != nil || !p.InKeyring {
		t.Errorf("the list does not say where the token is: %+v, %v", p, err)
	}
	for _, env := range []string{env, "keyring:FrogBot", " keyring: frogbot ", tok.Reveal()} {
		if got, err := sec.ResolveToken(t.Context(), env); err != nil || strings.TrimSpace(got) != tok.Reveal() {
			t.Errorf("%q: got %v", env, err)
		}
	}
	for _, same := range []string{"", "skt_x", "keyringFrogBot"} {
		if got, err := sec.ResolveToken(t.Context(), same); err != nil || got != same {
			t.Errorf("%q: got %q, %v", same, got, err)
		}
	}
	fault := func(env string, want *Fault, text string) {
		t.Helper()
		got, err := sec.ResolveToken(t.Context(), env)
		if !errors.Is(err, want) || got != "" || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), env) {
			t.Errorf("%q: got %v, want %s with %q", env, err, want.Reason(), text)
		}
	}
	fault("keyring:Nobody", ErrUnknown, `no pairing with the name or id "Nobody"`)
	add(t, sec.store, "Plain")
	fault("keyring:Plain", ErrUnknown, `holds no token of the pairing "Plain"`)
	for range 2 {
		if err := sec.ForgetToken(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	}
	fault("keyring:FrogBot", ErrUnknown, "holds no token")
	if _, err := sec.store.Revoke(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	fault("keyring:FrogBot", ErrRevoked, "was revoked on")
	ring.err = errors.New("failed to unlock correct collection")
	fault("keyring:Plain", ErrKeyring, "failed to unlock")
	if _, err := sec.KeepToken(t.Context(), p.ID, tok); err == nil || !strings.Contains(err.Error(), "--keyring") {
		t.Errorf("KeepToken in a locked keyring: got %v", err)
	}
	if err := sec.ForgetToken(t.Context(), p.ID); err == nil {
		t.Error("ForgetToken in a locked keyring succeeded")
	}
}

// A keyring that waits for the user's password does not make an agent wait.
func TestKeyringThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := &fakeRing{hang: make(chan struct{})}
		sec := newSecrets(t, ring)
		add(t, sec.store, "FrogBot")
		began := time.Now()
		_, err := sec.ResolveToken(t.Context(), "keyring:FrogBot")
		if !errors.Is(err, ErrKeyring) || !strings.Contains(err.Error(), "within 3s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != keyringWait {
			t.Errorf("it took %v, want %v", took, keyringWait)
		}
		if _, where, err := sec.SigningKey(t.Context()); err != nil || where != InFile {
			t.Errorf("the signing key: in %q, %v", where, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sec.ResolveToken(ctx, "keyring:FrogBot"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
		close(ring.hang) // so that the calls left behind end
	})
}
