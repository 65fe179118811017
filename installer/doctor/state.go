package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// probeBytes is how much has to fit onto the disk for it not to be full.
const probeBytes = 64 << 10

// lowSpace is what the log alone may need, and some.
const lowSpace = 20 << 20

// stateFolder looks whether what has to be kept can be. It reports false if
// nothing can.
func (c *checkup) stateFolder(context.Context) bool {
	dir := c.Dirs.State
	if c.DirsErr != nil {
		what, mend, ok := strings.Cut(c.DirsErr.Error(), ": ")
		why := cause.StateNowhere.About(what)
		if ok {
			why.Mend = mend
		}
		c.bad(HopState, "", Failed, why, nil)
		return false
	}
	if f, ok := c.openToOthers(); ok {
		c.add(f)
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o002 != 0 {
			return false // every part refuses such a folder
		}
	} else if err := c.Dirs.Ensure(); err != nil {
		c.add(stateFault(dir, err))
		return false
	}
	if err := writable(dir); err != nil {
		c.add(stateFault(dir, err))
		return false
	}
	if c.noFolders() {
		return true
	}
	if free, err := c.Space(dir); err == nil && free < lowSpace {
		c.bad(HopState, dir, Warning, cause.StateLow.About(dir, size(free)), nil)
		return true
	}
	c.good(HopState, dir, dir+" can be written to")
	return true
}

// noFolders looks for something else where a folder of ours is to be.
func (c *checkup) noFolders() bool {
	found := false
	for _, p := range []struct {
		dir    string
		needed bool
	}{
		{filepath.Dir(c.Dirs.Log()), true}, {filepath.Dir(c.Dirs.Cache("x")), false}, {c.Dirs.ManagedProfile(), false},
	} {
		if info, err := os.Stat(p.dir); err == nil && !info.IsDir() {
			c.bad(HopState, p.dir, worse(p.needed), cause.StateInTheWay.About(p.dir), nil)
			found = true
		}
	}
	return found
}

// writable tries what every part does: a new file with something in it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func stateFault(dir string, err error) Finding {
	switch {
	case full(err):
		return finding(HopState, dir, Failed, cause.StateFull.About(dir, plain(err)), nil)
	case errors.Is(err, fs.ErrPermission) || readOnly(err):
		return finding(HopState, dir, Failed, cause.StateReadOnly.About(dir, plain(err)), nil)
	}
	// What Ensure refuses says itself what is wrong.
	return finding(HopState, dir, Failed, cause.StateForeign.About(err.Error()), nil)
}

// plain is the innermost reason of an error of a file.
func plain(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// openToOthers looks at the rights of the folder and of what in it is secret.
func (c *checkup) openToOthers() (Finding, bool) {
	if runtime.GOOS == "windows" {
		return Finding{}, false // rights are inherited there
	}
	// Tokens, the key and the socket are in there, so 0700 and 0600. A group's
	// rights count whoever is in it: that may change, and nobody sees it change.
	const others = 0o077
	var open []string
	state := Warning
	for _, path := range []string{
		c.Dirs.State, c.Dirs.Run, c.Dirs.Pairings(), c.Dirs.KeyFile(), c.Dirs.HelperBinary(), c.Dirs.Installed(),
		filepath.Dir(c.Dirs.Log()), c.Dirs.Log(), filepath.Dir(c.Dirs.Cache("")), filepath.Dir(c.Dirs.Binary()),
	} {
		info, err := os.Stat(path)
		if err != nil || !ownedByUs(info) || info.Mode().Perm()&others == 0 {
			continue
		}
		open = append(open, path)
		// A folder of SIDEKICK_HOME that was there before lets others in often,
		// and to nothing that is not closed itself.
		if path != c.Dirs.State || info.Mode().Perm()&0o022 != 0 {
			state = Failed
		}
	}
	if len(open) == 0 {
		return Finding{}, false
	}
	return finding(HopState, open[0], state, cause.StateOpen.About(strings.Join(open, ", ")), func(context.Context) (string, error) {
		for _, path := range open {
			info, err := os.Stat(path)
			if err != nil {
				return "", err
			}
			if err := os.Chmod(path, info.Mode().Perm()&^others); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("took other users' rights to %s away", strings.Join(open, ", ")), nil
	}), true
}

// size is a number of bytes for people.
func size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d kB", n>>10)
}
