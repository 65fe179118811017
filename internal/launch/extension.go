package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// hashFile lies in the unpacked extension's folder's parent, for Chrome refuses
// an extension with files in it whose name begins with an underscore, and shows
// others to pages.
func hashFile(dir string) string { return dir + ".sha256" }

// extract puts the extension's files into dir, unless they are there already.
// A browser that reads dir at the same time sees the old files or the new.
func extract(fsys fs.FS, dir string) error {
	want, err := hashOf(fsys)
	if err != nil {
		return fmt.Errorf("reading the extension in this program: %w", err)
	}
	if got, err := os.ReadFile(hashFile(dir)); err == nil && string(got) == want {
		// Also look at the files: people clean up folders.
		if have, err := hashOf(os.DirFS(dir)); err == nil && have == want {
			return nil
		}
	}
	if err := replace(fsys, dir); err != nil {
		return fmt.Errorf("unpacking the extension into %s: %w", dir, err)
	}
	if err := os.WriteFile(hashFile(dir), []byte(want), 0o600); err != nil {
		return fmt.Errorf("unpacking the extension into %s: %w", dir, err)
	}
	return nil
}

// replace writes the files beside dir and then swaps the two folders.
func replace(fsys fs.FS, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".extension-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.CopyFS(fresh, fsys); err != nil {
		return err
	}
	old := fresh + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer os.RemoveAll(old)
	return os.Rename(fresh, dir)
}

// hashOf is one hash of all names and contents.
func hashOf(fsys fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%d %s %d ", len(name), name, len(b))
		sum.Write(b)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
