package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// managedBrowser is the executable of the managed browser.
func managedBrowser(ctx context.Context) (string, error) {
	return browsers.Resolve(ctx, os.Getenv("SIDEKICK_BROWSER"))
}

// maxCandidates bounds how many profiles are woken in turn when it cannot be
// told which one is meant.
const maxCandidates = 3

// candidates are the profiles that t may mean, the likeliest first.
func (l *Launcher) candidates(ctx context.Context, t Target) ([]candidate, error) {
	if t.Browser != "" {
		return l.inBrowser(ctx, t)
	}
	if t.Profile != "" {
		f, err := browsers.FindProfile(ctx, l.ExtensionID, t.Profile)
		if errors.Is(err, browsers.ErrNoProfile) {
			return nil, cause.ProfileGone
		}
		if err != nil {
			return nil, err
		}
		return found([]browsers.Found{f})
	}
	all, err := browsers.ProfilesWith(ctx, l.ExtensionID)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, cause.ExtensionAbsent
	}
	return found(all)
}

// inBrowser are the candidates when the browser is known, and maybe the folder
// of its profiles, but not which of these.
func (l *Launcher) inBrowser(ctx context.Context, t Target) ([]candidate, error) {
	if _, err := os.Stat(t.Browser); err != nil {
		return nil, fmt.Errorf("the browser that this pairing belongs to is gone: %w", err)
	}
	usual := ""
	if b, ok := browsers.Identify(t.Browser); ok && len(b.UserDataDirs) > 0 {
		usual = b.UserDataDirs[0]
	}
	c := candidate{exe: t.Browser, userDataDir: t.UserDataDir, profileDir: t.ProfileDir}
	if c.userDataDir == usual {
		c.userDataDir = ""
	}
	dir := cmp.Or(t.UserDataDir, usual)
	if c.profileDir != "" || dir == "" {
		return []candidate{c}, nil
	}
	all, err := browsers.ProfilesIn(ctx, dir, l.ExtensionID)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 && t.Profile != "" {
		if f, err := browsers.FindProfile(ctx, l.ExtensionID, t.Profile); err == nil && f.UserDataDir == dir {
			all = []browsers.Found{f}
		}
	}
	if len(all) == 0 {
		// Its storage may not be where we look; the browser knows best.
		return []candidate{c}, nil
	}
	var list []candidate
	for _, f := range all[:min(len(all), maxCandidates)] {
		each := c
		each.profileDir = f.ProfileDir
		list = append(list, each)
	}
	return list, nil
}

// found makes candidates of profiles that were found.
func found(all []browsers.Found) ([]candidate, error) {
	var list []candidate
	for _, f := range all {
		if f.Exe == "" {
			continue
		}
		c := candidate{exe: f.Exe, userDataDir: f.UserDataDir, profileDir: f.ProfileDir}
		if len(f.Browser.UserDataDirs) > 0 && filepath.Clean(f.Browser.UserDataDirs[0]) == filepath.Clean(f.UserDataDir) {
			c.userDataDir = ""
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is a browser profile with the Sidekick extension (%s), but its browser is not installed any more", all[0].UserDataDir)
	}
	return list[:min(len(list), maxCandidates)], nil
}
