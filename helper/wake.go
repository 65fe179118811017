package helper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// target names the browser that agents wait for.
type target struct {
	managed bool
	profile string // empty, and not managed: any profile with the extension
}

// wake is one attempt to get a target's browser to connect. All who wait for
// that browser wait for the same attempt.
type wake struct {
	target    target
	connected chan struct{} // closed under the hub's lock
	since     time.Time
}

// Bounds of what one agent may have waiting for a browser.
const (
	maxParkedCalls = 4096
	maxParkedBytes = 2 * wire.MaxFrame
)

var errFlood = errors.New("too many requests wait for the browser")

// targetOf needs mu.
func (h *hub) targetOf(a *agent) target {
	rec := h.records[a.info.Pairing]
	if rec.Managed {
		return target{managed: true}
	}
	return target{profile: rec.Profile}
}

// serves reports whether a link is the one that t means.
func (t target) serves(l *link) bool {
	switch {
	case t.managed:
		return l.managed
	case t.profile != "":
		return l.profile == t.profile
	default:
		return !l.managed
	}
}

// linkFor is the link that a's requests go to, nil if its browser is not
// connected. An agent whose pairing belongs to no profile yet gets the one that
// connected last, and belongs to it from then on. It needs mu.
func (h *hub) linkFor(a *agent) *link {
	t := h.targetOf(a)
	if t.profile != "" {
		return h.profiles[t.profile]
	}
	var newest *link
	for _, l := range h.profiles {
		if t.serves(l) && (newest == nil || l.serial > newest.serial) {
			newest = l
		}
	}
	if newest != nil && !t.managed {
		h.bind(a.info.Pairing, newest)
	}
	return newest
}

// park lets c wait for its browser, and wakes that one. It needs mu.
func (h *hub) park(c *call) {
	a := c.agent
	bytes := len(c.msg.Params)
	for _, p := range a.parked {
		bytes += len(p.msg.Params)
	}
	if len(a.parked) >= maxParkedCalls || bytes > maxParkedBytes {
		a.fail(errFlood)
		return
	}
	a.parked = append(a.parked, c)
	t := h.targetOf(a)
	if h.wakes[t] != nil || h.ending {
		return
	}
	w := &wake{target: t, connected: make(chan struct{}), since: time.Now()}
	h.wakes[t] = w
	place := h.records[a.info.Pairing].Place
	lost := h.lost[t]
	h.wg.Go(func() {
		h.runWake(w, launch.Target{
			Managed: t.managed, Profile: t.profile,
			Browser: place.Browser, UserDataDir: place.UserDataDir, ProfileDir: place.ProfileDir,
		}, lost)
	})
}

// flush forwards what a has parked, in order. It needs mu.
func (h *hub) flush(a *agent, l *link) {
	calls := a.parked
	a.parked = nil
	for _, c := range calls {
		h.forward(l, c)
	}
}

// arrived ends the wakes that l is the answer to, and lets go what waited for
// it. It needs mu.
func (h *hub) arrived(l *link) {
	for t, w := range h.wakes {
		if t.serves(l) {
			close(w.connected)
			delete(h.wakes, t)
		}
	}
	for _, a := range h.agentsInOrder() {
		if len(a.parked) == 0 {
			continue
		}
		if next := h.linkFor(a); next != nil {
			h.flush(a, next)
		}
	}
}

// runWake brings the browser to connect, or fails what waits for it.
func (h *hub) runWake(w *wake, t launch.Target, lost time.Time) {
	ctx, cancel := context.WithTimeout(h.ctx, wakeBound)
	defer cancel()
	// A host that was killed, or that looks for this new helper, comes back by
	// itself sooner than a wake page would make it.
	if lost.IsZero() && h.opt.Launcher.Running(ctx, t) {
		lost = h.started
	}
	var tried []string
	if wait := time.Until(lost.Add(returnBound)); wait > 0 && !lost.IsZero() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-w.connected:
			return
		case <-ctx.Done():
		case <-timer.C:
			tried = append(tried, "waiting for the browser to come back by itself")
		}
	}
	h.log.Info("waking a browser", "managed", t.Managed, "profile", t.Profile, "exe", t.Browser)
	more, err := h.opt.Launcher.Wake(ctx, t, w.connected)
	tried = append(tried, more...)
	if err == nil {
		select {
		case <-w.connected:
			return
		case <-ctx.Done():
			err = fmt.Errorf("%w within %v", errSilent, wakeBound)
		}
	}
	var why *cause.Cause
	if h.opt.Diagnose != nil {
		// Not ctx, which may be what has ended.
		if c, ok := h.opt.Diagnose(h.ctx, t); ok {
			why = &c
		}
	}
	h.unwoken(w, tried, err, why)
}

// errSilent is the end of a wake that did all it could.
var errSilent = errors.New(cause.BrowserSilent.What)

// unwoken fails what waited for a browser that did not come.
func (h *hub) unwoken(w *wake, tried []string, err error, why *cause.Cause) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wakes[w.target] != w {
		return // it came just now
	}
	delete(h.wakes, w.target)
	var text strings.Builder
	fmt.Fprintf(&text, "no browser could be reached: %v", err)
	if len(tried) > 0 {
		fmt.Fprintf(&text, " (tried: %s)", strings.Join(tried, "; "))
	}
	switch known := (cause.Cause{}); {
	case why != nil && !errors.Is(err, *why):
		fmt.Fprintf(&text, ". Tell the user: %v; the next call tries again", why)
	case errors.As(err, &known) && !errors.Is(err, errSilent):
		text.WriteString(". Tell the user; the next call tries again")
	case errors.Is(err, errSilent):
		fmt.Fprintf(&text, ". Please %s", cause.BrowserSilent.Mend)
	default:
		text.WriteString(". Tell the user: this needs to be set right on the computer (\"sidekick-mcp doctor\" says what is wrong), and the next call tries again")
	}
	id := ""
	if why != nil {
		id = why.ID
	}
	h.log.Warn("a browser could not be woken", "err", err, "tried", tried, "why", id)
	for _, a := range h.agentsInOrder() {
		if h.targetOf(a) != w.target {
			continue
		}
		calls := a.parked
		a.parked = nil
		for _, c := range calls {
			h.fail(c, wire.Errorf(wire.CodeNoBrowser, "%s", text.String()))
		}
	}
}
