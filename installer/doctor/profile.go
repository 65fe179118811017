package doctor

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

// Profile is a browser profile that has the extension, or once had.
type Profile struct {
	Browser browsers.Browser
	// UserDataDir is the folder of the browser's profiles, Dir the profile's
	// own in it.
	UserDataDir, Dir string
	// ID is the extension's, which may be another one than ours for a copy that
	// lost its key.
	ID string
	// Path is where an unpacked extension was loaded from.
	Path string
	// Version is the one that the browser ran last, or has.
	Version string
	// Unpacked says that it was loaded from a folder by hand, ByFlag from one
	// with --load-extension.
	Unpacked, ByFlag bool
	Enabled          bool
	DeveloperMode    bool
	// Broken is the file that could not be read, and Err why; nothing else is
	// known then.
	Broken string
	Err    error
}

// Name is what people call it, as far as that can be told without their own
// names in it.
func (p Profile) Name() string { return p.Browser.Name + " (" + cmp.Or(p.Dir, "profile") + ")" }

// Profiles reads the preferences of every profile of every browser, and writes
// nothing there.
func Profiles(env Env) []Profile {
	var all []Profile
	for _, b := range browsers.Known(env.Browsers) {
		for _, dir := range b.UserDataDirs {
			for _, p := range profilesIn(dir, env.Extension) {
				p.Browser = b
				all = append(all, p)
			}
		}
	}
	return all
}

// profilesIn reads one user data directory.
func profilesIn(userDataDir, extensionID string) []Profile {
	entries, err := os.ReadDir(userDataDir)
	if err != nil {
		return nil
	}
	names := []string{""} // older versions of Opera keep the one profile there
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			names = append(names, e.Name())
		}
	}
	var found []Profile
	for _, name := range names {
		if p, ok := readProfile(userDataDir, name, extensionID); ok {
			found = append(found, p)
		}
	}
	return found
}

// preferences is what is read of a profile's Preferences and of its Secure
// Preferences, which hold the same on different systems.
//
// See: https://source.chromium.org/chromium/chromium/src/+/main:extensions/browser/extension_prefs.cc
type preferences struct {
	Extensions struct {
		Settings map[string]setting `json:"settings"`
		UI       struct {
			DeveloperMode *bool `json:"developer_mode"`
		} `json:"ui"`
	} `json:"extensions"`
}

// setting is one extension in them.
type setting struct {
	Path     string `json:"path"`
	Location int    `json:"location"`
	// State is 0 for disabled and 1 for enabled in older versions.
	State *int `json:"state"`
	// Reasons are a number of bits, or a list in newer versions.
	Reasons  json.RawMessage `json:"disable_reasons"`
	Manifest struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"manifest"`
	Worker struct {
		Version string `json:"version"`
	} `json:"service_worker_registration_info"`
}

// Where an extension came from (ManifestLocation).
const (
	locationUnpacked    = 4
	locationCommandLine = 8
)

// readProfile reports false for what is no profile, or has no Sidekick.
func readProfile(userDataDir, dir, extensionID string) (Profile, bool) {
	p := Profile{UserDataDir: userDataDir, Dir: dir}
	all := map[string]setting{}
	for _, name := range []string{"Preferences", "Secure Preferences"} {
		file := filepath.Join(userDataDir, dir, name)
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var prefs preferences
		if err == nil {
			err = json.Unmarshal(b, &prefs)
		}
		if err != nil {
			// Only where it matters: there is something of ours.
			if _, serr := os.Stat(filepath.Join(userDataDir, dir, "Local Extension Settings", extensionID)); serr != nil {
				return p, false
			}
			p.Broken, p.Err = file, err
			return p, true
		}
		for id, s := range prefs.Extensions.Settings {
			if old, ok := all[id]; ok && s.Path == "" {
				s = old
			}
			all[id] = s
		}
		if mode := prefs.Extensions.UI.DeveloperMode; mode != nil {
			p.DeveloperMode = *mode
		}
	}
	s, ok := all[extensionID]
	// One that was taken out leaves a stub of a few fields.
	if p.ID = extensionID; !ok || s.Location == 0 {
		if p.ID, s, ok = lookalike(all); !ok {
			return p, false
		}
	}
	p.Path = s.Path
	p.Unpacked, p.ByFlag = s.Location == locationUnpacked, s.Location == locationCommandLine
	p.Enabled = !disabled(s)
	p.Version = cmp.Or(s.Worker.Version, s.Manifest.Version, manifestOf(s.Path).Version)
	return p, true
}

// lookalike finds a copy of the extension that was loaded from a folder without
// the key that gives it its id.
func lookalike(all map[string]setting) (string, setting, bool) {
	ids := []string{}
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s := all[id]
		if s.Location != locationUnpacked && s.Location != locationCommandLine {
			continue
		}
		m := manifestOf(s.Path)
		if m.Name == "Sidekick" && slices.Contains(m.Permissions, "nativeMessaging") && slices.Contains(m.Permissions, "debugger") {
			return id, s, true
		}
	}
	return "", setting{}, false
}

// extensionManifest is what is read of a manifest.json.
type extensionManifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Permissions []string `json:"permissions"`
}

func manifestOf(dir string) extensionManifest {
	var m extensionManifest
	if filepath.IsAbs(dir) {
		if b, err := os.ReadFile(filepath.Join(dir, "manifest.json")); err == nil {
			_ = json.Unmarshal(b, &m) // what is no JSON has no version
		}
	}
	return m
}

func disabled(s setting) bool {
	if s.State != nil && *s.State == 0 {
		return true
	}
	switch text := strings.TrimSpace(string(s.Reasons)); text {
	case "", "0", "[]", "null":
		return false
	}
	return true
}
