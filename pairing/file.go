package pairing

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/natefinch/atomic"
)

// The version of the file's form that this program writes. A program that
// reads a file of a higher minor version keeps the fields that it does not
// know; one of a higher major version it neither reads nor writes.
const (
	fileMajor = 1
	fileMinor = 1
)

// document is the file.
type document struct {
	Version  string   `json:"version"`
	Pairings []record `json:"pairings"`
	unknown  map[string]json.RawMessage
}

// record is one pairing in the file.
type record struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Verifier    string    `json:"verifier"`
	CreatedAt   time.Time `json:"created_at"`
	LastUsedAt  time.Time `json:"last_used_at,omitzero"`
	RevokedAt   time.Time `json:"revoked_at,omitzero"`
	Managed     bool      `json:"managed,omitempty"`
	InKeyring   bool      `json:"in_keyring,omitempty"`
	NoEvaluate  bool      `json:"no_evaluate,omitempty"` // since 1.1
	Profile     string    `json:"profile,omitempty"`
	Browser     string    `json:"browser,omitempty"`
	UserDataDir string    `json:"user_data_dir,omitempty"`
	ProfileDir  string    `json:"profile_dir,omitempty"`
	unknown     map[string]json.RawMessage
}

func (r *record) pairing() Pairing {
	return Pairing{
		ID: r.ID, Name: r.Name, Verifier: r.Verifier,
		CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt, RevokedAt: r.RevokedAt,
		Managed: r.Managed, InKeyring: r.InKeyring, NoEvaluate: r.NoEvaluate,
		Place: Place{r.Profile, r.Browser, r.UserDataDir, r.ProfileDir},
	}
}

func (r *record) live() bool { return r.RevokedAt.IsZero() }

func (r *record) bind(p Place) {
	r.Profile, r.Browser, r.UserDataDir, r.ProfileDir = p.Profile, p.Browser, p.UserDataDir, p.ProfileDir
}

// decoder reads the JSON text of a file of our major version.
type decoder func(b []byte, doc *document) error

// whole reads a file so that it can be written again.
func whole(b []byte, doc *document) error { return json.Unmarshal(b, doc) }

// glance leaves out what this version does not know of, which takes a third of
// the time: every handshake does it.
func glance(b []byte, doc *document) error {
	type plain record
	var known struct {
		Pairings []plain `json:"pairings"`
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return err
	}
	doc.Pairings = make([]record, len(known.Pairings))
	for i, r := range known.Pairings {
		doc.Pairings[i] = record(r)
	}
	return nil
}

// loadFile reads the file; one that is not there is an empty list.
func readFile(name string, decode decoder) (*document, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &document{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the list of pairings cannot be read: %w", err)
	}
	return parseFile(name, b, decode)
}

// parseFile understands the text of the file; name is for its errors.
func parseFile(name string, b []byte, decode decoder) (*document, error) {
	var doc document
	var head struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, corrupt(name, err.Error())
	}
	major, _, ok := parseVersion(head.Version)
	if !ok {
		return nil, corrupt(name, fmt.Sprintf("its version is %q", head.Version))
	}
	// Before the rest is read: it may have another form there.
	if major > fileMajor {
		return nil, &problem{ErrNewer, fmt.Sprintf("%s was written by a newer version of Sidekick (its form is %s, this one knows %d.%d): update this sidekick-mcp", name, head.Version, fileMajor, fileMinor)}
	}
	if err := decode(b, &doc); err != nil {
		return nil, corrupt(name, err.Error())
	}
	ids := make(map[string]bool, len(doc.Pairings))
	for i := range doc.Pairings {
		r := &doc.Pairings[i]
		switch {
		case !isHex(r.ID, idDigits):
			return nil, corrupt(name, fmt.Sprintf("pairing %d has the id %q", i+1, r.ID))
		case ids[r.ID]:
			return nil, corrupt(name, fmt.Sprintf("two pairings have the id %s", r.ID))
		case !isHex(r.Verifier, 2*sha256.Size):
			return nil, corrupt(name, fmt.Sprintf("the verifier of pairing %s is not a SHA-256", r.ID))
		case r.Name == "":
			return nil, corrupt(name, fmt.Sprintf("pairing %s has no name", r.ID))
		}
		ids[r.ID] = true
	}
	return &doc, nil
}

// idDigits is how many hexadecimal digits an id has.
const idDigits = 8

// isHex reports whether s is n lower-case hexadecimal digits. The form of an
// id matters: it is a part of agents' ids and of file names.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func corrupt(name, why string) error {
	return &problem{ErrCorrupt, fmt.Sprintf("the list of pairings in %s is damaged (%s): restore it from a backup, or move it away and pair your agents anew (Sidekick leaves it as it is)", name, why)}
}

// parseVersion reads "1.0".
func parseVersion(s string) (major, minor int, ok bool) {
	a, b, found := strings.Cut(s, ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	return major, minor, found && err1 == nil && err2 == nil && major >= 1 && minor >= 0
}

// writeFile writes the file whole or not at all, for the user's eyes only.
func writeFile(name string, doc *document) error {
	if major, minor, ok := parseVersion(doc.Version); !ok || major < fileMajor || minor < fileMinor {
		doc.Version = fmt.Sprintf("%d.%d", fileMajor, fileMinor)
	}
	if doc.Pairings == nil {
		doc.Pairings = []record{}
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the list of pairings: %w", err)
	}
	// The new file takes the rights of the one that it replaces, and those
	// may have been loosened by a copy or a backup.
	if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the list of pairings cannot be closed to others: %w", err)
	}
	// A user who keeps the file elsewhere has a link here; it stays.
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := atomic.WriteFile(name, bytes.NewReader(append(b, '\n'))); err != nil {
		return fmt.Errorf("the list of pairings cannot be written: %w", err)
	}
	return nil
}

// UnmarshalJSON keeps the fields that this version does not know.
func (d *document) UnmarshalJSON(b []byte) error {
	type plain document
	return unmarshalKeeping(b, (*plain)(d), &d.unknown, "version", "pairings")
}

// MarshalJSON writes them back.
func (d *document) MarshalJSON() ([]byte, error) {
	type plain document
	return marshalKeeping((*plain)(d), d.unknown)
}

// UnmarshalJSON keeps the fields that this version does not know.
func (r *record) UnmarshalJSON(b []byte) error {
	type plain record
	return unmarshalKeeping(b, (*plain)(r), &r.unknown,
		"id", "name", "verifier", "created_at", "last_used_at", "revoked_at",
		"managed", "in_keyring", "no_evaluate", "profile", "browser", "user_data_dir", "profile_dir")
}

// MarshalJSON writes them back.
func (r record) MarshalJSON() ([]byte, error) {
	type plain record
	return marshalKeeping(plain(r), r.unknown)
}

func unmarshalKeeping(b []byte, into any, unknown *map[string]json.RawMessage, known ...string) error {
	if err := json.Unmarshal(b, into); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for k := range all {
		for _, name := range known {
			// encoding/json matches names whatever their case is.
			if strings.EqualFold(k, name) {
				delete(all, k)
			}
		}
	}
	if len(all) > 0 {
		*unknown = all
	}
	return nil
}

func marshalKeeping(v any, unknown map[string]json.RawMessage) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || len(unknown) == 0 {
		return b, err
	}
	rest, err := json.Marshal(unknown)
	if err != nil {
		return nil, err
	}
	// Both are objects with at least one field: join them.
	return append(append(b[:len(b)-1], ','), rest[1:]...), nil
}
