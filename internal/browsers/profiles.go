package browsers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Found is a browser profile that has our extension.
type Found struct {
	Browser Browser
	// Exe is the browser's executable, "" if it is not to be found: the
	// profile may be all that is left of it.
	Exe string
	// UserDataDir is the folder of the browser's profiles, ProfileDir the
	// profile's folder in it ("Default", "Profile 1"); "" is the user data
	// directory itself, as with older versions of Opera.
	UserDataDir, ProfileDir string
	// UsedAt is when the extension wrote to its storage last.
	UsedAt time.Time

	storage string // the folder of the extension's storage
}

// ErrNoProfile says that no profile was found that fits.
var ErrNoProfile = errors.New("no browser profile with the Sidekick extension was found")

// FindProfile returns the profile whose extension storage holds an id that the
// extension made for it. The error is [ErrNoProfile] when there is none.
func FindProfile(ctx context.Context, extensionID, profileID string) (Found, error) {
	all, err := ProfilesWith(ctx, extensionID)
	if err != nil {
		return Found{}, err
	}
	return holding(ctx, all, profileID)
}

// ProfilesWith returns the profiles of all browsers of this machine that have
// storage of the extension, the one used last first. None is no error.
func ProfilesWith(ctx context.Context, extensionID string) ([]Found, error) {
	env, err := HostEnv()
	if err != nil {
		return nil, err
	}
	return profilesWith(ctx, env, extensionID)
}

// ProfilesIn returns the profiles of one user data directory likewise, with
// neither browser nor executable.
func ProfilesIn(ctx context.Context, userDataDir, extensionID string) ([]Found, error) {
	if err := checkExtensionID(extensionID); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := scanProfiles(userDataDir, extensionID)
	sortByUse(found)
	return found, nil
}

func profilesWith(ctx context.Context, env Env, extensionID string) ([]Found, error) {
	if err := checkExtensionID(extensionID); err != nil {
		return nil, err
	}
	var all []Found
	for _, b := range Known(env) {
		for _, dir := range b.UserDataDirs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			found := scanProfiles(dir, extensionID)
			if len(found) == 0 {
				continue
			}
			exe, _ := b.Find()
			for _, f := range found {
				f.Browser, f.Exe = b, exe
				all = append(all, f)
			}
		}
	}
	sortByUse(all)
	return all, nil
}

// checkExtensionID keeps what is no id from becoming a part of a path.
func checkExtensionID(id string) error {
	if len(id) != 32 || slices.ContainsFunc([]byte(id), func(c byte) bool { return c < 'a' || c > 'p' }) {
		return fmt.Errorf("%q is not the id of an extension", id)
	}
	return nil
}

func sortByUse(found []Found) {
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(b.UsedAt.UnixNano(), a.UsedAt.UnixNano()) })
}

// scanProfiles looks into one user data directory.
func scanProfiles(userDataDir, extensionID string) []Found {
	var found []Found
	look := func(profile string) {
		storage := filepath.Join(userDataDir, profile, "Local Extension Settings", extensionID)
		if used, ok := lastWrite(storage); ok {
			found = append(found, Found{UserDataDir: userDataDir, ProfileDir: profile, UsedAt: used, storage: storage})
		}
	}
	entries, err := os.ReadDir(userDataDir)
	if err != nil {
		return nil // not there, or not ours to read: no profile of ours
	}
	look("")
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			look(e.Name())
		}
	}
	return found
}

// lastWrite returns the time of the newest file of a storage folder.
func lastWrite(storage string) (time.Time, bool) {
	entries, err := os.ReadDir(storage)
	if err != nil {
		return time.Time{}, false
	}
	var last time.Time
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last, true
}

// holding returns the first of the profiles whose storage has the id in it.
func holding(ctx context.Context, all []Found, profileID string) (Found, error) {
	if len(profileID) < 8 {
		return Found{}, fmt.Errorf("%q is too short for the id of a profile", profileID)
	}
	for _, f := range all {
		ok, err := storageHolds(ctx, f.storage, []byte(profileID))
		if err != nil {
			return Found{}, err
		}
		if ok {
			return f, nil
		}
	}
	return Found{}, ErrNoProfile
}
