package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

// Options say what is installed and where.
type Options struct {
	// Binary is the sidekick-mcp that browsers are to start, an absolute path.
	Binary string
	// ExtensionID is the id of the extension that may start it.
	ExtensionID string
	// Env is whose browsers they are; the zero value is this machine's user.
	Env browsers.Env
	// StateDir is where the manifest is kept on systems whose browsers are
	// told of it by the registry.
	StateDir string
	// DryRun changes nothing and tells what would be changed.
	DryRun bool
	// All also looks after the browsers that are not there yet.
	All bool
	// Ledger notes the folders that are made; nil notes nothing.
	Ledger *Ledger
}

// What a [Change] is about.
const (
	KindBinary    = "binary"
	KindExtension = "extension"
	KindManifest  = "manifest"
	KindService   = "service"
	KindConfig    = "config"
	KindKeyring   = "keyring"
	KindState     = "state"
)

// Change is one place that was looked after.
type Change struct {
	Kind string `json:"kind"`
	// Place is a file, a folder, or a registry key.
	Place string `json:"place"`
	// Browsers are the names of those that look there, of a manifest.
	Browsers []string `json:"browsers,omitempty"`
	// Host is the agent host whose configuration Place is, and Entry is what
	// Sidekick is called there.
	Host  string `json:"host,omitempty"`
	Entry string `json:"entry,omitempty"`
	// Gone says that Place held nothing else, so that it is no more.
	Gone bool `json:"gone,omitempty"`
	// Backup is where Place as it was before is kept.
	Backup string `json:"backup,omitempty"`
	// Done is false when nothing had to be changed.
	Done bool `json:"changed"`
}

// Install writes the manifest for every browser that is there (one that has an
// executable or a folder of profiles), or for all of them, but for those whose
// sandbox lets them start no program: see [Confined]. Doing it again does no
// harm. It goes on after an error, so that one odd folder does not keep the
// others from it; the errors come joined. No browser at all is an error.
func Install(ctx context.Context, opts Options) ([]Change, error) {
	env, err := opts.env()
	if err != nil {
		return nil, err
	}
	if _, err := Manifest(opts.Binary, opts.ExtensionID); err != nil {
		return nil, err
	}
	places := placesOf(env, func(b browsers.Browser) bool { return !b.Confined && (opts.All || present(b)) })
	if len(places) == 0 {
		return nil, browsers.ErrNoBrowser
	}
	if env.GOOS == "windows" {
		return installRegistry(ctx, opts, places)
	}
	return each(ctx, places, func(p place) (Change, error) {
		c := p.change(filepath.Join(p.at, ManifestFile))
		if opts.DryRun {
			text, err := Manifest(opts.Binary, opts.ExtensionID)
			c.Done = !upToDate(c.Place, text)
			return c, err
		}
		var err error
		opts.Ledger.Note(p.at)
		c.Done, err = writeManifest(c.Place, opts.Binary, opts.ExtensionID)
		return c, err
	})
}

// Confined returns the names of the browsers that are there in a sandbox (snap,
// flatpak) which keeps them from starting a program of the user's, so that no
// manifest is of use to them. The managed browser is what their users can have.
func Confined(env browsers.Env) []string {
	var names []string
	for _, b := range browsers.Known(env) {
		if b.Confined && present(b) {
			names = append(names, b.Name)
		}
	}
	return names
}

// ToOpen returns the browser that is to show its user what is left to do: the
// first that is there and got a manifest.
func ToOpen(env browsers.Env) (b browsers.Browser, exe string, ok bool) {
	for _, b := range browsers.Known(env) {
		if exe, ok := b.Find(); ok && !b.Confined {
			return b, exe, true
		}
	}
	return browsers.Browser{}, "", false
}

// Uninstall removes the manifest wherever a browser may look for it, be it
// still there or not.
func Uninstall(ctx context.Context, opts Options) ([]Change, error) {
	env, err := opts.env()
	if err != nil {
		return nil, err
	}
	places := placesOf(env, func(browsers.Browser) bool { return true })
	if env.GOOS == "windows" {
		return uninstallRegistry(ctx, opts, places)
	}
	changes, err := each(ctx, places, func(p place) (Change, error) {
		c := p.change(filepath.Join(p.at, ManifestFile))
		var err error
		if opts.DryRun {
			_, err = os.Lstat(c.Place)
			c.Done = err == nil
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return c, err
		}
		c.Done, err = removeManifest(c.Place)
		return c, err
	})
	// The many places where there was nothing are of no interest.
	return slices.DeleteFunc(changes, func(c Change) bool { return !c.Done }), err
}

func (o Options) env() (browsers.Env, error) {
	if o.Env.GOOS == "" {
		return browsers.HostEnv()
	}
	return o.Env, nil
}

// place is where one or more browsers look: a folder, or on Windows a registry
// key.
type place struct {
	at       string
	browsers []string
}

func (p place) change(name string) Change {
	return Change{Kind: KindManifest, Place: name, Browsers: p.browsers}
}

// placesOf returns the places of the browsers that are wanted.
func placesOf(env browsers.Env, wanted func(browsers.Browser) bool) []place {
	var places []place
	for _, b := range browsers.Known(env) {
		if !wanted(b) {
			continue
		}
		for _, at := range append(slices.Clone(b.HostDirs), b.HostKey) {
			if at == "" {
				continue
			}
			i := slices.IndexFunc(places, func(p place) bool { return p.at == at })
			if i < 0 {
				i = len(places)
				places = append(places, place{at: at})
			}
			places[i].browsers = append(places[i].browsers, b.Name)
		}
	}
	return places
}

// present reports whether a browser is on this machine. A browser that is
// installed but was never run counts too: the user may be about to.
func present(b browsers.Browser) bool {
	for _, dir := range b.UserDataDirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	_, ok := b.Find()
	return ok
}

// each does f for all places.
func each(ctx context.Context, places []place, f func(place) (Change, error)) ([]Change, error) {
	var changes []Change
	var errs []error
	for _, p := range places {
		if err := ctx.Err(); err != nil {
			return changes, err
		}
		c, err := f(p)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s (for %s): %w", c.Place, p.browsers[0], err))
			continue
		}
		changes = append(changes, c)
	}
	return changes, errors.Join(errs...)
}
