package pairing

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestRemove(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "pairings.json"))
	kept, _, err := s.Add(t.Context(), "FrogBot", Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone, token, err := s.Add(t.Context(), "Probe", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), gone.ID); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].ID != kept.ID {
		t.Errorf("left are %+v, %v", list, err)
	}
	// Not revoked: never heard of.
	if _, err := s.Authenticate(t.Context(), token.Reveal()); !errors.Is(err, ErrUnknown) {
		t.Errorf("its token: got %v, want %v", err, ErrUnknown)
	}
}

// ring is a keyring that answers as it is told.
type ring struct{ get func() error }

func (r ring) Get(string) (string, error) { return "", r.get() }
func (r ring) Set(string, string) error   { return errors.New("nothing may be set") }
func (r ring) Delete(string) error        { return errors.New("nothing may be removed") }

func TestProbe(t *testing.T) {
	broken := errors.New("broken")
	for want, answer := range map[error]error{nil: ErrNoSecret, broken: broken} {
		s := &Secrets{ring: patient{ring{func() error { return answer }}, time.Minute}}
		if err := s.Probe(t.Context()); !errors.Is(err, want) {
			t.Errorf("the keyring says %v: got %v", answer, err)
		}
	}
	block := make(chan struct{})
	defer close(block)
	s := &Secrets{ring: patient{ring{func() error { <-block; return nil }}, time.Millisecond}}
	if err := s.Probe(context.Background()); err == nil {
		t.Error("a keyring that never answers: got no error")
	}
}
