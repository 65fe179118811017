package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/natefinch/atomic"
)

// Ledger is what an installation notes of itself: which program it put in
// place, and which folders it had to make, so that the uninstallation leaves
// those alone that were there before.
type Ledger struct {
	Version string   `json:"version"`
	Binary  string   `json:"binary"`
	Dirs    []string `json:"dirs"`
}

// ReadLedger returns what an earlier installation noted, or an empty ledger.
func ReadLedger(file string) *Ledger {
	l := new(Ledger)
	// One that cannot be read costs empty folders that stay.
	if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, l) != nil {
		return new(Ledger)
	}
	return l
}

// Note notes that dir, and those above it that are not there now, are about to
// be made. It may be nil.
func (l *Ledger) Note(dir string) {
	if l == nil {
		return
	}
	for {
		if _, err := os.Lstat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return
		}
		if !slices.Contains(l.Dirs, dir) {
			l.Dirs = append(l.Dirs, dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}

// Write keeps the ledger.
func (l *Ledger) Write(file string) error {
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := atomic.WriteFile(file, bytes.NewReader(append(b, '\n'))); err != nil {
		return fmt.Errorf("noting what was installed: %w", err)
	}
	return nil
}

// RemoveDirs removes the folders that the installation made, as far as nothing
// is in them any more.
func (l *Ledger) RemoveDirs() {
	dirs := slices.Clone(l.Dirs)
	// Those within others come first.
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		os.Remove(dir) // fails where others have put something in
	}
}
