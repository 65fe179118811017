package helper

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// control is a connection of the command line.
func (h *testHelper) control() *client {
	h.t.Helper()
	c := h.connect()
	c.ask(wire.MethodHello, wire.Hello{Role: wire.RoleControl, Protocol: wire.ProtocolVersion}, nil)
	return c
}

// A helper that makes way serves everybody until the agents have ended their
// connections by themselves, those who come meanwhile included.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		_, token := h.pair("FrogBot", pairing.Options{})
		b := h.browser(profileA)
		a := h.agent(token, "researcher")
		id := a.send("Page.navigate", struct{}{})
		asked := b.request()
		h.control().ask(wire.MethodHandOver, struct{}{}, nil)
		a.event(wire.MethodLeaving, nil)
		late := h.agent(token, "writer")
		late.event(wire.MethodLeaving, nil)
		lateID := late.send("Page.reload", struct{}{})
		b.write(b.request().Reply(struct{}{}))
		if m := late.answer(lateID); m.Error != nil {
			t.Errorf("a call that came while the helper makes way: %v", m.Error)
		}
		late.conn.Close()
		synctest.Wait()
		select {
		case <-h.ended:
			t.Fatal("the helper ended with a call under way")
		default:
		}
		b.write(asked.Reply(struct{}{}))
		if m := a.answer(id); m.Error != nil {
			t.Errorf("the call under way: %v", m.Error)
		}
		a.conn.Close()
		<-h.ended
		if h.err != nil || h.launcher.stopped != 0 {
			t.Errorf("it ended with %v, and the managed browser was stopped %d times", h.err, h.launcher.stopped)
		}
		for _, m := range b.ends() {
			if m.Method == wire.MethodStopping {
				t.Error("the browser was told to be quiet")
			}
		}
	})
}

// An agent that does not listen holds it up no longer than a call may take.
func TestHandOverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		_, token := h.pair("FrogBot", pairing.Options{})
		a := h.agent(token, "researcher")
		id := a.send("Page.navigate", struct{}{})
		c := h.control()
		asked := time.Now()
		for range 2 { // asking again does not begin anew
			c.ask(wire.MethodHandOver, struct{}{}, nil)
			time.Sleep(handOverBound / 4)
		}
		if m := a.answer(id); m.Error == nil {
			t.Errorf("the call: %s", m.Result)
		}
		<-h.ended
		if took := time.Since(asked); took > handOverBound {
			t.Errorf("it took %v", took)
		}
	})
}

// An agent that comes back sooner than its end is noticed keeps its group.
func TestComesBackAtOnce(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	first := h.agent(token, "researcher")
	hello := agentHello(token, "researcher")
	hello.Slug = first.info.Slug
	again := h.connect()
	var welcome wire.AgentWelcome
	again.ask(wire.MethodHello, hello, &welcome)
	if welcome.Agent.ID != first.info.ID {
		t.Errorf("it was %s and is %s", first.info.ID, welcome.Agent.ID)
	}
	first.ends()
	// Another process of that name is another agent.
	hello.PID++
	var other wire.AgentWelcome
	h.connect().ask(wire.MethodHello, hello, &other)
	if other.Agent.ID == first.info.ID {
		t.Errorf("two processes are both %s", other.Agent.ID)
	}
}

func TestTakeOver(t *testing.T) {
	h := start(t) // 1.2.3
	_, token := h.pair("FrogBot", pairing.Options{})
	a := h.agent(token, "researcher")
	if err := TakeOver(t.Context(), h.opt.Dirs, "1.2.2"); !errors.Is(err, ErrNewerRuns) {
		t.Fatalf("an older version: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- TakeOver(t.Context(), h.opt.Dirs, "1.3.0") }()
	a.event(wire.MethodLeaving, nil)
	a.conn.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-h.ended
	if err := TakeOver(t.Context(), h.opt.Dirs, "1.3.0"); err != nil {
		t.Errorf("with no helper there: %v", err)
	}
}

// A dialer that is newer than the helper has it make way, and notes which
// program comes next.
func TestNewerAgentAsks(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	for _, c := range []struct {
		version string
		leaving bool
	}{{"1.2.3", false}, {"1.2.2", false}, {"dev-0123456789ab", false}, {"1.3.0", true}} {
		d := Dialer{Dirs: h.opt.Dirs, Token: token, Client: "researcher", Version: c.version}
		conn, _, err := d.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, noted := os.Stat(h.opt.Dirs.HelperBinary())
		if (noted == nil) != c.leaving {
			t.Errorf("%s: what is noted: %v", c.version, noted)
		}
		if c.leaving {
			if m, err := conn.Read(); err != nil || m.Method != wire.MethodLeaving {
				t.Errorf("%s was told %+v, %v", c.version, m, err)
			}
		}
		conn.Close()
	}
	<-h.ended
}

func TestPreferred(t *testing.T) {
	dirs := tempDirs(t)
	const own = "/npx/cache/sidekick-mcp"
	there := filepath.Join(t.TempDir(), "sidekick-mcp")
	if err := os.WriteFile(there, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	check := func(what, version, want string) {
		t.Helper()
		if got := Preferred(dirs, version, own); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	check("nothing noted", "1.0.0", own)
	if err := PreferBinary(dirs, "1.1.0", there); err != nil {
		t.Fatal(err)
	}
	check("a newer one", "1.0.0", there)
	check("the same version installed", "1.1.0", there)
	check("an older one", "1.2.0", own)
	if err := PreferBinary(dirs, "1.1.0", there+"-gone"); err != nil {
		t.Fatal(err)
	}
	check("one that is gone", "1.0.0", own)
	if err := os.WriteFile(dirs.HelperBinary(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("nonsense", "1.0.0", own)
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		version, than string
		want          bool
	}{
		{"0.2.0", "0.1.0", true}, {"0.10.0", "0.9.0", true}, {"v1.0.0", "1.0.0", false}, {"1.0.0", "1.0.0-rc.1", true},
		{"0.1.0", "0.2.0", false}, {"dev", "0.1.0", false}, {"0.1.0", "dev-0123456789ab", false}, {"0.1.0", "", false},
	} {
		if got := Newer(c.version, c.than); got != c.want {
			t.Errorf("Newer(%q, %q) is %v", c.version, c.than, got)
		}
	}
}

// Two sides understand each other if the protocols that they speak meet; if not
// they are told which of them to update.
func TestProtocols(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	const newest = wire.ProtocolVersion
	for _, c := range []struct {
		name            string
		newest, oldest  int
		agent, browsers string // what the refusals say
	}{
		{"the same, from before ranges were said", newest, 0, "", ""},
		{"newer, and speaks ours", newest + 1, newest, "", ""},
		{"newer", newest + 2, newest + 1, "is older (protocol", "is older than the extension 9.0.0: update it"},
		{"older", wire.OldestProtocol - 1, 0, "is older than the running Sidekick helper", "the extension 9.0.0 is older than sidekick-mcp 1.2.3"},
	} {
		hello := agentHello(token, "researcher")
		hello.Protocol, hello.Oldest = c.newest, c.oldest
		a := h.connect()
		check := func(who string, m *wire.Message, says string) {
			t.Helper()
			switch {
			case says == "" && m.Error != nil:
				t.Errorf("%s, %s: %v", c.name, who, m.Error)
			case says != "" && (m.Error == nil || m.Error.Code != wire.CodeVersion || !strings.Contains(m.Error.Message, says)):
				t.Errorf("%s, %s: got %v, want a refusal with %q", c.name, who, m.Error, says)
			}
		}
		check("agent", a.answer(a.send(wire.MethodHello, hello)), c.agent)
		a.conn.Close()
		b := h.connect()
		b.ask(wire.MethodHello, browserHello("/home/me/.config/browser"), nil)
		check("extension", b.answer(b.send(wire.MethodBrowserHello, wire.BrowserHello{
			Protocol: c.newest, Oldest: c.oldest, Version: "9.0.0", Profile: profileA, Browser: "Chrome/156.0",
		})), c.browsers)
		b.conn.Close()
	}
}
