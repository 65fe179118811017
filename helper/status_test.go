package helper

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// What agents do, and what extensions tell of their groups, is in the status.
func TestStatusTellsWhatGoesOn(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	if s := h.status(); s.Agents[0].LastAction != nil || s.Agents[0].UnderWay != 0 {
		t.Errorf("before its first call the agent is %+v", s.Agents[0])
	}
	id := a.send("Page.navigate", struct{}{})
	m := b.request()
	s := h.status()
	if got := s.Agents[0]; got.LastAction == nil || got.LastAction.Method != "Page.navigate" || got.UnderWay != 1 || got.Waiting != 0 {
		t.Errorf("with a call under way the agent is %+v", got)
	}
	b.write(m.Reply(struct{}{}))
	a.answer(id)
	if got := h.status().Agents[0]; got.UnderWay != 0 || got.LastAction == nil {
		t.Errorf("after its call the agent is %+v", got)
	}
	groups := []wire.GroupStatus{{Agent: a.info.ID, Title: a.info.Title, Tabs: 3, Stopped: true}}
	b.write(&wire.Message{Method: wire.MethodBrowserGroups, Params: raw(wire.BrowserGroups{Groups: groups})})
	waitFor(t, "the groups in the status", func() bool {
		s := h.status()
		return len(s.Browsers) == 1 && len(s.Browsers[0].Groups) == 1 && s.Browsers[0].Groups[0] == groups[0]
	})
	// What makes no sense changes nothing, and the connection stays.
	b.write(&wire.Message{Method: wire.MethodBrowserGroups, Params: []byte(`{"groups":7}`)})
	many := make([]wire.GroupStatus, maxGroups+1)
	b.write(&wire.Message{Method: wire.MethodBrowserGroups, Params: raw(wire.BrowserGroups{Groups: many})})
	waitFor(t, "no more groups than are kept", func() bool {
		s := h.status()
		return len(s.Browsers) == 1 && len(s.Browsers[0].Groups) == maxGroups
	})
}

// A call that waits for its browser, and the browser that is woken for it.
func TestStatusTellsOfWakes(t *testing.T) {
	opt, launcher := newOptions(t)
	woken := make(chan struct{})
	launcher.onWake = func(ctx context.Context, _ launch.Target, _ <-chan struct{}) ([]string, error) {
		close(woken)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	h := startWith(t, opt, launcher)
	_, token := h.pair("FrogBot", pairing.Options{Managed: true})
	a := h.agent(token, "researcher")
	a.send("Target.getTargets", struct{}{})
	<-woken
	s := h.status()
	if len(s.Wakes) != 1 || !s.Wakes[0].Managed || s.Agents[0].Waiting != 1 || !s.Agents[0].Managed {
		t.Errorf("the status is %+v", s)
	}
}

// An agent is told the cause that is found, in the words that doctor has for
// it, and what to run where none is.
func TestUnwokenTellsTheCause(t *testing.T) {
	silent := errors.New("nothing to try")
	for name, tt := range map[string]struct {
		err  error
		why  cause.Cause
		want []string
	}{
		"found":            {silent, cause.ManifestMissing.About("Chromium", "/m.json"), []string{"nothing to try", cause.ManifestMissing.About("Chromium", "/m.json").Error()}},
		"not found":        {silent, cause.Cause{}, []string{"nothing to try", `"sidekick-mcp doctor" says what is wrong`}},
		"the same already": {cause.ExtensionAbsent, cause.ExtensionAbsent, []string{cause.ExtensionAbsent.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			opt, launcher := newOptions(t)
			launcher.onWake = func(context.Context, launch.Target, <-chan struct{}) ([]string, error) { return nil, tt.err }
			asked := make(chan launch.Target, 1)
			opt.Diagnose = func(_ context.Context, target launch.Target) (cause.Cause, bool) {
				asked <- target
				return tt.why, tt.why.ID != ""
			}
			h := startWith(t, opt, launcher)
			_, token := h.pair("FrogBot", pairing.Options{Managed: true})
			err := h.agent(token, "researcher").askErr("Target.getTargets", struct{}{})
			if target := <-asked; !target.Managed {
				t.Errorf("the cause was looked for at %+v", target)
			}
			if err.Code != wire.CodeNoBrowser {
				t.Errorf("got %+v", err)
			}
			for _, want := range tt.want {
				if strings.Count(err.Message, want) != 1 {
					t.Errorf("%q is not once in %q", want, err.Message)
				}
			}
		})
	}
}
