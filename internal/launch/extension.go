package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// hashFile lies in the unpacked extension's folder's parent, for Chrome refuses
// an extension with files in it whose name begins with an underscore, and shows
// others to pages.
func hashFile(dir string) string { return dir + ".sha256" }

// extract puts the extension's files into dir, unless they are there already.
// A browser that reads dir at the same time sees the old files or the new.
func extract(fsys fs.FS, dir string) error {
	manifest, want, err := wanted(fsys)
	if err != nil || unpacked(dir, want) {
		return err
	}
	if err := replace(fsys, manifest, dir); err != nil {
		return fmt.Errorf("unpacking the extension into %s: %w", dir, err)
	}
	if err := os.WriteFile(hashFile(dir), []byte(want), 0o600); err != nil {
		return fmt.Errorf("unpacking the extension into %s: %w", dir, err)
	}
	return nil
}

// wanted returns the manifest to be written, and the hash of all that is.
func wanted(fsys fs.FS) (manifest []byte, hash string, err error) {
	files, err := hashOf(fsys, nil)
	if err == nil {
		manifest = stamped(fsys, files)
		hash, err = hashOf(fsys, manifest)
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading the extension in this program: %w", err)
	}
	return manifest, hash, nil
}

// unpacked reports whether dir holds files of that hash.
func unpacked(dir, want string) bool {
	if got, err := os.ReadFile(hashFile(dir)); err != nil || string(got) != want {
		return false
	}
	// Also look at the files: people clean up folders.
	have, err := hashOf(os.DirFS(dir), nil)
	return err == nil && have == want
}

const manifestFile = "manifest.json"

var manifestVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"version":\s*"(\d+(?:\.\d+){0,2})"`)
})

// stamped returns the manifest with a fourth part of the version that follows
// from the files: a browser goes on running the worker that it has stored for
// as long as the version is the same. It is nil where there is none to stamp.
func stamped(fsys fs.FS, hash string) []byte {
	b, err := fs.ReadFile(fsys, manifestFile)
	if err != nil {
		return nil
	}
	m := manifestVersion().FindSubmatchIndex(b)
	if m == nil {
		return nil
	}
	n, err := strconv.ParseUint(hash[:4], 16, 16)
	if err != nil {
		return nil
	}
	version := string(b[m[2]:m[3]])
	for strings.Count(version, ".") < 2 {
		version += ".0"
	}
	stamp := fmt.Sprintf(`"version": "%s.%d",`+"\n"+`  "version_name": %q`, version, n, b[m[2]:m[3]])
	return slices.Concat(b[:m[0]], []byte(stamp), b[m[1]:])
}

// replace writes the files beside dir and then swaps the two folders.
func replace(fsys fs.FS, manifest []byte, dir string) error {
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
	if manifest != nil {
		if err := os.WriteFile(filepath.Join(fresh, manifestFile), manifest, 0o600); err != nil {
			return err
		}
	}
	old := fresh + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer os.RemoveAll(old)
	return os.Rename(fresh, dir)
}

// hashOf is one hash of all names and contents, with another manifest if one is
// given.
func hashOf(fsys fs.FS, manifest []byte) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if name == manifestFile && manifest != nil {
			b = manifest
		}
		fmt.Fprintf(sum, "%d %s %d ", len(name), name, len(b))
		sum.Write(b)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
