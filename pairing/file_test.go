package pairing

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const verifier0 = "0000000000000000000000000000000000000000000000000000000000000000"

func put(t *testing.T, s *Store, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.File()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.File(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsForTheUserAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("on Windows the folder's access list says who may read")
		return
	}
	s, _ := newStore(t)
	add(t, s, "FrogBot")
	// Also after something loosened its rights.
	for range 2 {
		info, err := os.Stat(s.File())
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, want 0600", info.Mode().Perm())
		}
		if err := os.Chmod(s.File(), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Rename(t.Context(), "FrogBot", "Frogbot"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLinkedFileStaysALink(t *testing.T) {
	s, _ := newStore(t)
	add(t, s, "FrogBot")
	elsewhere := filepath.Join(t.TempDir(), "kept.json")
	if err := os.Rename(s.File(), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, s.File()); err != nil {
		t.Fatal(err)
	}
	add(t, s, "Writer")
	if list, err := Open(elsewhere).List(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("the file that the link names has %+v, %v", list, err)
	}
}

func TestNewerMinorVersionKeepsItsFields(t *testing.T) {
	s, _ := newStore(t)
	put(t, s, `{"version":"1.7","theme":{"dark":true},"pairings":[
		{"id":"0000000a","name":"FrogBot","verifier":"`+verifier0+`","created_at":"2026-01-01T00:00:00Z","icon":"frog.png"}]}`)
	if _, err := s.Rename(t.Context(), "FrogBot", "Toad"); err != nil {
		t.Fatal(err)
	}
	add(t, s, "Writer")
	var got map[string]any
	b, err := os.ReadFile(s.File())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	first := got["pairings"].([]any)[0].(map[string]any)
	if got["version"] != "1.7" || !reflect.DeepEqual(got["theme"], map[string]any{"dark": true}) || first["icon"] != "frog.png" || first["name"] != "Toad" {
		t.Errorf("the file is now:\n%s", b)
	}
}

// A file that cannot be understood is never overwritten.
func TestDamagedFiles(t *testing.T) {
	one := `{"id":"0000000a","name":"a","verifier":"` + verifier0 + `","created_at":"2026-01-01T00:00:00Z"}`
	for _, tt := range []struct {
		name, text string
		kind       error
		want       string
	}{
		{"empty", "", ErrCorrupt, "unexpected end"},
		{"half", `{"version":"1.0","pairings":[{"id":"0000`, ErrCorrupt, "unexpected end"},
		{"another thing", "[]", ErrCorrupt, "cannot unmarshal"},
		{"null", "null", ErrCorrupt, `version is ""`},
		{"no version", `{"pairings":[]}`, ErrCorrupt, `version is ""`},
		{"odd version", `{"version":"new"}`, ErrCorrupt, `version is "new"`},
		{"bad id", `{"version":"1.0","pairings":[{"id":"../x","name":"a"}]}`, ErrCorrupt, `the id "../x"`},
		{"bad verifier", `{"version":"1.0","pairings":[{"id":"0000000a","name":"a","verifier":"ff"}]}`, ErrCorrupt, "not a SHA-256"},
		{"no name", `{"version":"1.0","pairings":[{"id":"0000000a","verifier":"` + verifier0 + `"}]}`, ErrCorrupt, "no name"},
		{"same id twice", `{"version":"1.0","pairings":[` + one + `,` + one + `]}`, ErrCorrupt, "two pairings"},
		{"newer major version", `{"version":"2.0","pairings":{"of":"another form"}}`, ErrNewer, "update this sidekick-mcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newStore(t)
			put(t, s, tt.text)
			_, listErr := s.List(t.Context())
			_, _, addErr := s.Add(t.Context(), "FrogBot", Options{})
			_, authErr := s.Authenticate(t.Context(), NewToken().Reveal())
			for _, err := range []error{listErr, addErr, authErr} {
				if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), s.File()) {
					t.Errorf("got %v, want one with %q and the file's name", err, tt.want)
				}
			}
			if b, err := os.ReadFile(s.File()); err != nil || string(b) != tt.text {
				t.Errorf("the file is now %q, %v", b, err)
			}
		})
	}
}

// What can be read can be written, and reads the same again.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"version":"1.0","pairings":[]}`))
	f.Add([]byte(`{"version":"1.3","x":[1],"pairings":[{"id":"0000000a","name":"a","verifier":"` + verifier0 + `","created_at":"2026-01-01T00:00:00Z","last_used_at":"2026-01-02T00:00:00+01:00","y":null}]}`))
	f.Add([]byte(`{"version":"1.0","VERSION":"1.1","pairings":[{"ID":"0000000b"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, err := parseFile("f", b, whole)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) {
				t.Fatalf("%q: %v", b, err)
			}
			return
		}
		glanced, err := parseFile("f", b, glance)
		if err != nil || len(glanced.Pairings) != len(doc.Pairings) {
			t.Fatalf("%q: read for a handshake it is %+v, %v", b, glanced, err)
		}
		for i := range doc.Pairings {
			if glanced.Pairings[i].pairing() != doc.Pairings[i].pairing() {
				t.Fatalf("%q: read for a handshake it is %+v", b, glanced)
			}
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		again, err := parseFile("f", text, whole)
		if err != nil {
			t.Fatalf("%q became %q: %v", b, text, err)
		}
		if len(again.Pairings) != len(doc.Pairings) {
			t.Fatalf("%q became %q", b, text)
		}
		for i := range doc.Pairings {
			got, want := again.Pairings[i].pairing(), doc.Pairings[i].pairing()
			if !got.CreatedAt.Equal(want.CreatedAt) || !got.LastUsedAt.Equal(want.LastUsedAt) || !got.RevokedAt.Equal(want.RevokedAt) {
				t.Fatalf("the times of %q became those of %q", b, text)
			}
			got.CreatedAt, got.LastUsedAt, got.RevokedAt = want.CreatedAt, want.LastUsedAt, want.RevokedAt
			if got != want {
				t.Fatalf("%+v became %+v", want, got)
			}
		}
	})
}
