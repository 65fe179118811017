package helper

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// agent is the connection of one agent. The hub's lock guards its fields.
type agent struct {
	*peer
	info  wire.Agent
	hello wire.Hello
	since time.Time

	calls  map[int64]*call // not answered yet, by the agent's own id
	parked []*call         // of these those that wait for a browser, in order
	gone   bool

	last wire.ActionStatus // zero before the first
}

// call is a request of an agent.
type call struct {
	agent *agent
	id    int64         // the agent's own
	msg   *wire.Message // as it came
	link  *link         // where it was forwarded to, nil while it is parked
	out   int64         // its id there
}

// serveAgent serves an agent from its hello on.
func (h *hub) serveAgent(ctx context.Context, p *peer, m *wire.Message, hello wire.Hello) {
	rec, werr := h.authenticate(ctx, hello.Token)
	hello.Token = ""
	if werr != nil {
		h.refuse(p, m, werr)
		return
	}
	a := &agent{peer: p, hello: hello, since: time.Now(), calls: make(map[int64]*call)}
	if !h.addAgent(a, rec, m) {
		h.refuse(p, m, wire.Errorf(wire.CodeRevoked, "this agent's pairing was revoked just now"))
		return
	}
	h.log.Info("an agent connected", "agent", a.info.ID, "pid", hello.PID)
	p.serve(
		func(m *wire.Message) { h.fromAgent(a, m) },
		func(prefix []byte, err *wire.Error) {
			if m := envelope(prefix); m.ID != 0 {
				p.send((&wire.Message{ID: m.ID, SessionID: m.SessionID}).Fail(err))
			}
		},
		func(o *outgoing, err error) {
			if o.msg.ID != 0 {
				p.send(o.msg.Fail(wire.Errorf(wire.CodeTooLarge, "the answer is too long: %v", err)))
			}
		},
	)
	h.removeAgent(a)
	h.log.Info("an agent left", "agent", a.info.ID, "why", p.reason())
}

// addAgent gives a its identity and answers its hello m. It reports false if
// the pairing has gone meanwhile.
func (h *hub) addAgent(a *agent, rec pairing.Pairing, m *wire.Message) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	rec, ok := h.records[rec.ID]
	if !ok {
		return false
	}
	// An agent that ended its connection to come back may be here before that
	// end is.
	if old := h.agents[rec.ID+"/"+a.hello.Slug]; old != nil && a.hello.Slug != "" && old.hello.PID == a.hello.PID {
		h.removeLocked(old)
		old.peer.fail(errReplaced)
	}
	slug := numbered(wire.Slug(a.hello.Client), a.hello.Slug, func(s string) bool {
		return h.agents[rec.ID+"/"+s] != nil
	})
	id := rec.ID + "/" + slug
	a.info = wire.Agent{
		ID: id, Pairing: rec.ID, Name: rec.Name, Slug: slug,
		Title: titleOf(rec.Name, slug), Color: colorOf(id), Managed: rec.Managed,
	}
	h.agents[id] = a
	a.send(m.Reply(wire.AgentWelcome{Agent: a.info, Version: h.opt.Version}))
	if h.leaving != nil {
		a.sendJSON(wire.MethodLeaving, struct{}{})
	}
	h.restIdle()
	return true
}

// removeAgent forgets a, whose connection has ended.
func (h *hub) removeAgent(a *agent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.removeLocked(a)
}

func (h *hub) removeLocked(a *agent) {
	if a.gone {
		return
	}
	a.gone = true
	delete(h.agents, a.info.ID)
	for _, c := range a.calls {
		h.forget(c)
	}
	a.parked = nil
	for profile, ids := range h.opened {
		// Without a link the extension is told when it comes back.
		if l := h.profiles[profile]; l != nil && ids[a.info.ID] {
			delete(ids, a.info.ID)
			l.sendJSON(wire.MethodAgentClosed, wire.AgentClosed{ID: a.info.ID})
		}
	}
	h.restIdle()
	h.leaveIfQuiet()
}

// fromAgent takes a frame of an agent.
func (h *hub) fromAgent(a *agent, m *wire.Message) {
	if m.ID == 0 {
		if m.Method == wire.MethodCancel {
			var c wire.Cancel
			if json.Unmarshal(m.Params, &c) == nil {
				h.cancel(a, c.ID)
			}
		}
		return
	}
	if m.Method == "" {
		return // an answer: agents are asked nothing
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.gone {
		return
	}
	if a.calls[m.ID] != nil {
		a.send((&wire.Message{ID: m.ID, SessionID: m.SessionID}).Fail(wire.Errorf(wire.CodeBadRequest, "the request id %d is in use: its first request is not answered yet", m.ID)))
		return
	}
	c := &call{agent: a, id: m.ID, msg: m}
	a.calls[c.id] = c
	a.last = wire.ActionStatus{Method: m.Method, At: time.Now().UTC()}
	// A call never overtakes one that is parked.
	if l := h.linkFor(a); l != nil && len(a.parked) == 0 {
		h.forward(l, c)
		return
	}
	h.park(c)
}

// cancel forgets a request that its agent no longer waits for. A sequence that
// is with the browser goes on being one: the browser begins no more of it, and
// answers how far it came.
func (h *hub) cancel(a *agent, id int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := a.calls[id]
	if c == nil {
		return
	}
	if c.link != nil && c.msg.Method == wire.MethodRun {
		c.link.push(&outgoing{msg: cancelOf(a.info.ID, c.out)})
		return
	}
	h.forget(c)
	a.parked = slices.DeleteFunc(a.parked, func(p *call) bool { return p == c })
}

// cancelOf is the word to a browser that nobody waits for a request.
func cancelOf(agent string, id int64) *wire.Message {
	b, err := json.Marshal(wire.Cancel{ID: id})
	if err != nil {
		panic(err) // our own struct
	}
	return &wire.Message{Agent: agent, Method: wire.MethodCancel, Params: b}
}

// forget takes c out of the books, so that an answer to it goes nowhere. It
// needs mu.
func (h *hub) forget(c *call) {
	delete(c.agent.calls, c.id)
	if c.link != nil {
		delete(c.link.calls, c.out)
	}
}

// answer ends c with its answer. It needs mu.
func (h *hub) answer(c *call, m *wire.Message) {
	h.forget(c)
	m.ID, m.SessionID, m.Agent = c.id, c.msg.SessionID, ""
	c.agent.send(m)
}

func (h *hub) fail(c *call, err *wire.Error) { h.answer(c, &wire.Message{Error: err}) }

// agentsInOrder needs mu.
func (h *hub) agentsInOrder() []*agent {
	return slices.SortedFunc(maps.Values(h.agents), func(a, b *agent) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.info.ID, b.info.ID))
	})
}

func envelope(prefix []byte) *wire.Message {
	m := ipc.Envelope(prefix)
	return &m
}
