package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
)

// extensions looks at the profiles that have the extension, and whether the
// pairings' are among them.
func (c *checkup) extensions(ctx context.Context) {
	c.extensionFolder()
	var usable []string
	there := false
	for _, p := range c.profiles {
		why, state, bad := judgeProfile(c.Env, p)
		there = there || p.ID == c.Extension && p.Broken == ""
		if bad {
			if state == Failed && !c.wantsOwn() {
				state = Warning
			}
			c.bad(HopExtension, p.Name(), state, why, nil)
		} else {
			c.good(HopExtension, p.Name(), fmt.Sprintf("the extension %s is on in %s", p.Version, p.Name()))
		}
		if p.usable() {
			usable = append(usable, p.Name())
		}
	}
	if !there && !c.connectedOwn() {
		if c.wantsOwn() {
			c.bad(HopExtension, "", Failed, cause.ExtensionAbsent, nil)
		} else {
			c.note(HopExtension, "", "no profile of yours has the extension, and no agent needs it: they use Sidekick's own browser")
		}
	}
	for _, p := range c.pairings {
		switch {
		case p.Managed:
		case p.Profile != "":
			if c.profileThere(ctx, p.Profile, p.UserDataDir) {
				continue
			}
			c.bad(HopExtension, p.Name, Failed, cause.ProfileGoneOf.About(fmt.Sprintf("%q", p.Name)), nil)
		case len(usable) > 1:
			c.bad(HopExtension, p.Name, Warning, cause.ExtensionAmbiguous.About(fmt.Sprint(len(usable)), strings.Join(usable, ", "), fmt.Sprintf("%q", p.Name)), nil)
		}
	}
}

func (p Profile) usable() bool { return p.Broken == "" && p.Enabled }

// judgeProfile says what is wrong with the extension in a profile, if something
// is.
func judgeProfile(env Env, p Profile) (why cause.Cause, state State, bad bool) {
	var unloadable string
	elsewhere := fromFolder(p) && !env.unpacked(p)
	if elsewhere {
		unloadable = launch.Loadable(p.Path)
	}
	switch {
	case p.Broken != "":
		return cause.PreferencesBroken.About(p.Broken, plain(p.Err)), Warning, true
	case p.ID != env.Extension:
		return cause.ExtensionOtherID.About(p.Name(), p.ID), Failed, true
	case !p.Enabled && p.Unpacked && !p.DeveloperMode:
		return cause.ExtensionDevMode.About(p.Name()), Failed, true
	case !p.Enabled:
		return cause.ExtensionDisabled.About(p.Name()), Failed, true
	case elsewhere && !exists(p.Path):
		return cause.ExtensionFolder.About(p.Path, p.Name(), cmp.Or(env.folder(), "its folder")), Failed, true
	case unloadable != "":
		return cause.ExtensionFiles.About(p.Path, unloadable), Failed, true
	case p.Unpacked && !p.DeveloperMode:
		return cause.ExtensionDevMode.About(p.Name()), Warning, true
	case p.Version != "" && !env.brings(p):
		return cause.ExtensionVersion.About(p.Name(), p.Version, env.ExtensionVersion), Warning, true
	}
	return cause.Cause{}, OK, false
}

// fromFolder reports whether a profile's extension is read from a folder of the
// user's each time that the browser starts.
func fromFolder(p Profile) bool { return (p.Unpacked || p.ByFlag) && p.Path != "" }

// folder is where install unpacks the extension; "" without a state folder.
func (env Env) folder() string {
	if env.Dirs.State == "" {
		return ""
	}
	return env.Dirs.Extension()
}

// unpacked reports whether a profile has its extension from that folder, be it
// there or not. A browser may know it by another name, without links.
func (env Env) unpacked(p Profile) bool {
	dir := env.folder()
	return fromFolder(p) && dir != "" && (filepath.Clean(p.Path) == filepath.Clean(dir) || real(p.Path) == real(dir))
}

func real(dir string) string {
	if above, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		return filepath.Join(above, filepath.Base(dir))
	}
	return dir
}

// brings reports whether a profile has the version of the extension that this
// program brings: the one of the folder that it unpacks, or, from anywhere else
// (the store, the sources), the one without a stamp.
func (env Env) brings(p Profile) bool {
	if p.Version == env.ExtensionStamped {
		return true
	}
	return p.Version == env.ExtensionVersion && !env.unpacked(p)
}

// extensionFolder looks whether the folder that install unpacked holds what this
// program brings, where a browser of the user's reads it or is to.
func (c *checkup) extensionFolder() {
	dir := c.folder()
	if dir == "" || !c.wantsOwn() {
		return // the managed browser's is unpacked as it starts
	}
	var used []string
	for _, p := range c.profiles {
		if c.unpacked(p) {
			used = append(used, p.Name())
		}
	}
	if len(used) == 0 && !exists(dir) && !exists(c.Dirs.Installed()) {
		return
	}
	fault, err := launch.Inspect(extension.FS, dir)
	if err != nil || fault.What == "" {
		return
	}
	why := cause.ExtensionFiles.About(dir, fault.What)
	if !exists(dir) {
		why = cause.ExtensionFolder.About(dir, cmp.Or(strings.Join(used, ", "), "your browser"), dir)
		if len(used) == 0 {
			why.What = fmt.Sprintf("the folder %s that the Sidekick extension is to be loaded from is not there any more", dir)
		}
	}
	c.bad(HopExtension, "", worse(len(used) > 0 && !fault.Runs), why, func(context.Context) (string, error) {
		_, err := launch.Unpack(extension.FS, dir)
		return "unpacked the extension into " + dir + "; press Reload on Sidekick at chrome://extensions, or start the browser again", err
	})
}

// connectedOwn reports whether a browser of the user's is connected: then its
// profile has the extension, wherever it lies.
func (c *checkup) connectedOwn() bool {
	if c.status != nil {
		for _, b := range c.status.Browsers {
			if !b.Managed {
				return true
			}
		}
	}
	return false
}

// profileThere reports whether the profile that the extension gave an id is
// there: it is connected, or its storage holds the id.
func (c *checkup) profileThere(ctx context.Context, id, userDataDir string) bool {
	if c.status != nil {
		for _, b := range c.status.Browsers {
			if b.Profile == id {
				return true
			}
		}
	}
	if userDataDir != "" {
		// One outside of the places that are known: its storage is looked for
		// where it was.
		if all, err := browsers.ProfilesIn(ctx, userDataDir, c.Extension); err == nil && len(all) > 0 {
			return true
		}
	}
	_, err := browsers.FindProfile(ctx, c.Extension, id)
	return !errors.Is(err, browsers.ErrNoProfile)
}
