package hostconfig

import (
	"bytes"
	"errors"
	"io/fs"
)

// Entries returns the entries of a host's file that start Sidekick, whatever
// their names; of a file that is not there, or that says nothing of us, none. A
// file that seems to have one and cannot be read is an error.
func Entries(h Host, file string) ([]Server, error) {
	f, err := Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.entries(h)
}

// entries are those of a file that was read. One that says nothing of us may be
// wrong in whatever way.
func (f *File) entries(h Host) ([]Server, error) {
	if !bytes.Contains(f.text, []byte("sidekick")) {
		return nil, nil
	}
	if err := h.Parse(f.text); err != nil {
		return nil, err
	}
	return h.sidekicks(f.text), nil
}
