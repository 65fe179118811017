package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
)

// BackupSuffix is what the name of a backup ends with.
const BackupSuffix = ".sidekick-backup"

// maxFile is more than any settings have, in bytes.
const maxFile = 64 << 20

// File is a host's file as it was read.
type File struct {
	Name string // as the host knows it
	// target is the file itself, where Name is a link to it.
	target string
	exists bool
	text   []byte
	mode   fs.FileMode
}

// Open reads a host's file, which need not be there. A file that is no file, or
// not the user's to write, is an error.
func Open(name string) (*File, error) {
	target, err := followLinks(name)
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, target: target}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file: move it away", target)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, which are no settings: move it away", target, info.Size())
	}
	f.exists, f.mode = true, info.Mode().Perm()
	if f.text, err = os.ReadFile(target); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", target, err)
	}
	return f, nil
}

// maxLinks is how many links may lead to a file.
const maxLinks = 16

// followLinks finds the file that a name leads to, be it there or not: a link is
// the user's way to keep the file elsewhere, and is to stay.
func followLinks(name string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", fmt.Errorf("looking at %s: %w", name, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", fmt.Errorf("following the link %s: %w", name, err)
		}
		if !filepath.IsAbs(to) {
			// Of the folder itself: it may be a link, too.
			dir, err := filepath.EvalSymlinks(filepath.Dir(name))
			if err != nil {
				return "", fmt.Errorf("following the link %s: %w", name, err)
			}
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", fmt.Errorf("%s is a link that leads nowhere: remove it", name)
}

// checkOurs returns an error if the file is not the user's to write.
func (f *File) checkOurs() error {
	if !f.exists {
		return nil
	}
	if f.mode&0o200 == 0 {
		return fmt.Errorf("%s is write-protected: make it writable, or, if another program makes that file, add the entry there", f.target)
	}
	info, err := os.Stat(f.target)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", f.target, err)
	}
	return checkOwner(f.target, info)
}

// unchanged returns an error if the file is not any more what was read.
func (f *File) unchanged() error {
	now, err := os.ReadFile(f.target)
	switch {
	case !f.exists && errors.Is(err, fs.ErrNotExist), f.exists && err == nil && bytes.Equal(now, f.text):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be read: %w", f.target, err)
	}
	return fmt.Errorf("%s was changed by another program just now: do it again", f.target)
}

// write replaces the file. A new one is the user's alone.
func (f *File) write(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
		return fmt.Errorf("the folder of %s cannot be made: %w", f.target, err)
	}
	if err := atomic.WriteFile(f.target, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.target, err)
	}
	return nil
}

// backup is the name of the file's backup. It is beside the name, not the file:
// who keeps the file elsewhere may publish that folder.
func (f *File) backup() string { return f.Name + BackupSuffix }

// readBackup returns nil without one.
func (f *File) readBackup() ([]byte, error) {
	b, err := os.ReadFile(f.backup())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the backup %s cannot be read: %w", f.backup(), err)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// keepBackup writes the file as it was read to its backup, with its rights.
func (f *File) keepBackup() error {
	b := &File{Name: f.backup(), target: f.backup()}
	if err := b.write(f.text); err != nil {
		return err
	}
	if err := os.Chmod(b.target, f.mode); err != nil {
		return fmt.Errorf("the rights of %s cannot be set: %w", b.target, err)
	}
	return nil
}
