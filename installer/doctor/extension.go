package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// extensions looks at the profiles that have the extension, and whether the
// pairings' are among them.
func (c *checkup) extensions(ctx context.Context) {
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
	switch {
	case p.Broken != "":
		return cause.PreferencesBroken.About(p.Broken, plain(p.Err)), Warning, true
	case p.ID != env.Extension:
		return cause.ExtensionOtherID.About(p.Name(), p.ID), Failed, true
	case !p.Enabled && p.Unpacked && !p.DeveloperMode:
		return cause.ExtensionDevMode.About(p.Name()), Failed, true
	case !p.Enabled:
		return cause.ExtensionDisabled.About(p.Name()), Failed, true
	case (p.Unpacked || p.ByFlag) && p.Path != "" && !exists(p.Path):
		return cause.ExtensionFolder.About(p.Path, p.Name()), Failed, true
	case p.Unpacked && !p.DeveloperMode:
		return cause.ExtensionDevMode.About(p.Name()), Warning, true
	case p.Version != "" && p.Version != env.ExtensionVersion:
		return cause.ExtensionVersion.About(p.Name(), p.Version, env.ExtensionVersion), Warning, true
	}
	return cause.Cause{}, OK, false
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
