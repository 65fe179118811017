package pairing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a time that a test sets forward.
type clock struct{ now time.Time }

func newStore(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
	s := Open(filepath.Join(t.TempDir(), "state", "pairings.json"))
	s.now = func() time.Time { return c.now }
	return s, c
}

func add(t *testing.T, s *Store, name string) (Pairing, Token) {
	t.Helper()
	p, tok, err := s.Add(t.Context(), name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, tok
}

func TestAddAndAuthenticate(t *testing.T) {
	s, c := newStore(t)
	place := Place{Profile: "0123", Browser: "/usr/bin/chromium", UserDataDir: "/home/ada/.config/chromium", ProfileDir: "Default"}
	p, tok, err := s.Add(t.Context(), " FrogBot ", Options{Managed: true, Place: place})
	if err != nil {
		t.Fatal(err)
	}
	want := Pairing{ID: p.ID, Name: "FrogBot", Verifier: tok.verifier(), CreatedAt: c.now, Managed: true, Place: place}
	if p != want || !isHex(p.ID, 8) {
		t.Errorf("got %+v, want %+v", p, want)
	}
	other, _ := add(t, s, "Other")
	// Another process reads the same.
	got, err := Open(s.File()).Authenticate(t.Context(), tok.Reveal())
	if err != nil || got != want {
		t.Errorf("Authenticate: got %+v, %v; want %+v", got, err, want)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 || list[0] != want || list[1] != other {
		t.Errorf("List: got %+v, %v", list, err)
	}
	for _, key := range []string{"FrogBot", "frogbot", " FROGBOT ", p.ID} {
		if got, err := s.Find(t.Context(), key); err != nil || got != want {
			t.Errorf("Find(%q): got %+v, %v", key, got, err)
		}
	}
	b, err := os.ReadFile(s.File())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), tok.Reveal()[4:]) {
		t.Error("the token is in the file")
	}
}

func TestAuthenticateFaults(t *testing.T) {
	s, _ := newStore(t)
	unknown := func() {
		t.Helper()
		if _, err := s.Authenticate(t.Context(), NewToken().Reveal()); !errors.Is(err, ErrUnknown) {
			t.Errorf("an unknown token: got %v", err)
		}
	}
	unknown() // without a file
	p, tok := add(t, s, "FrogBot")
	unknown()
	mistyped := strings.Replace(tok.Reveal(), tok.Reveal()[20:21], "_", 1)
	if _, err := s.Authenticate(t.Context(), mistyped); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Authenticate(t.Context(), ""); !errors.Is(err, ErrMissing) {
		t.Errorf("no token: got %v", err)
	}
	if _, err := s.Revoke(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	_, err := s.Authenticate(t.Context(), tok.Reveal())
	if !errors.Is(err, ErrRevoked) || !strings.Contains(err.Error(), `"FrogBot"`) || !strings.Contains(err.Error(), "2026-07-01") {
		t.Errorf("a revoked token: got %v", err)
	}
}

func TestRevokeFreesTheName(t *testing.T) {
	s, _ := newStore(t)
	old, oldTok := add(t, s, "FrogBot")
	if p, err := s.Revoke(t.Context(), "frogbot"); err != nil || p.ID != old.ID || p.Live() {
		t.Fatalf("got %+v, %v", p, err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("List: got %+v, %v", list, err)
	}
	for _, key := range []string{"FrogBot", old.ID} {
		if _, err := s.Revoke(t.Context(), key); !errors.Is(err, ErrNoPairing) || !strings.Contains(err.Error(), "was revoked on 2026-07-01") {
			t.Errorf("revoking %s again: got %v", key, err)
		}
	}
	p, tok := add(t, s, "FrogBot")
	if got, err := s.Authenticate(t.Context(), tok.Reveal()); err != nil || got.ID != p.ID {
		t.Errorf("the new one: got %+v, %v", got, err)
	}
	if _, err := s.Authenticate(t.Context(), oldTok.Reveal()); !errors.Is(err, ErrRevoked) {
		t.Errorf("the old one: got %v", err)
	}
	if got, err := s.Find(t.Context(), "FrogBot"); err != nil || got.ID != p.ID {
		t.Errorf("Find: got %+v, %v", got, err)
	}
}

func TestNamesAreUnique(t *testing.T) {
	s, _ := newStore(t)
	frog, _ := add(t, s, "FrogBot")
	add(t, s, "Writer")
	for _, name := range []string{"FrogBot", "FROGBOT", " frogbot", frog.ID} {
		if _, _, err := s.Add(t.Context(), name, Options{}); !errors.Is(err, ErrNameTaken) {
			t.Errorf("adding %q: got %v", name, err)
		}
		if _, err := s.Rename(t.Context(), "Writer", name); !errors.Is(err, ErrNameTaken) {
			t.Errorf("renaming to %q: got %v", name, err)
		}
	}
	if p, err := s.Rename(t.Context(), "frogbot", "FROGbot"); err != nil || p.Name != "FROGbot" || p.ID != frog.ID {
		t.Errorf("another case of the own name: got %+v, %v", p, err)
	}
	for name, want := range map[string]error{"": ErrBadName, "a\x00": ErrBadName} {
		if _, err := s.Rename(t.Context(), "Writer", name); !errors.Is(err, want) {
			t.Errorf("renaming to %q: got %v", name, err)
		}
		if _, _, err := s.Add(t.Context(), name, Options{}); !errors.Is(err, want) {
			t.Errorf("adding %q: got %v", name, err)
		}
	}
	if _, err := s.Rename(t.Context(), "Nobody", "X"); !errors.Is(err, ErrNoPairing) {
		t.Errorf("renaming nobody: got %v", err)
	}
}

func TestBindAndTouch(t *testing.T) {
	s, c := newStore(t)
	p, _ := add(t, s, "FrogBot")
	place := Place{Profile: "p1", Browser: "/b", UserDataDir: "/u", ProfileDir: "Profile 1"}
	for range 2 {
		if got, err := s.Bind(t.Context(), p.ID, place); err != nil || got.Place != place {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	used := func() time.Time {
		t.Helper()
		got, err := s.Find(t.Context(), p.ID)
		if err != nil || got.Place != place {
			t.Fatalf("got %+v, %v", got, err)
		}
		return got.LastUsedAt
	}
	if !used().IsZero() {
		t.Errorf("used before the first use: %v", used())
	}
	for _, step := range []struct{ after, want time.Duration }{
		{0, 0}, {59 * time.Second, 0}, {time.Second, time.Minute}, {-time.Hour, time.Minute - time.Hour},
	} {
		c.now = c.now.Add(step.after)
		if err := s.Touch(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		if got := used().Sub(p.CreatedAt); got != step.want {
			t.Errorf("after %v more: last used at +%v, want +%v", step.after, got, step.want)
		}
	}
	// A name is no id: an agent's id must not reach another pairing.
	if err := s.Touch(t.Context(), "FrogBot"); !errors.Is(err, ErrNoPairing) {
		t.Errorf("Touch of a name: got %v", err)
	}
	if _, err := s.Bind(t.Context(), "ffffffff", place); !errors.Is(err, ErrNoPairing) {
		t.Errorf("Bind of nothing: got %v", err)
	}
}

func TestTombstonesAreBounded(t *testing.T) {
	s, c := newStore(t)
	_, first := add(t, s, "first")
	doc, err := readFile(s.File(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxRevoked + 9 {
		r := doc.Pairings[0]
		r.ID, r.Name, r.Verifier = fmt.Sprintf("%08x", i), fmt.Sprint("old ", i), NewToken().verifier()
		r.RevokedAt = c.now.Add(time.Duration(i) * time.Hour)
		doc.Pairings = append(doc.Pairings, r)
	}
	if err := writeFile(s.File(), doc); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(10000 * time.Hour)
	add(t, s, "second")
	if doc, err = readFile(s.File(), whole); err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Pairings); n != maxRevoked+2 {
		t.Errorf("%d are left, want %d", n, maxRevoked+2)
	}
	if got := doc.Pairings[1].Name; got != "old 9" {
		t.Errorf("the oldest tombstone is %q, want old 9", got)
	}
	if _, err := s.Authenticate(t.Context(), first.Reveal()); err != nil {
		t.Errorf("a live pairing went with them: %v", err)
	}
}

// The command line and the helper write at the same time.
func TestManyWriters(t *testing.T) {
	for _, lockReaders := range []bool{false, true} {
		t.Run(fmt.Sprint("readers lock: ", lockReaders), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pairings.json")
			const writers, each = 8, 5
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					s := Open(file) // each has a lock of its own, as a process has
					s.lockReaders = lockReaders
					for i := range each {
						p, tok, err := s.Add(t.Context(), fmt.Sprintf("w%d-%d", w, i), Options{})
						if err != nil {
							t.Error(err)
							return
						}
						if got, err := s.Authenticate(t.Context(), tok.Reveal()); err != nil || got.ID != p.ID {
							t.Errorf("got %+v, %v", got, err)
						}
					}
				})
			}
			wg.Wait()
			list, err := Open(file).List(t.Context())
			if err != nil || len(list) != writers*each {
				t.Errorf("%d pairings, %v; want %d", len(list), err, writers*each)
			}
		})
	}
}

func TestWaitForTheLockEnds(t *testing.T) {
	s, _ := newStore(t)
	add(t, s, "FrogBot")
	unlock, err := s.lock(t.Context(), tryLock)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := s.Add(ctx, "Writer", Options{})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	// Reading goes on meanwhile.
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("List: got %+v, %v", list, err)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	s := Open(filepath.Join(b.TempDir(), "pairings.json"))
	var tok Token
	for i := range 10 {
		var err error
		if _, tok, err = s.Add(b.Context(), fmt.Sprint("agent ", i), Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Authenticate(b.Context(), tok.Reveal()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSetEvaluate(t *testing.T) {
	s, _ := newStore(t)
	p, tok := add(t, s, "FrogBot")
	careful, _, err := s.Add(t.Context(), "Careful", Options{NoEvaluate: true})
	if err != nil || !careful.NoEvaluate || p.NoEvaluate {
		t.Fatalf("%+v, %+v, %v", p, careful, err)
	}
	for _, on := range []bool{false, false, true} {
		got, err := s.SetEvaluate(t.Context(), "frogbot", on)
		if err != nil || got.NoEvaluate == on {
			t.Errorf("%v: %+v, %v", on, got, err)
		}
		if got, err = Open(s.File()).Authenticate(t.Context(), tok.Reveal()); err != nil || got.NoEvaluate == on {
			t.Errorf("%v: %+v, %v", on, got, err)
		}
		if got, err = s.Get(t.Context(), p.ID); err != nil || got.ID != p.ID || got.NoEvaluate == on {
			t.Errorf("%v: %+v, %v", on, got, err)
		}
	}
	if got, err := s.Get(t.Context(), careful.ID); err != nil || !got.NoEvaluate {
		t.Errorf("%+v, %v", got, err)
	}
	for _, id := range []string{"FrogBot", "", "00000000"} {
		if _, err := s.Get(t.Context(), id); !errors.Is(err, ErrNoPairing) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
