package helper

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// changed waits for the next pairings.changed.
func (b *testBrowser) changed() wire.PairingList {
	b.t.Helper()
	for {
		m := b.read()
		if m.Method == wire.MethodPairingsChanged {
			var list wire.PairingList
			if err := json.Unmarshal(m.Params, &list); err != nil {
				b.t.Fatal(err)
			}
			return list
		}
	}
}

func TestSettings(t *testing.T) {
	opt, launcher := newOptions(t)
	revoked := make(chan string, 1)
	opt.Revoked = func(_ context.Context, p pairing.Pairing) error { revoked <- p.ID; return nil }
	h := startWith(t, opt, launcher)
	b, other := h.browser(profileA), h.browser(profileB)
	if len(b.welcome.Pairings) != 0 || b.welcome.Pairings == nil {
		t.Errorf("a browser without pairings was told of %#v, want an empty list", b.welcome.Pairings)
	}
	var added wire.PairingAdded
	b.ask(wire.MethodPairingsAdd, wire.PairingName{Name: "FrogBot"}, &added)
	if !added.Pairing.Here || added.Pairing.Profile != profileA || added.Env["SIDEKICK_TOKEN"] != added.Token || added.Command == "" || added.Config == nil {
		t.Errorf("pairings.add answered %+v", added.Pairing)
	}
	if len(added.Hosts) != len(hostconfig.Hosts()) {
		t.Errorf("pairings.add told of %d hosts", len(added.Hosts))
	}
	for _, c := range added.Hosts {
		if !strings.Contains(c.Snippet, added.Token) || c.File == "" || c.Name == "" || c.Reload == "" {
			t.Errorf("the configuration for %s: %+v", c.ID, c)
		}
	}
	if list := other.changed(); len(list.Pairings) != 1 || list.Pairings[0].Here || list.Pairings[0].Name != "FrogBot" {
		t.Errorf("the other browser was told of %+v", list)
	}
	// The new token works, in the browser it was made in.
	a := h.agent(added.Token, "researcher")
	a.send("Target.getTargets", struct{}{})
	b.request()

	// A new name: its agents' groups follow.
	b.ask(wire.MethodPairingsRename, wire.PairingName{ID: added.Pairing.ID, Name: "Toad"}, nil)
	if s := h.status(); s.Agents[0].Title != "Toad · researcher" {
		t.Errorf("the agent's title is %q", s.Agents[0].Title)
	}
	if list := other.changed(); list.Pairings[0].Name != "Toad" {
		t.Errorf("the other browser was told of %+v", list)
	}

	for name, c := range map[string]struct {
		method string
		params any
	}{
		"name taken":   {wire.MethodPairingsAdd, wire.PairingName{Name: "toad"}},
		"no name":      {wire.MethodPairingsAdd, wire.PairingName{}},
		"no such id":   {wire.MethodPairingsRevoke, wire.PairingName{ID: "00000000"}},
		"no request":   {"pairings.steal", struct{}{}},
		"wrong params": {wire.MethodPairingsAdd, []int{1}},
	} {
		if err := b.askErr(c.method, c.params); err.Code != wire.CodeBadRequest || err.Message == "" {
			t.Errorf("%s: got %+v", name, err)
		}
	}

	b.ask(wire.MethodPairingsRevoke, wire.PairingName{ID: added.Pairing.ID}, nil)
	a.ends()
	if id := <-revoked; id != added.Pairing.ID {
		t.Errorf("the rest of %s is removed, want that of %s", id, added.Pairing.ID)
	}
	var list wire.PairingList
	b.ask(wire.MethodPairingsList, struct{}{}, &list)
	if len(list.Pairings) != 0 {
		t.Errorf("after the revoking the list is %+v", list)
	}
}

func TestRenameTellsTheBrowser(t *testing.T) {
	h := start(t)
	p, token := h.pair("FrogBot", pairing.Options{Place: pairing.Place{Profile: profileA, Browser: "/opt/browser", UserDataDir: "/home/me/.config/browser"}})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	a.send("Target.getTargets", struct{}{})
	b.request()
	b.ask(wire.MethodPairingsList, struct{}{}, nil)
	id := b.send(wire.MethodPairingsRename, wire.PairingName{ID: p.ID, Name: "Toad"})
	var opened wire.Agent
	for {
		m := b.read()
		if m.Method == wire.MethodAgentOpened {
			if err := json.Unmarshal(m.Params, &opened); err != nil {
				t.Fatal(err)
			}
		}
		if m.ID == id {
			break
		}
	}
	if opened.ID != a.info.ID || opened.Title != "Toad · researcher" {
		t.Errorf("the browser was told of %+v", opened)
	}
}

func TestRevokeEndsLiveConnections(t *testing.T) {
	h := start(t)
	p, token := h.pair("FrogBot", pairing.Options{})
	_, other := h.pair("Other", pairing.Options{})
	b := h.browser(profileA)
	a, stays := h.agent(token, "researcher"), h.agent(other, "writer")
	id := a.send("Page.navigate", struct{}{})
	b.request()
	stay := stays.send("Page.reload", struct{}{})
	req := b.request()

	if _, err := h.opt.Pairings.Revoke(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if err := NotifyPairings(t.Context(), h.opt.Dirs); err != nil {
		t.Fatal(err)
	}
	rest := a.ends()
	if len(rest) != 2 || rest[0].ID != id || rest[0].Error == nil || rest[0].Error.Code != wire.CodeRevoked || rest[1].Method != wire.MethodRevoked {
		t.Errorf("before its end the agent got %+v, want CodeRevoked and then %s", rest, wire.MethodRevoked)
	}
	var closed wire.AgentClosed
	for closed.ID == "" {
		if m := b.read(); m.Method == wire.MethodAgentClosed {
			json.Unmarshal(m.Params, &closed)
		}
	}
	if closed.ID != a.info.ID {
		t.Errorf("agent.closed says %q", closed.ID)
	}
	b.write(req.Reply("ok"))
	if m := stays.answer(stay); string(m.Result) != `"ok"` {
		t.Errorf("the other pairing's agent got %+v", m)
	}
	if err := h.connect().askErr(wire.MethodHello, agentHello(token, "researcher")); err.Code != wire.CodeRevoked || !strings.Contains(err.Message, "revoked") {
		t.Errorf("the revoked token got %+v", err)
	}
}

func TestTokenFaults(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	for _, bad := range []string{"", "hello", token[:len(token)-1] + "!", token[:20], pairing.NewToken().Reveal()} {
		err := h.connect().askErr(wire.MethodHello, agentHello(bad, "x"))
		_, want := h.opt.Pairings.Authenticate(t.Context(), bad)
		if err.Code != wire.CodeRevoked || err.Message != want.Error() {
			t.Errorf("%q got %+v, want the sentence %q", bad, err, want)
		}
	}
}

// A pairing that the command line made is good at once, even if it could not
// tell the helper.
func TestPairingMadeMeanwhile(t *testing.T) {
	h := start(t)
	h.agentCount() // the helper has read the list by now
	_, token := h.pair("FrogBot", pairing.Options{})
	if a := h.agent(token, "researcher"); a.info.Name != "FrogBot" {
		t.Errorf("the agent is %+v", a.info)
	}
}

func TestGuessesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		_, token := h.pair("FrogBot", pairing.Options{})
		guess := func(token string) string {
			return h.connect().askErr(wire.MethodHello, agentHello(token, "x")).Message
		}
		stale := pairing.NewToken().Reveal()
		for range 3 * maxGuesses {
			guess(stale) // one and the same is no guess
		}
		for i := range maxGuesses - 1 {
			if text := guess(pairing.NewToken().Reveal()); strings.Contains(text, "too many") {
				t.Fatalf("guess %d was refused", i)
			}
		}
		if text := guess(pairing.NewToken().Reveal()); !strings.Contains(text, "too many") {
			t.Errorf("one guess too many got %q", text)
		}
		time.Sleep(guessEvery)
		h.agent(token, "researcher")
		if text := guess(pairing.NewToken().Reveal()); strings.Contains(text, "too many") {
			t.Errorf("a guess a second later got %q", text)
		}
		if text := guess(pairing.NewToken().Reveal()); !strings.Contains(text, "too many") {
			t.Errorf("and the next one got %q", text)
		}
		time.Sleep(time.Second) // what notes the pairing's use ends
	})
}

// Agents hear of their own limits, and nobody else does.
func TestLimits(t *testing.T) {
	h := start(t)
	p, token := h.pair("FrogBot", pairing.Options{})
	_, other := h.pair("Other", pairing.Options{})
	b := h.browser(profileA)
	a, stays := h.agent(token, "researcher"), h.agent(other, "writer")
	for _, off := range []bool{true, false} {
		b.ask(wire.MethodPairingsLimit, wire.PairingLimit{ID: p.ID, NoEvaluate: off}, nil)
		if m := a.read(); m.Method != wire.MethodLimits {
			t.Errorf("the agent was told %+v", m)
		}
		var list wire.PairingList
		b.ask(wire.MethodPairingsList, struct{}{}, &list)
		for _, l := range list.Pairings {
			if l.NoEvaluate != (off && l.ID == p.ID) {
				t.Errorf("the list has %+v", l)
			}
		}
	}
	// What is the same already is no change.
	b.ask(wire.MethodPairingsLimit, wire.PairingLimit{ID: p.ID}, nil)
	b.ask(wire.MethodPairingsRename, wire.PairingName{ID: p.ID, Name: "Toad"}, nil)
	for name, params := range map[string]any{"no such id": wire.PairingLimit{ID: "00000000", NoEvaluate: true}, "wrong params": []int{1}} {
		if err := b.askErr(wire.MethodPairingsLimit, params); err.Code != wire.CodeBadRequest || err.Message == "" {
			t.Errorf("%s: got %+v", name, err)
		}
	}
	b.echo()
	for _, c := range []*testAgent{a, stays} {
		id := c.send("Target.getTargets", struct{}{})
		if m := c.read(); m.ID != id {
			t.Errorf("told %+v", m)
		}
	}
}
