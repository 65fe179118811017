package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// connected looks which browsers are connected, and for those that run with
// the extension and are not.
func (c *checkup) connected(context.Context) {
	if c.status != nil {
		for _, b := range c.status.Browsers {
			c.good(HopNativeHost, b.Browser, fmt.Sprintf("%s is connected (native host: process %d)", browserName(b.Browser, b.Managed), b.PID))
		}
	}
	told := map[string]bool{}
	for _, p := range c.profiles {
		if !p.usable() || told[p.UserDataDir] || c.connectedFrom(p.UserDataDir) || !launch.InUse(p.UserDataDir) {
			continue
		}
		told[p.UserDataDir] = true
		// Not a failure: a call that needs it opens the wake page in it.
		c.bad(HopNativeHost, p.Browser.Name, Warning, cause.NotConnected.About(p.Browser.Name), nil)
	}
	if len(told) == 0 && (c.status == nil || len(c.status.Browsers) == 0) {
		c.note(HopNativeHost, "", "no browser is connected just now; an agent's call wakes the one that it needs")
	}
}

// connectedFrom reports whether a browser with these profiles is connected. Not
// every system says which folder a browser uses.
func (c *checkup) connectedFrom(userDataDir string) bool {
	if c.status == nil {
		return false
	}
	for _, b := range c.status.Browsers {
		if !b.Managed && (b.UserDataDir == "" || b.UserDataDir == userDataDir) {
			return true
		}
	}
	return false
}

// browserName is a browser as people tell it from others.
func browserName(name string, managed bool) string {
	if managed {
		return "Sidekick's own browser (" + name + ")"
	}
	return name
}

// probeName begins the name of the pairing that the round trip uses.
const probeName = "Sidekick doctor"

// The bounds of one round trip: a browser may take 20 s to be woken.
const (
	tripBound  = 30 * time.Second
	closeBound = 5 * time.Second
)

// trip is a round trip that is to be made.
type trip struct {
	name string
	opt  pairing.Options
}

// roundTrips goes the whole way: an agent of doctor's own opens an empty tab,
// reads it and closes it. Only browsers that are connected are asked, unless it
// may wake one.
func (c *checkup) roundTrips(ctx context.Context) {
	trips := c.trips()
	if len(trips) == 0 {
		c.note(HopRoundTrip, "", `not tried, for no browser is connected: "sidekick-mcp doctor --live" wakes one`)
		return
	}
	for _, t := range trips {
		began := time.Now()
		if err := c.roundTrip(ctx, t.opt); err != nil {
			c.bad(HopRoundTrip, t.name, Failed, cause.RoundTripFail.About(t.name, strings.TrimSuffix(err.Error(), ".")), nil)
			continue
		}
		c.good(HopRoundTrip, t.name, fmt.Sprintf("a tab of %s was opened, read and closed in %d ms", t.name, time.Since(began).Milliseconds()))
	}
}

func (c *checkup) trips() []trip {
	var trips []trip
	own, managed := false, false
	if c.status != nil {
		for _, b := range c.status.Browsers {
			t := trip{name: browserName(b.Browser, b.Managed), opt: pairing.Options{Managed: b.Managed}}
			if !b.Managed {
				t.opt.Place = pairing.Place{Profile: b.Profile, Browser: b.Exe, UserDataDir: b.UserDataDir}
			}
			own, managed = own || !b.Managed, managed || b.Managed
			trips = append(trips, t)
		}
	}
	if !c.Live {
		return trips
	}
	if !managed && c.wantsManaged() {
		trips = append(trips, trip{name: "Sidekick's own browser", opt: pairing.Options{Managed: true}})
	}
	if !own && c.wantsOwn() {
		t := trip{name: "your browser"}
		for _, p := range c.pairings {
			if !p.Managed && p.Profile != "" {
				t.opt.Place = p.Place
			}
		}
		trips = append(trips, t)
	}
	return trips
}

// roundTrip makes one, with a pairing of its own that is gone afterwards.
func (c *checkup) roundTrip(ctx context.Context, opt pairing.Options) error {
	ctx, cancel := context.WithTimeoutCause(ctx, tripBound, fmt.Errorf("not done within %v", tripBound))
	defer cancel()
	if err := c.sweep(ctx); err != nil {
		return err
	}
	p, token, err := c.Env.Pairings.Add(ctx, probeName+" "+strconv.Itoa(os.Getpid()), opt)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeBound)
		defer cancel()
		if c.Env.Pairings.Remove(ctx, p.ID) == nil {
			_ = helper.NotifyPairings(ctx, c.Dirs) // it would see by itself at the next agent's hello
		}
	}()
	api, err := c.Connect(token.Reveal())
	if err != nil {
		return err
	}
	defer api.Close()
	if err := openReadClose(ctx, api); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}

// sweep takes away pairings of doctors that were killed.
func (c *checkup) sweep(ctx context.Context) error {
	list, err := c.Env.Pairings.List(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		if strings.HasPrefix(p.Name, probeName) && time.Since(p.CreatedAt) > 2*bound {
			if err := c.Env.Pairings.Remove(ctx, p.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func openReadClose(ctx context.Context, api browser.API) (err error) {
	out, err := api.OpenTab(ctx, "")
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeBound)
		defer cancel()
		_, cerr := api.CloseTab(ctx, out.Tab.ID)
		err = cmp.Or(err, cerr)
	}()
	read, err := api.ReadPage(ctx, browser.ReadArgs{Tab: out.Tab.ID})
	if err != nil {
		return err
	}
	if read.Tab.ID != out.Tab.ID {
		return errors.New("another tab was read than the one that was opened")
	}
	return nil
}
