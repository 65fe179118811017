package helper

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// link is the connection of one browser profile: of its native host, and then
// of its extension. The hub's lock guards the fields after peer.
type link struct {
	*peer
	hello   wire.Hello
	managed bool // of Sidekick's own browser

	profile string // after browser.hello
	browser string
	serial  int64
	calls   map[int64]*call // forwarded and not answered, by their id here
	lastOut int64

	extension string // its version
	groups    []wire.GroupStatus
}

var errReplaced = errors.New("the same browser profile connected anew")

// serveLink serves a browser from its native host's hello on.
func (h *hub) serveLink(p *peer, m *wire.Message, hello wire.Hello) {
	l := &link{
		peer: p, hello: hello, calls: make(map[int64]*call),
		managed: hello.UserDataDir != "" && sameFile(hello.UserDataDir, h.opt.Dirs.ManagedProfile()),
	}
	h.mu.Lock()
	h.links[l] = struct{}{}
	h.restIdle()
	h.mu.Unlock()
	p.send(m.Reply(struct{}{}))
	p.serve(
		func(m *wire.Message) { h.fromBrowser(l, m) },
		func(prefix []byte, err *wire.Error) { h.brokenFromBrowser(l, prefix, err) },
		func(o *outgoing, err error) {
			if o.call == nil {
				return
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if o.call.link == l {
				h.fail(o.call, wire.Errorf(wire.CodeTooLarge, "%s is too long: %v", o.msg.Method, err))
			}
		},
	)
	h.removeLink(l)
}

// removeLink forgets a link whose connection has ended. What was under way on
// it has an unknown outcome; what never left waits for the next link.
func (h *hub) removeLink(l *link) {
	unsent := l.unsent()
	reason := l.reason()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log.Info("a browser left", "profile", l.profile, "browser", l.browser, "why", cmp.Or(reason, errEnded))
	delete(h.links, l)
	if l.profile != "" && h.profiles[l.profile] == l {
		delete(h.profiles, l.profile)
		now := time.Now()
		if l.managed {
			h.lost[target{managed: true}] = now
		} else {
			h.lost[target{}] = now
		}
		h.lost[target{profile: l.profile}] = now
		// Those who wait for nothing now would not notice that events of
		// their tabs may be missing.
		for id := range h.opened[l.profile] {
			if a := h.agents[id]; a != nil {
				a.sendJSON(wire.MethodDisconnected, struct{}{})
			}
		}
	}
	repark := make(map[*agent][]*call)
	for _, c := range unsent {
		if c.link == l && c.agent.calls[c.id] == c && !h.ending {
			delete(l.calls, c.out)
			c.link = nil
			repark[c.agent] = append(repark[c.agent], c)
		}
	}
	for _, c := range l.calls {
		h.fail(c, wire.Errorf(wire.CodeHopLost, "the connection to the browser broke (the native host or the extension's worker ended) while %s was under way; its outcome is unknown: read the page", c.msg.Method))
	}
	for a, calls := range repark {
		later := a.parked
		a.parked = nil
		for _, c := range slices.Concat(calls, later) {
			h.park(c)
		}
		if next := h.linkFor(a); next != nil {
			h.flush(a, next)
		}
	}
	h.restIdle()
}

// fromBrowser takes a frame of a browser.
func (h *hub) fromBrowser(l *link, m *wire.Message) {
	switch {
	case m.Method == wire.MethodBrowserHello && m.ID != 0:
		h.browserHello(l, m)
	case m.Method != "" && m.ID != 0 && m.Agent == "":
		// Files are written for these: not in the way of the agents' frames.
		h.wg.Go(func() { l.send(h.settings(l, m)) })
	case m.Method != "":
		if m.Agent == "" {
			if m.Method == wire.MethodBrowserGroups {
				h.noteGroups(l, m)
			}
			return // ping
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		// The extension of one profile speaks for the agents that use it only.
		if a := h.agents[m.Agent]; a != nil && h.opened[l.profile][m.Agent] {
			m.Agent, m.ID = "", 0
			a.send(m)
		}
	default:
		h.mu.Lock()
		defer h.mu.Unlock()
		// An answer that nobody waits for any more finds no call.
		if c := l.calls[m.ID]; c != nil {
			h.answer(c, m)
		}
	}
}

// brokenFromBrowser ends the one call, or answers the one request, that a frame
// was about which could not be taken.
func (h *hub) brokenFromBrowser(l *link, prefix []byte, err *wire.Error) {
	m := envelope(prefix)
	if m.ID == 0 {
		return
	}
	if m.Method != "" {
		l.send(m.Fail(err))
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := l.calls[m.ID]; c != nil {
		h.fail(c, wire.Errorf(err.Code, "the browser's answer to %s could not be taken: %s", c.msg.Method, err.Message))
	}
}

// browserHello lets l serve its profile.
func (h *hub) browserHello(l *link, m *wire.Message) {
	var hello wire.BrowserHello
	if err := json.Unmarshal(m.Params, &hello); err != nil || hello.Profile == "" {
		l.send(m.Fail(wire.Errorf(wire.CodeBadRequest, "the params of %s are wrong: they need a profile", m.Method)))
		return
	}
	if !wire.Speaks(hello.Oldest, hello.Protocol) {
		l.send(m.Fail(extensionVersionError(hello, h.opt.Version)))
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.profiles[l.profile]; old == l && l.profile != hello.Profile {
		delete(h.profiles, l.profile)
	}
	if old := h.profiles[hello.Profile]; old != nil && old != l {
		old.fail(errReplaced)
	}
	h.serial++
	l.profile, l.browser, l.serial, l.extension = hello.Profile, hello.Browser, h.serial, hello.Version
	h.profiles[l.profile] = l
	h.log.Info("a browser connected", "profile", l.profile, "browser", l.browser, "extension", hello.Version,
		"exe", l.hello.Exe, "user_data_dir", l.hello.UserDataDir, "managed", l.managed)

	agents := []wire.Agent{}
	for _, a := range h.agentsInOrder() {
		if h.opened[l.profile][a.info.ID] {
			agents = append(agents, a.info)
		}
	}
	l.send(m.Reply(wire.BrowserWelcome{Version: h.opt.Version, Pairings: h.listFor(l).Pairings, Managed: l.managed, Agents: agents}))
	for _, id := range slices.Sorted(maps.Keys(h.opened[l.profile])) {
		if a := h.agents[id]; a != nil {
			l.sendJSON(wire.MethodAgentOpened, a.info)
		} else {
			delete(h.opened[l.profile], id)
			l.sendJSON(wire.MethodAgentClosed, wire.AgentClosed{ID: id})
		}
	}
	h.rememberPlace(l)
	h.arrived(l)
}

func extensionVersionError(hello wire.BrowserHello, version string) *wire.Error {
	if hello.Protocol > wire.ProtocolVersion {
		return wire.Errorf(wire.CodeVersion, "%v", cause.ExtensionNewer.About(version, hello.Version))
	}
	return wire.Errorf(wire.CodeVersion, "%v", cause.ExtensionOlder.About(hello.Version, version))
}

// forward sends c to a browser. It needs mu.
func (h *hub) forward(l *link, c *call) {
	id := c.agent.info.ID
	if !h.opened[l.profile][id] {
		if h.opened[l.profile] == nil {
			h.opened[l.profile] = make(map[string]bool)
		}
		h.opened[l.profile][id] = true
		l.sendJSON(wire.MethodAgentOpened, c.agent.info)
	}
	l.lastOut++
	c.link, c.out = l, l.lastOut
	l.calls[c.out] = c
	l.push(&outgoing{call: c, msg: &wire.Message{
		ID: c.out, Agent: id, SessionID: c.msg.SessionID, Method: c.msg.Method, Params: c.msg.Params,
	}})
}

// sendJSON sends an event whose params encode for sure.
func (p *peer) sendJSON(method string, params any) {
	b, err := json.Marshal(params)
	if err != nil {
		panic(err) // our own structs
	}
	p.send(&wire.Message{Method: method, Params: b})
}

// place is what l's pairings are to be found by later.
func (l *link) place() pairing.Place {
	return pairing.Place{Profile: l.profile, Browser: l.hello.Exe, UserDataDir: l.hello.UserDataDir}
}

// linksInOrder are the links that serve a profile, the newest last. It needs
// mu.
func (h *hub) linksInOrder() []*link {
	return slices.SortedFunc(maps.Values(h.profiles), func(a, b *link) int { return cmp.Compare(a.serial, b.serial) })
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}
