// Package doctor finds out which hop between an agent and a page is broken, and
// mends what can be mended safely. It is a package of its own because it looks
// at everything the others do from outside, as a user would, and so needs them
// all; none of them needs it. Each hop has a file of its own, and what a hop's
// check depends on is in [Env], so that the tables of every system are tested
// on any.
package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// State is how a hop stands.
type State string

// The states, the best first. Only Failed makes the whole a failure.
const (
	OK      State = "ok"
	Note    State = "note"    // worth knowing, nothing is wrong
	Warning State = "warning" // it works, or will by itself, and should be looked at
	Failed  State = "failed"
)

// Hop names a check, in the order in which they are made.
type Hop string

// The hops.
const (
	HopBinary     Hop = "binary"
	HopState      Hop = "state"
	HopKeyring    Hop = "keyring"
	HopPairings   Hop = "pairings"
	HopHosts      Hop = "agent-hosts"
	HopCache      Hop = "cache"
	HopHelper     Hop = "helper"
	HopService    Hop = "service"
	HopBrowsers   Hop = "browsers"
	HopManifest   Hop = "manifest"
	HopExtension  Hop = "extension"
	HopNativeHost Hop = "native-host"
	HopPolicies   Hop = "policies"
	HopRoundTrip  Hop = "round-trip"
)

// Finding is what one check found.
type Finding struct {
	Hop Hop `json:"hop"`
	// About is the browser, profile or file that it is about, if there may be
	// several.
	About string `json:"about,omitempty"`
	State State  `json:"state"`
	// Cause is the id of a [cause.Cause], "" when nothing is wrong.
	Cause string `json:"cause,omitempty"`
	// Text says how it stands, Mend what to do about it.
	Text string `json:"text"`
	Mend string `json:"mend,omitempty"`
	// Fixable says that [Fix] mends it.
	Fixable bool `json:"fixable,omitempty"`

	fix func(context.Context) (did string, err error)
}

// Service is the user service as its user sees it.
type Service struct {
	// Place is the unit's file, or a registry value; "" if there is none.
	Place string
	// Program is what it starts, "" if that cannot be told.
	Program string
	// Enabled says that it starts at login.
	Enabled bool
}

// Env is what the checks look at. Everything that is not a file is behind a
// function, so that a test can stand in for it.
type Env struct {
	Browsers browsers.Env
	Dirs     paths.Dirs
	DirsErr  error // why there are no Dirs
	Pairings *pairing.Store
	Version  string // of this program
	// Self is this program's file. Binary is the one that browsers are to
	// start, which may be a copy of it in a place that stays.
	Self, Binary string
	// Extension is the id, ExtensionVersion the version that this program
	// brings along, and ExtensionStamped the one of the folder that it unpacks.
	Extension, ExtensionVersion, ExtensionStamped string
	// Root is put before the places that belong to the system (policies); ""
	// but in tests.
	Root string
	// AsRoot says that what is started runs as root.
	AsRoot bool
	// Live says that a browser may be woken for the round trip.
	Live bool

	// Keyring asks the system's keyring for something.
	Keyring func(context.Context) error
	// VersionOf asks a program that may be sidekick-mcp for its version.
	VersionOf func(ctx context.Context, program string) (string, error)
	// Registry returns the default value of a key below HKEY_CURRENT_USER.
	Registry func(key string) (value string, ok bool)
	// Policies returns what one of a browser's places says (see policyPlaces).
	Policies func(ctx context.Context, place string) (map[string]any, error)
	// Service looks for the user service.
	Service func(context.Context) (Service, error)
	// Space returns how many bytes are free on the disk of a folder.
	Space func(dir string) (uint64, error)
	// Connect opens the way of an agent with a token, as a host's does.
	Connect func(token string) (browser.API, error)
	// Start starts the helper.
	Start func(context.Context) error
}

// Report is what doctor tells.
type Report struct {
	OK       bool      `json:"ok"`
	Version  string    `json:"version"`
	System   string    `json:"system"`
	Findings []Finding `json:"checks"`
}

// Fixed is one thing that [Fix] did, or tried to.
type Fixed struct {
	Hop   Hop    `json:"hop"`
	Cause string `json:"cause"`
	Did   string `json:"did,omitempty"`
	Error string `json:"error,omitempty"`
}

// checkup is one run.
type checkup struct {
	Env
	report   *Report
	tell     func(Finding)
	pairings []pairing.Pairing
	status   *wire.Status // of a helper that answers
	browsers []browsers.Installation
	profiles []Profile
	// brokenCopy is the installed copy of this program, if that cannot be
	// started or is another version.
	brokenCopy string
}

// bound is how long all checks but the round trip may take together; each of
// them has a bound of its own.
const bound = 2 * time.Minute

// Check makes all checks, and hands each finding to tell as it comes (nil for
// none). It starts nothing unless env.Live is set, and changes nothing, but that
// it makes the state folder if there is none: the pairing that the round trip
// needs is taken away again.
func Check(ctx context.Context, env Env, tell func(Finding)) Report {
	ctx, cancel := context.WithTimeoutCause(ctx, bound, errors.New("the checks took more than two minutes"))
	defer cancel()
	if tell == nil {
		tell = func(Finding) {}
	}
	c := &checkup{Env: env, tell: tell, report: &Report{OK: true, Version: env.Version, System: env.Browsers.GOOS, Findings: []Finding{}}}
	c.binary(ctx)
	c.installedCopy(ctx)
	if !c.stateFolder(ctx) {
		// What can still be looked at; who is paired may be among it.
		if env.DirsErr == nil {
			_ = c.readPairings(ctx)
		}
		c.installed(ctx)
		return *c.report
	}
	err := c.readPairings(ctx)
	c.keyring(ctx)
	c.keptPairings(err)
	c.hosts(ctx)
	c.caches(ctx)
	c.helper(ctx)
	c.service(ctx)
	c.installed(ctx)
	c.connected(ctx)
	c.roundTrips(ctx)
	return *c.report
}

// installed are the checks of what lies in the browsers' folders.
func (c *checkup) installed(ctx context.Context) {
	c.profiles = Profiles(c.Env)
	c.found(ctx)
	c.manifests(ctx)
	c.extensions(ctx)
	c.policies(ctx)
}

// Fix does what is safe about the findings of a report, and says what it did.
func Fix(ctx context.Context, r Report) []Fixed {
	done := []Fixed{}
	for _, f := range r.Findings {
		if f.fix == nil || ctx.Err() != nil {
			continue
		}
		d := Fixed{Hop: f.Hop, Cause: f.Cause}
		did, err := f.fix(ctx)
		if d.Did = did; err != nil {
			d.Error = err.Error()
		}
		done = append(done, d)
	}
	return done
}

func (c *checkup) add(f Finding) {
	f.Fixable = f.fix != nil
	if f.State == Failed {
		c.report.OK = false
	}
	c.report.Findings = append(c.report.Findings, f)
	c.tell(f)
}

// good notes that a hop is whole.
func (c *checkup) good(hop Hop, about, text string) {
	c.add(Finding{Hop: hop, About: about, State: OK, Text: text})
}

// note notes something that is neither good nor bad.
func (c *checkup) note(hop Hop, about, text string) {
	c.add(Finding{Hop: hop, About: about, State: Note, Text: text})
}

// finding makes one of a cause. fix is nil for what a person has to do.
func finding(hop Hop, about string, state State, why cause.Cause, fix func(context.Context) (string, error)) Finding {
	return Finding{Hop: hop, About: about, State: state, Cause: why.ID, Text: why.What, Mend: why.Mend, Fixable: fix != nil, fix: fix}
}

func (c *checkup) bad(hop Hop, about string, state State, why cause.Cause, fix func(context.Context) (string, error)) {
	c.add(finding(hop, about, state, why, fix))
}

// wantsOwn reports whether some agent is to use the user's own browser: as
// long as nobody is paired, that may be what is wanted.
func (c *checkup) wantsOwn() bool {
	for _, p := range c.pairings {
		if !p.Managed {
			return true
		}
	}
	return len(c.pairings) == 0
}

// wantsManaged reports whether some agent uses Sidekick's own browser.
func (c *checkup) wantsManaged() bool {
	for _, p := range c.pairings {
		if p.Managed {
			return true
		}
	}
	return false
}

// worse is Failed if something is needed, else Warning.
func worse(needed bool) State {
	if needed {
		return Failed
	}
	return Warning
}
