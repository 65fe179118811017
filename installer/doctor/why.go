package doctor

import (
	"context"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// whyBound bounds Why: somebody has waited long enough already.
const whyBound = 5 * time.Second

// Why looks for the reason that a browser does not connect, as far as it can be
// told from files, so that an agent is told the same as doctor would tell. It
// reports false if all seems well.
func Why(ctx context.Context, env Env, t launch.Target) (cause.Cause, bool) {
	ctx, cancel := context.WithTimeout(ctx, whyBound)
	defer cancel()
	var id string // of the browser that is meant, if it is known
	if t.Browser != "" {
		if b, ok := browsers.Identify(t.Browser); ok {
			id = b.ID
		}
	}
	c := &checkup{Env: env, report: &Report{}, tell: func(Finding) {}, pairings: []pairing.Pairing{{Managed: t.Managed}}}
	c.found(ctx)
	if !t.Managed {
		for _, p := range Profiles(env) {
			if (id == "" || p.Browser.ID == id) && (t.UserDataDir == "" || p.UserDataDir == t.UserDataDir) {
				c.profiles = append(c.profiles, p)
			}
		}
		// A browser that has the extension nowhere is not the one.
		var meant []browsers.Installation
		for _, b := range c.browsers {
			if id == b.ID || id == "" && hasExtension(c.profiles, b.ID) {
				meant = append(meant, b)
			}
		}
		c.browsers = meant
		c.extensionFolder()
		for _, p := range c.profiles {
			if why, state, bad := judgeProfile(env, p); bad && state == Failed {
				c.bad(HopExtension, p.Name(), state, why, nil)
			}
		}
		c.manifests(ctx)
	}
	c.policies(ctx)
	for _, f := range c.report.Findings {
		if f.State == Failed {
			return cause.Cause{ID: f.Cause, What: f.Text, Mend: f.Mend}, true
		}
	}
	return cause.Cause{}, false
}

func hasExtension(profiles []Profile, browserID string) bool {
	for _, p := range profiles {
		if p.Browser.ID == browserID {
			return true
		}
	}
	return false
}
