package helper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

const profileA, profileB = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

func TestIdentity(t *testing.T) {
	h := start(t)
	p, token := h.pair("FrogBot", pairing.Options{})
	a := h.agent(token, "Research & Write!")
	want := wire.Agent{
		ID: p.ID + "/research-write", Pairing: p.ID, Name: "FrogBot", Slug: "research-write",
		Title: "FrogBot · research-write", Color: colorOf(p.ID + "/research-write"),
	}
	if a.info != want {
		t.Errorf("the agent is %+v, want %+v", a.info, want)
	}
	b := h.agent(token, "research write")
	c := h.agent(token, "research-write")
	if b.info.Slug != "research-write 2" || c.info.Slug != "research-write 3" || b.info.Title != "FrogBot · research-write 2" {
		t.Errorf("the second and third of a name are %q and %q", b.info.Slug, c.info.Slug)
	}
	// The number is free again when the connection ends.
	b.conn.Close()
	waitFor(t, "the second to be gone", func() bool { return h.agentCount() == 2 })
	if d := h.agent(token, "research-write"); d.info.Slug != "research-write 2" {
		t.Errorf("the next one is %q, want the number that is free again", d.info.Slug)
	}
	// Another pairing has its own names.
	_, other := h.pair("Other", pairing.Options{})
	if e := h.agent(other, "research-write"); e.info.Slug != "research-write" {
		t.Errorf("an agent of another pairing is %q", e.info.Slug)
	}
}

func (h *testHelper) status() wire.Status {
	h.t.Helper()
	s, err := Status(context.Background(), h.opt.Dirs)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *testHelper) agentCount() int { return len(h.status().Agents) }

func TestReconnectKeepsSlug(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	hello := agentHello(token, "researcher")
	hello.Slug = "researcher 2"
	var welcome wire.AgentWelcome
	h.connect().ask(wire.MethodHello, hello, &welcome)
	if welcome.Agent.Slug != "researcher 2" {
		t.Errorf("the agent that came back is %q, want its old slug", welcome.Agent.Slug)
	}
	// Somebody else's slug is not to be had by asking.
	hello.Slug = "writer"
	h.connect().ask(wire.MethodHello, hello, &welcome)
	if welcome.Agent.Slug != "researcher" {
		t.Errorf("the agent got the slug %q", welcome.Agent.Slug)
	}
}

// Two agents' frames interleave on one link, with the same ids, and each gets
// its own answers and events only.
func TestTwoAgentsNeverMix(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	b.echo()
	const calls = 200
	agents := []*testAgent{h.agent(token, "researcher"), h.agent(token, "writer")}
	var wg sync.WaitGroup
	for _, a := range agents {
		wg.Go(func() {
			for i := range int64(calls) {
				a.conn.Write(&wire.Message{ID: 1 + i, Agent: agents[1].info.ID, SessionID: "t1", Method: "Page.navigate", Params: raw(i)})
			}
		})
		wg.Go(func() {
			for i := range int64(calls) {
				m := a.read()
				var e echoed
				if err := json.Unmarshal(m.Result, &e); err != nil {
					t.Errorf("%s: %v", m.Result, err)
					return
				}
				if m.ID != 1+i || e.Agent != a.info.ID || string(e.Params) != fmt.Sprint(i) || m.Agent != "" || m.SessionID != "t1" {
					t.Errorf("%s got %+v with %+v as its answer %d", a.info.Slug, m, e, i)
				}
			}
		})
	}
	wg.Wait()
}

func TestEventsGoToTheirAgent(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	r, w := h.agent(token, "researcher"), h.agent(token, "writer")
	idle := h.agent(token, "idle")
	for _, a := range []*testAgent{r, w} {
		id := a.send("Target.getTargets", struct{}{})
		var opened wire.Agent
		for {
			m := b.read()
			if m.Method == wire.MethodAgentOpened {
				json.Unmarshal(m.Params, &opened)
				continue
			}
			if m.Method == wire.MethodPairingsChanged {
				continue
			}
			if opened != a.info || m.Agent != a.info.ID {
				t.Errorf("the first frame of %s came after agent.opened %+v", m.Agent, opened)
			}
			b.write(m.Reply(struct{}{}))
			break
		}
		a.answer(id)
	}
	b.write(&wire.Message{Agent: w.info.ID, SessionID: "t1", Method: "Page.loadEventFired", Params: raw(1)})
	b.write(&wire.Message{Agent: "nobody/x", Method: "Page.loadEventFired", Params: raw(2)})
	b.write(&wire.Message{Agent: idle.info.ID, Method: "Page.loadEventFired", Params: raw(3)}) // uses another profile, for all we know
	b.write(&wire.Message{Method: "ping"})
	b.write(&wire.Message{Agent: r.info.ID, Method: "Page.loadEventFired", Params: raw(4)})
	if m := w.read(); m.Agent != "" || m.SessionID != "t1" || string(m.Params) != "1" {
		t.Errorf("the writer got %+v", m)
	}
	if m := r.read(); string(m.Params) != "4" {
		t.Errorf("the researcher got %+v", m)
	}
	if n := len(idle.in); n != 0 {
		t.Errorf("an agent that uses no profile got %d frames", n)
	}
}

func TestAgentClosed(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	a.send("Target.getTargets", struct{}{})
	b.request()
	a.conn.Close()
	var closed wire.AgentClosed
	for {
		m := b.read()
		if m.Method == wire.MethodPairingsChanged {
			continue
		}
		if m.Method != wire.MethodAgentClosed {
			t.Fatalf("got %+v, want agent.closed", m)
		}
		json.Unmarshal(m.Params, &closed)
		break
	}
	if closed.ID != a.info.ID {
		t.Errorf("agent.closed says %q", closed.ID)
	}
}

func TestCancel(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	first := a.send("Runtime.evaluate", struct{}{})
	one := b.request()
	a.write(&wire.Message{Method: wire.MethodCancel, Params: raw(wire.Cancel{ID: first})})
	second := a.send("Page.navigate", struct{}{})
	two := b.request()
	if two.Method != "Page.navigate" {
		t.Fatalf("the browser got %s", two.Method)
	}
	b.write(one.Reply("late"))
	b.write(two.Reply("right"))
	if m := a.read(); m.ID != second || string(m.Result) != `"right"` {
		t.Errorf("the agent got %+v %s, want the answer to its second request alone", m, m.Result)
	}
	// The id of a cancelled request is free again.
	a.write(&wire.Message{ID: first, Method: "Page.reload"})
	b.write(b.request().Reply("again"))
	if m := a.read(); m.ID != first || string(m.Result) != `"again"` {
		t.Errorf("the agent got %+v %s", m, m.Result)
	}
}

// A sequence is called off where it runs, and still answered: by how far it came.
func TestCancelOfASequence(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	other := h.agent(token, "writer")
	other.send("Target.getTargets", struct{}{})
	b.request()
	id := a.send(wire.MethodRun, struct{}{})
	run := b.request()
	// Not by another agent, whatever number it says.
	other.write(&wire.Message{Method: wire.MethodCancel, Params: raw(wire.Cancel{ID: id + 1})})
	a.write(&wire.Message{Method: wire.MethodCancel, Params: raw(wire.Cancel{ID: id})})
	m := b.read()
	var c wire.Cancel
	if err := json.Unmarshal(m.Params, &c); err != nil || c.ID != run.ID || m.Agent != a.info.ID {
		t.Fatalf("the browser got %+v %s, want the cancel of its request %d", m, m.Params, run.ID)
	}
	b.write(run.Reply("so far"))
	if m := a.answer(id); string(m.Result) != `"so far"` {
		t.Errorf("the agent got %+v %s", m, m.Result)
	}
}

func TestLinkLostInFlight(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	id := a.send("Page.navigate", struct{}{})
	b.request()
	b.conn.Close()
	m := a.answer(id)
	if m.Error == nil || m.Error.Code != wire.CodeHopLost || !strings.Contains(m.Error.Message, "Page.navigate") {
		t.Fatalf("the agent got %+v, want CodeHopLost that names the method", m.Error)
	}
	// The next call waits for the link to come back and then works.
	id = a.send("Page.reload", struct{}{})
	again := h.browser(profileA)
	if len(again.welcome.Agents) != 1 || again.welcome.Agents[0] != a.info {
		t.Errorf("the browser that came back was told of %+v, want the agent that used it", again.welcome.Agents)
	}
	again.write(again.request().Reply("ok"))
	if m := a.answer(id); string(m.Result) != `"ok"` {
		t.Errorf("the agent got %+v", m)
	}
	if n := len(h.launcher.woken()); n != 0 {
		t.Errorf("%d browsers were woken though the link came back by itself", n)
	}
}

// An agent that leaves while the browser is away is reported closed when the
// browser comes back.
func TestAgentClosedWhileAway(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	a.send("Page.navigate", struct{}{})
	b.request()
	b.conn.Close()
	a.read()
	a.conn.Close()
	waitFor(t, "the agent to be gone", func() bool { return h.agentCount() == 0 })
	again := h.browser(profileA)
	if len(again.welcome.Agents) != 0 {
		t.Errorf("the browser was told of %+v", again.welcome.Agents)
	}
	var closed wire.AgentClosed
	again.event(wire.MethodAgentClosed, &closed)
	if closed.ID != a.info.ID {
		t.Errorf("agent.closed says %q", closed.ID)
	}
}

func TestSecondConnectionOfAProfileReplaces(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	a := h.agent(token, "researcher")
	old := h.browser(profileA)
	id := a.send("Page.navigate", struct{}{})
	old.request()
	fresh := h.browser(profileA)
	old.ends()
	if m := a.answer(id); m.Error == nil || m.Error.Code != wire.CodeHopLost {
		t.Errorf("what was under way on the old connection got %+v", m)
	}
	id = a.send("Page.reload", struct{}{})
	fresh.write(fresh.request().Reply(1))
	if m := a.answer(id); m.Error != nil {
		t.Error(m.Error)
	}
	if s := h.status(); len(s.Browsers) != 1 {
		t.Errorf("the status lists %+v", s.Browsers)
	}
}

func TestUnboundPairingBelongsToTheNewest(t *testing.T) {
	h := start(t)
	p, token := h.pair("FrogBot", pairing.Options{})
	h.browser(profileA)
	b := h.browser(profileB)
	a := h.agent(token, "researcher")
	a.send("Page.navigate", struct{}{})
	b.request()
	waitFor(t, "the pairing to be bound", func() bool {
		got, err := h.opt.Pairings.Find(context.Background(), p.ID)
		return err == nil && got.Place == pairing.Place{Profile: profileB, Browser: "/opt/browser", UserDataDir: "/home/me/.config/browser"}
	})
	// A newer one does not take it over.
	c := h.browser("cccccccccccccccccccccccccccccccc")
	a.send("Page.reload", struct{}{})
	if m := b.request(); m.Method != "Page.reload" {
		t.Errorf("the first profile got %s", m.Method)
	}
	for range len(c.in) {
		if m := c.read(); m.Method != wire.MethodPairingsChanged {
			t.Errorf("the newest profile got %+v", m)
		}
	}
}

func TestManagedPairingUsesTheManagedBrowserOnly(t *testing.T) {
	h := start(t)
	_, managed := h.pair("Demo", pairing.Options{Managed: true})
	_, own := h.pair("FrogBot", pairing.Options{})
	mb := h.browserIn(profileB, h.opt.Dirs.ManagedProfile())
	ub := h.browser(profileA)
	if ub.welcome.Managed || !mb.welcome.Managed {
		t.Errorf("the browsers were told managed=%v and %v, want false and true", ub.welcome.Managed, mb.welcome.Managed)
	}
	ma, ua := h.agent(managed, "demo"), h.agent(own, "researcher")
	ma.send("Page.navigate", struct{}{})
	if m := mb.request(); m.Agent != ma.info.ID {
		t.Errorf("the managed browser got a frame of %s", m.Agent)
	}
	ua.send("Page.navigate", struct{}{})
	if m := ub.request(); m.Agent != ua.info.ID {
		t.Errorf("the user's browser got a frame of %s", m.Agent)
	}
}

func TestBadFrames(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")

	if err := a.conn.WriteFrame([]byte(`{"id":7,"sessionId":"t1","method":"Page.navigate","params":{"x}`)); err != nil {
		t.Fatal(err)
	}
	if m := a.read(); m.ID != 7 || m.Error == nil || m.Error.Code != wire.CodeBadRequest || m.SessionID != "t1" {
		t.Errorf("a broken frame got %+v", m)
	}
	big := append([]byte(`{"id":8,"method":"Runtime.evaluate","params":"`), bytes.Repeat([]byte("x"), wire.MaxFrame)...)
	nc := rawConn(t, h, agentHello(token, "other"))
	writeRaw(t, nc, append(big, `"}`...))
	m, err := nc.Read()
	if err != nil || m.ID != 8 || m.Error == nil || m.Error.Code != wire.CodeTooLarge {
		t.Errorf("a frame over the limit got %+v, %v", m, err)
	}

	// A broken answer fails its own call only.
	first, second := a.send("Page.navigate", struct{}{}), a.send("Page.reload", struct{}{})
	one, two := b.request(), b.request()
	if err := b.conn.WriteFrame(fmt.Appendf(nil, `{"id":%d,"result":{"x}`, one.ID)); err != nil {
		t.Fatal(err)
	}
	b.write(two.Reply("ok"))
	if m := a.answer(first); m.Error == nil || m.Error.Code != wire.CodeBadRequest || !strings.Contains(m.Error.Message, "Page.navigate") {
		t.Errorf("the call with the broken answer got %+v", m.Error)
	}
	if m := a.answer(second); string(m.Result) != `"ok"` {
		t.Errorf("the other call got %+v", m)
	}
	if id := a.send("Page.reload", struct{}{}); true {
		a.write(&wire.Message{ID: id, Method: "Page.reload"})
		if m := a.read(); m.Error == nil || m.Error.Code != wire.CodeBadRequest {
			t.Errorf("an id that is in use got %+v", m)
		}
	}
}

// rawConn is an ipc.Conn on which nobody reads but the test.
type rawPeer struct {
	*ipc.Conn
	nc net.Conn
}

func rawConn(t *testing.T, h *testHelper, hello wire.Hello) rawPeer {
	t.Helper()
	nc, err := h.dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	p := rawPeer{ipc.NewConn(nc), nc}
	if err := p.Write(&wire.Message{ID: 1, Method: wire.MethodHello, Params: raw(hello)}); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Read(); err != nil || m.Error != nil {
		t.Fatal(m, err)
	}
	return p
}

func writeRaw(t *testing.T, p rawPeer, frame []byte) {
	t.Helper()
	if err := wire.WriteFrame(p.nc, frame, 1<<31); err != nil {
		t.Fatal(err)
	}
}

// A large answer passes whole.
func TestLargeAnswer(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	b.echo()
	a := h.agent(token, "researcher")
	want := strings.Repeat("ü\"\n", 1<<20)
	var e echoed
	a.ask("Runtime.evaluate", want, &e)
	var got string
	if err := json.Unmarshal(e.Params, &got); err != nil || got != want {
		t.Errorf("got %d bytes back of %d (%v)", len(got), len(want), err)
	}
}

// An agent that does not read loses its own connection and nobody else's.
func TestSlowReader(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	slow := rawConn(t, h, agentHello(token, "slow"))
	if err := slow.Write(&wire.Message{ID: 2, Method: "Target.getTargets"}); err != nil {
		t.Fatal(err)
	}
	good := h.agent(token, "good")
	req := b.request()
	b.write(req.Reply(struct{}{}))
	event := &wire.Message{Agent: req.Agent, Method: "Network.dataReceived", Params: raw(strings.Repeat("x", 1<<20))}
	for range 2 * maxQueuedBytes >> 20 {
		b.write(event)
	}
	id := good.send("Page.navigate", struct{}{})
	b.write(b.request().Reply("ok"))
	if m := good.answer(id); string(m.Result) != `"ok"` {
		t.Errorf("the other agent got %+v", m)
	}
	waitFor(t, "the slow agent to be ended", func() bool { return h.agentCount() == 1 })
	for {
		if _, err := slow.Read(); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "reset") {
				t.Errorf("the slow agent's connection ended with %v", err)
			}
			break
		}
	}
}

func TestBadHellos(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	newer, older := agentHello(token, "x"), agentHello(token, "x")
	newer.Protocol++
	older.Protocol--
	for name, c := range map[string]struct {
		method string
		hello  any
		code   wire.Code
		says   string
	}{
		"no hello":     {"Page.navigate", struct{}{}, wire.CodeBadRequest, "first frame"},
		"no role":      {wire.MethodHello, wire.Hello{Role: "king", Protocol: wire.ProtocolVersion}, wire.CodeBadRequest, "king"},
		"wrong params": {wire.MethodHello, []int{1}, wire.CodeBadRequest, "params"},
		"newer":        {wire.MethodHello, newer, wire.CodeVersion, "sidekick-mcp install"},
		"older":        {wire.MethodHello, older, wire.CodeVersion, "update"},
	} {
		t.Run(name, func(t *testing.T) {
			c2 := h.connect()
			err := c2.askErr(c.method, c.hello)
			if err.Code != c.code || !strings.Contains(err.Message, c.says) {
				t.Errorf("got %d %q, want code %d and a text with %q", err.Code, err.Message, c.code, c.says)
			}
			c2.ends()
		})
	}
}

// rawConnOf says a browser's hellos on nc.
func rawConnOf(t *testing.T, nc net.Conn) *ipc.Conn {
	t.Helper()
	c := ipc.NewConn(nc)
	for _, m := range []*wire.Message{
		{ID: 1, Method: wire.MethodHello, Params: raw(browserHello(""))},
		{ID: 2, Method: wire.MethodBrowserHello, Params: raw(wire.BrowserHello{Protocol: wire.ProtocolVersion, Profile: profileA})},
	} {
		if err := c.Write(m); err != nil {
			t.Fatal(err)
		}
		if m, err := c.Read(); err != nil || m.Error != nil {
			t.Fatal(m, err)
		}
	}
	return c
}
