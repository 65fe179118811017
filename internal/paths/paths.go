// Package paths knows where Sidekick keeps its files on each system.
//
// The places depend on nothing but the user (and SIDEKICK_HOME), because
// processes that different programs start must agree on them: the agent host
// starts one, Chrome another, the user a third. XDG_DATA_HOME and
// XDG_RUNTIME_DIR are left out on purpose. Agent hosts built on the MCP
// TypeScript SDK pass only HOME, LOGNAME, PATH, SHELL, TERM and USER on, and a
// snap or flatpak points both variables into its own sandbox: the agent would
// then look for its pairing, and for the helper's socket, in another place
// than Chrome's native host does.
package paths

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
)

// Dirs are the two folders that everything lies in.
type Dirs struct {
	// State outlives a restart of the machine: pairings, caches, the log.
	State string
	// Run holds the lock and, where its path is short enough, the socket.
	Run string
}

// Default returns the folders of the user who runs this process. It touches no
// file; see [Dirs.Ensure].
func Default() (Dirs, error) {
	return locate(runtime.GOOS, os.Getenv, Home)
}

// Ensure makes the folders, 0700, and checks them: one that belongs to somebody
// else, or that anybody may write to, is an error. Whoever listens on the
// socket or dials it calls this first.
func (d Dirs) Ensure() error {
	if err := makeDir(d.State); err != nil {
		return err
	}
	// Stat, for the user may have moved the folder and left a link; and no
	// chmod, for SIDEKICK_HOME may name a folder with other things in it.
	info, err := os.Stat(d.State)
	if err != nil {
		return fmt.Errorf("looking at the folder %s: %w", d.State, err)
	}
	if err := checkOurs(d.State, info); err != nil {
		return err
	}
	if err := ensurePrivate(d.Run); err != nil {
		return err
	}
	if dir := d.socketDir(); dir != "" && dir != d.Run {
		return ensurePrivate(dir)
	}
	return nil
}

// Socket is the helper's address: the path of a Unix socket, or on Windows the
// name of a pipe.
func (d Dirs) Socket() string {
	return socketAddress(runtime.GOOS, d.Run, userID())
}

// socketDir is the folder of the Unix socket, "" on Windows.
func (d Dirs) socketDir() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return filepath.Dir(d.Socket())
}

// Lock is the file that the one helper of a user holds locked.
func (d Dirs) Lock() string { return filepath.Join(d.Run, "helper.lock") }

// Pairings is the file of package pairing's Store.
func (d Dirs) Pairings() string { return filepath.Join(d.State, "pairings.json") }

// Cache is where what a pairing's handshake is answered from is kept.
func (d Dirs) Cache(pairingID string) string {
	return filepath.Join(d.State, "cache", pairingID+".json")
}

// ManagedProfile is the user data directory of the managed browser.
func (d Dirs) ManagedProfile() string { return filepath.Join(d.State, "browser") }

// Extension is the folder that the embedded extension is unpacked into.
func (d Dirs) Extension() string { return filepath.Join(d.State, "extension") }

// Log is the helper's log file.
func (d Dirs) Log() string { return filepath.Join(d.State, "log", "helper.log") }

// Binary is the copy of this program that `install` makes: the folder that it was
// started from may be a cache that goes away.
func (d Dirs) Binary() string {
	return filepath.Join(d.State, "bin", binaryName(runtime.GOOS))
}

// HelperBinary is the file that says which program is to be the helper.
func (d Dirs) HelperBinary() string { return filepath.Join(d.State, "helper.json") }

// Installed is the file that says what `install` made.
func (d Dirs) Installed() string { return filepath.Join(d.State, "installed.json") }

// KeyFile holds the signing key of a machine that has no keyring.
func (d Dirs) KeyFile() string { return filepath.Join(d.State, "key") }

// Home returns the user's home folder. It asks the user database where HOME is
// not set, as under cron or an agent host that passes nothing on.
func Home() (string, error) {
	if home, err := os.UserHomeDir(); err == nil && home != "" {
		return home, nil
	}
	u, err := user.Current()
	if err != nil || u.HomeDir == "" {
		return "", errors.New("your home folder cannot be found out: set HOME, or set SIDEKICK_HOME to the folder that Sidekick should keep its files in")
	}
	return u.HomeDir, nil
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder %s cannot be made (%w): give yourself write access to its parent, or set SIDEKICK_HOME to another folder", dir, err)
	}
	return nil
}

// ensurePrivate makes dir with its parents and sees to it that only we may
// enter it.
func ensurePrivate(dir string) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	// Lstat: a link that somebody put there in advance is no folder of ours.
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("looking at the folder %s: %w", dir, err)
	}
	if err := checkOurs(dir, info); err != nil {
		return err
	}
	return closeToOthers(dir, info)
}
