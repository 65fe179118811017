package installer

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// CopyBinary copies the program from one place to another, in one step for
// whoever starts it meanwhile, and reports whether that was needed. A copy that
// runs just now goes on with what it was.
func CopyBinary(from, to string, dryRun bool) (Change, error) {
	c := Change{Kind: KindBinary, Place: to}
	same, err := sameContent(from, to)
	if err != nil || same {
		return c, err
	}
	c.Done = true
	if dryRun {
		return c, nil
	}
	if err := copyBinary(from, to); err != nil {
		return c, fmt.Errorf("the program cannot be copied to %s: %w", to, err)
	}
	return c, nil
}

// Copied returns the copy of this program that `install` made for the user, if
// there is one that can be run.
func Copied(dirs paths.Dirs) (string, bool) {
	if dirs.State == "" {
		return "", false
	}
	info, err := os.Stat(dirs.Binary())
	if err != nil || !isProgram(info) {
		return "", false
	}
	return dirs.Binary(), true
}

func copyBinary(from, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".copy-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
		}
	}()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Chmod(0o755); err != nil {
		return err
	}
	// Else a crash of the machine could leave the name with nothing behind it.
	if err := out.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return replaceBinary(out.Name(), to)
}

// sameContent reports whether two files are one, or equal.
func sameContent(a, b string) (bool, error) {
	fa, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer fa.Close()
	fb, err := os.Open(b)
	if err != nil {
		return false, nil // nothing there, or nothing that can be run
	}
	defer fb.Close()
	ia, err := fa.Stat()
	if err != nil {
		return false, err
	}
	ib, err := fb.Stat()
	if err != nil || ib.Size() != ia.Size() || !isProgram(ib) {
		return false, err
	}
	if os.SameFile(ia, ib) {
		return true, nil
	}
	pa, pb := make([]byte, 1<<18), make([]byte, 1<<18)
	for {
		n, aerr := io.ReadFull(fa, pa)
		m, _ := io.ReadFull(fb, pb)
		if n != m || !bytes.Equal(pa[:n], pb[:m]) {
			return false, nil
		}
		if aerr != nil {
			return true, nil
		}
	}
}
