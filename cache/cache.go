// Package cache keeps on disk what an agent's handshake and tool list are
// answered from, one small file a pairing, so that both can be answered with no
// helper, no browser and no network. A file that is missing, corrupt, or of
// another format or program version counts as not there: the caller then has
// the catalogue that is built into the binary.
package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/natefinch/atomic"
)

const (
	// format is the number of the file's layout. Another one, older or newer,
	// is not read: the file is a cache and is soon written again.
	format = 1
	// maxBytes bounds a file, so that a damaged or hostile one cannot take the
	// memory or the start-up time of every agent. The built-in catalogue is
	// about 6 kB.
	maxBytes = 256 << 10
)

// Entry is what is known of one pairing.
type Entry struct {
	Version      string          `json:"version"`      // of the program that learnt it
	Pairing      string          `json:"pairing"`      // the pairing's name
	Instructions string          `json:"instructions"` // of the MCP handshake
	Tools        json.RawMessage `json:"tools"`        // an array of MCP tool definitions
	LearntAt     time.Time       `json:"learnt_at"`
}

// Same reports whether both say the same, whenever they were learnt.
func (e Entry) Same(o Entry) bool {
	return e.Version == o.Version && e.Pairing == o.Pairing &&
		e.Instructions == o.Instructions && bytes.Equal(e.Tools, o.Tools)
}

// file is an entry as it lies on disk.
type file struct {
	Format int `json:"format"`
	Entry
}

// Store is the folder of entries. Its methods may be used by several
// goroutines, and by several processes, at once: a file is only ever replaced
// as a whole.
type Store struct {
	// path says where a pairing's file is.
	path func(pairingID string) string
}

// New makes a store whose files are where path says, one for each pairing id
// (paths.Dirs.Cache is such a function).
func New(path func(pairingID string) string) *Store { return &Store{path: path} }

// Load reads the entry of a pairing. It reports false if there is none that
// the program of this version can use, for whatever reason: that is never an
// error to a caller who has a built-in catalogue.
func (s *Store) Load(pairingID, version string) (Entry, bool) {
	if !fileName(pairingID) {
		return Entry{}, false
	}
	path := s.path(pairingID)
	// Before it is opened: opening a pipe, say, would wait for its other end.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxBytes {
		return Entry{}, false
	}
	f, err := os.Open(path)
	if err != nil {
		return Entry{}, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil || len(b) > maxBytes {
		return Entry{}, false
	}
	return decode(b, version)
}

func decode(b []byte, version string) (Entry, bool) {
	var f file
	if err := json.Unmarshal(b, &f); err != nil || f.Format != format || f.Version != version {
		return Entry{}, false
	}
	var tools []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(f.Tools, &tools); err != nil || len(tools) == 0 {
		return Entry{}, false
	}
	for _, t := range tools {
		if t.Name == "" {
			return Entry{}, false
		}
	}
	return f.Entry, true
}

// Save writes the entry of a pairing in place of the one before. A reader sees
// the old file or the new one, never half of one.
func (s *Store) Save(pairingID string, e Entry) error {
	if !fileName(pairingID) {
		return fmt.Errorf("saving the cache: %q is not a pairing id", pairingID)
	}
	var tools bytes.Buffer
	if err := json.Compact(&tools, e.Tools); err != nil {
		return fmt.Errorf("saving the cache: the tool list is not JSON: %w", err)
	}
	e.Tools = tools.Bytes()
	b, err := json.Marshal(file{Format: format, Entry: e})
	if err != nil {
		return fmt.Errorf("saving the cache: %w", err)
	}
	if len(b) > maxBytes {
		return fmt.Errorf("saving the cache: %d bytes are over the limit of %d", len(b), maxBytes)
	}
	path := s.path(pairingID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("saving the cache: %w", err)
	}
	// atomic writes a temporary file, which os.CreateTemp makes 0600, and
	// renames it; it keeps the mode of a file that is there already.
	if err := atomic.WriteFile(path, bytes.NewReader(b)); err != nil {
		return fmt.Errorf("saving the cache: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("saving the cache: %w", err)
	}
	return nil
}

// Remove deletes the entry of a pairing, if there is one.
func (s *Store) Remove(pairingID string) error {
	if !fileName(pairingID) {
		return nil
	}
	if err := os.Remove(s.path(pairingID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the cache: %w", err)
	}
	return nil
}

// fileName reports whether an id can be a file's name and nothing else: no
// path of another folder, no hidden file.
func fileName(id string) bool {
	return id != "" && len(id) <= 128 && !strings.HasPrefix(id, ".") &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}
