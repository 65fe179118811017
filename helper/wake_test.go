package helper

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// Ten agents' first calls at once start one browser, and each gets its answer.
func TestTenAgentsWakeOneBrowser(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{Managed: true})
	h.launcher.onWake = func(ctx context.Context, _ launch.Target, connected <-chan struct{}) ([]string, error) {
		h.browserIn(profileA, h.opt.Dirs.ManagedProfile()).echo()
		select {
		case <-connected:
		case <-ctx.Done():
			t.Error("the wake was not told that its browser has connected")
		}
		return []string{"started it"}, nil
	}
	agents := make([]*testAgent, 10)
	for i := range agents {
		agents[i] = h.agent(token, "researcher")
	}
	var wg sync.WaitGroup
	for _, a := range agents {
		wg.Go(func() {
			// Two in a row: the second waits behind the first.
			first, second := a.send("Target.getTargets", 1), a.send("Target.createTarget", 2)
			for _, id := range []int64{first, second} {
				if m := a.read(); m.ID != id || m.Error != nil {
					t.Errorf("%s got %+v, want the answer to %d", a.info.Slug, m, id)
				}
			}
		})
	}
	wg.Wait()
	if woken := h.launcher.woken(); len(woken) != 1 || woken[0] != (launch.Target{Managed: true}) {
		t.Errorf("woken were %+v, want the managed browser once", woken)
	}
}

func TestWakeKnowsThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		place := pairing.Place{Profile: profileA, Browser: "/opt/old", UserDataDir: "/home/me/old"}
		p, token := h.pair("FrogBot", pairing.Options{Place: place})
		a := h.agent(token, "researcher")
		a.askErr("Target.getTargets", struct{}{})
		want := launch.Target{Profile: profileA, Browser: "/opt/old", UserDataDir: "/home/me/old"}
		if woken := h.launcher.woken(); len(woken) != 1 || woken[0] != want {
			t.Errorf("woken were %+v, want %+v", woken, want)
		}
		// Where it connects from now is where it is looked for next time.
		b := h.browser(profileA)
		time.Sleep(time.Second) // writers of the list wait for each other by the clock
		got, err := h.opt.Pairings.Find(t.Context(), p.ID)
		if err != nil || got.Browser != "/opt/browser" || got.UserDataDir != "/home/me/.config/browser" {
			t.Errorf("the pairing's place is %+v, %v", got.Place, err)
		}
		b.conn.Close()
		synctest.Wait()
		a.askErr("Target.getTargets", struct{}{})
		if woken := h.launcher.woken(); len(woken) != 2 || woken[1].Browser != "/opt/browser" {
			t.Errorf("woken were %+v", woken)
		}
	})
}

func TestNoBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		_, token := h.pair("FrogBot", pairing.Options{})
		a := h.agent(token, "researcher")
		h.launcher.onWake = func(context.Context, launch.Target, <-chan struct{}) ([]string, error) {
			return []string{"looked in /home/me"}, errors.New("no profile has the extension")
		}
		begun := time.Now()
		err := a.askErr("Target.getTargets", struct{}{})
		if err.Code != wire.CodeNoBrowser || !strings.Contains(err.Message, "looked in /home/me") || !strings.Contains(err.Message, "no profile has the extension") {
			t.Errorf("got %d %q", err.Code, err.Message)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("a browser that cannot be found took %v", took)
		}

		// One that is started and does not connect: 20 s in all.
		h.launcher.onWake = func(context.Context, launch.Target, <-chan struct{}) ([]string, error) {
			return []string{"opened the wake page"}, nil
		}
		begun = time.Now()
		early := a.send("Page.navigate", struct{}{})
		dropped := a.send("Page.navigate", struct{}{})
		a.write(&wire.Message{Method: wire.MethodCancel, Params: raw(wire.Cancel{ID: dropped})})
		time.Sleep(19 * time.Second)
		late := a.send("Page.reload", struct{}{})
		for _, id := range []int64{early, late} {
			m := a.read()
			if m.ID != id || m.Error == nil || m.Error.Code != wire.CodeNoBrowser || !strings.Contains(m.Error.Message, "opened the wake page") || !strings.Contains(m.Error.Message, "20s") {
				t.Errorf("got %+v, want CodeNoBrowser for %d", m, id)
			}
		}
		if took := time.Since(begun); took != wakeBound {
			t.Errorf("a browser that does not connect took %v, want %v", took, wakeBound)
		}
		if n := len(h.launcher.woken()); n != 2 {
			t.Errorf("%d wakes, want 2", n)
		}
		// The next call tries anew.
		a.send("Page.navigate", struct{}{})
		synctest.Wait()
		if n := len(h.launcher.woken()); n != 3 {
			t.Errorf("%d wakes, want 3", n)
		}
	})
}

// After a loss the link has a second to come back by itself.
func TestLinkComesBackByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		_, token := h.pair("FrogBot", pairing.Options{})
		a := h.agent(token, "researcher")
		b := h.browser(profileA)
		a.send("Page.navigate", struct{}{})
		b.write(b.request().Reply(1))
		a.read()
		b.conn.Close()
		synctest.Wait()
		h.launcher.onWake = func(ctx context.Context, _ launch.Target, connected <-chan struct{}) ([]string, error) {
			return nil, nil
		}

		id := a.send("Page.reload", struct{}{})
		time.Sleep(returnBound - time.Millisecond)
		synctest.Wait()
		if n := len(h.launcher.woken()); n != 0 {
			t.Fatalf("%d wakes within the second after the loss", n)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if n := len(h.launcher.woken()); n != 1 {
			t.Fatalf("%d wakes after the second, want 1", n)
		}
		b = h.browser(profileA)
		b.write(b.request().Reply(2))
		if m := a.answer(id); string(m.Result) != "2" {
			t.Errorf("got %+v", m)
		}

		// A loss long ago is nothing to wait for.
		b.conn.Close()
		time.Sleep(time.Minute)
		a.send("Page.reload", struct{}{})
		synctest.Wait()
		if n := len(h.launcher.woken()); n != 2 {
			t.Errorf("%d wakes, want 2", n)
		}
	})
}

// A browser that runs already when the helper starts is about to connect.
func TestRunningBrowserConnectsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		h.launcher.running = true
		_, token := h.pair("FrogBot", pairing.Options{})
		a := h.agent(token, "researcher")
		id := a.send("Page.navigate", struct{}{})
		time.Sleep(returnBound / 2)
		b := h.browser(profileA)
		b.write(b.request().Reply(1))
		a.answer(id)
		if n := len(h.launcher.woken()); n != 0 {
			t.Errorf("%d wakes", n)
		}
	})
}

// What never left for a link that broke is not failed but waits for the next.
func TestUnsentCallsWaitForTheNextLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil)
		defer h.end()
		_, token := h.pair("FrogBot", pairing.Options{Place: pairing.Place{Profile: profileA, Browser: "/opt/browser"}})
		a := h.agent(token, "researcher")
		// In-memory pipes hold nothing: when the host has read one frame
		// (agent.opened) the first request is being written and the others
		// are not.
		nc, err := h.dial()
		if err != nil {
			t.Fatal(err)
		}
		host := rawConnOf(t, nc)
		ids := make([]int64, 3)
		for i := range ids {
			ids[i] = a.send("Page.navigate", struct{}{})
		}
		synctest.Wait()
		if m, err := host.Read(); err != nil || m.Method != wire.MethodAgentOpened {
			t.Fatal(m, err)
		}
		synctest.Wait()
		nc.Close()
		synctest.Wait()
		h.browser(profileA).echo()
		a.event(wire.MethodDisconnected, nil)
		if m := a.read(); m.ID != ids[0] || m.Error == nil || m.Error.Code != wire.CodeHopLost {
			t.Errorf("the call that was being written got %+v", m)
		}
		for _, id := range ids[1:] {
			if m := a.read(); m.ID != id || m.Error != nil {
				t.Errorf("a call that never left got %+v", m)
			}
		}
		if n := len(h.launcher.woken()); n != 0 {
			t.Errorf("%d wakes", n)
		}
	})
}
