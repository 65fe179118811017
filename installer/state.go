package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// pairingFiles are kept where the user wants to keep the pairings.
var pairingFiles = []string{"pairings.json", "pairings.json.lock", "key", "key.lock"}

// otherFiles are what else may lie in the folder of the state. A name that ends
// with * stands for all that begin so.
var otherFiles = []string{
	"bin", "browser", "cache", "extension", "extension.sha256", ".extension-*", "log", "run",
	"helper.json", "installed.json", WelcomeFile, ManifestFile,
}

// RemoveState removes Sidekick's own folder: all that we put there, and the
// folder if nothing else is in it. shared says that the folder is one that the
// user chose (SIDEKICK_HOME), where other things may lie.
func RemoveState(dirs paths.Dirs, keepPairings, shared, dryRun bool) ([]Change, error) {
	entries, err := os.ReadDir(dirs.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var changes []Change
	var errs []error
	for _, e := range entries {
		mine := matches(e.Name(), otherFiles) || matches(e.Name(), pairingFiles)
		if shared && !mine || keepPairings && matches(e.Name(), pairingFiles) {
			continue
		}
		c := Change{Kind: KindState, Place: filepath.Join(dirs.State, e.Name()), Done: true}
		if !dryRun {
			if err := os.RemoveAll(c.Place); err != nil {
				if runsFrom(err) {
					err = fmt.Errorf("%w: a program runs from there just now, so remove it by hand later", err)
				}
				errs = append(errs, err)
				continue
			}
		}
		changes = append(changes, c)
	}
	if !dryRun {
		os.Remove(dirs.State) // fails where something was kept
		if sock := filepath.Dir(dirs.Socket()); !strings.HasPrefix(dirs.Socket(), `\\`) && sock != dirs.Run {
			os.Remove(sock) // other folders' sockets may be in it
		}
	}
	return changes, errors.Join(errs...)
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		begin, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, begin)
	})
}
