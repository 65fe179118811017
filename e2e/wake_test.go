//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Nothing starts a browser but a tool call; not even the helper is needed.
func TestHandshakeStartsNothing(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	only := func(a *agent) {
		t.Helper()
		for _, p := range processes(e.base) {
			if p.pid != a.cmd.Process.Pid {
				t.Errorf("the handshake and the list of tools have started %v", p)
			}
		}
	}
	list := func(a *agent) {
		t.Helper()
		r, err := a.session.ListTools(t.Context(), nil)
		if err != nil || len(r.Tools) < 13 {
			t.Fatalf("tools/list: %v, %+v", err, r)
		}
	}
	a := e.agent("researcher", token)
	list(a)
	only(a)
	tab := a.open(e.site.page("start.html"))
	a.close()

	// A later process of the agent starts nothing either, and its tabs are
	// still its own.
	eventually(t, 5*time.Second, "the helper to know of no agent", func() bool { return len(e.status().Agents) == 0 })
	browser, helper := e.browser(), e.helper()
	b := e.agent("researcher", token)
	list(b)
	if n := len(e.status().Agents); n != 0 {
		t.Errorf("the handshake has connected to the helper: %d agents", n)
	}
	contains(t, b.ok("tabs", args{"action": "list"}), "start.html", tab)
	if e.browser().pid != browser.pid || e.helper().pid != helper.pid {
		t.Error("the later process has other ones than the first")
	}
}

// Nor do wrong arguments or an unknown tool.
func TestWrongCallsStartNothing(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	for _, wrong := range []struct {
		tool string
		args args
		want string
	}{
		{"navigate", args{"url": 5}, "url"},
		{"navigate", args{}, "url"},
		{"click", args{}, "ref"},
		{"tabs", args{"action": "explode"}, "action"},
		{"click", args{"ref": "e1", "colour": "red"}, "colour"},
		{"wait_for", args{}, "text"},
		{"no_such_tool", args{}, "no_such_tool"},
	} {
		r, err := a.try(wrong.tool, wrong.args)
		text := r.text
		if err != nil {
			text = err.Error()
		} else if !r.isError {
			t.Errorf("%s %v went through: %s", wrong.tool, wrong.args, r.text)
		}
		contains(t, text, wrong.want)
	}
	for _, p := range processes(e.base) {
		if p.pid != a.cmd.Process.Pid {
			t.Errorf("a wrong call has started %v", p)
		}
	}
}

func TestWakeCold(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	contains(t, a.ok("navigate", args{"url": e.site.page("start.html")}), "Start")
	e.browser()
	e.nativeHost()
	e.helper()
}

// After a stop the next call starts all of it again.
func TestWakeAfterStop(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html"))
	e.must("stop")
	eventually(t, 5*time.Second, "end of the browser", func() bool {
		for _, p := range processes(e.base) {
			if !p.is(agentRole) {
				return false
			}
		}
		return true
	})
	contains(t, a.ok("tabs", args{"action": "open", "url": e.site.page("counter.html")}), "counter.html")
}

func TestWakeOfASleepingWorker(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("counter.html"))
	more := a.ref(tab, "button", "More")
	browser := e.browser()
	p := e.probe()
	// Only a call is to bring it back, and not its own clock.
	p.worker(`chrome.alarms.clearAll()`, new(bool))
	p.stopWorker()
	a.ok("click", args{"ref": more})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Count: 1")
	if now := e.browser(); now.pid != browser.pid {
		t.Errorf("the browser was %v and is %v: it was to be the same", browser, now)
	}
	if tabs := p.tabs(); len(tabs) != 2 {
		t.Errorf("the wake has left a tab behind: %+v", tabs)
	}
}

// In Sidekick's own browser nobody has to call for that.
func TestStoppedWorkerComesBackByItself(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("counter.html"))
	before := e.status().Browsers[0].PID
	e.probe().stopWorker()
	began := time.Now()
	// Chrome's least for an installed extension would be half a minute. The
	// worker that is back has a native host of its own.
	e.eventually(10*time.Second, "the worker to be back", func() bool {
		now := e.status().Browsers
		return len(now) == 1 && now[0].PID != before
	})
	t.Logf("it was back after %v", time.Since(began))
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Count: 0")
}

// countingBrowser makes a browser that writes a line into a file for each time
// that it is started, and says how many there are.
func (e *env) countingBrowser() (starts func() int) {
	e.t.Helper()
	real := e.vars["SIDEKICK_BROWSER"]
	if real == "" {
		real = "chromium"
	}
	dir := e.base
	script, log := filepath.Join(dir, "browser.sh"), filepath.Join(dir, "starts")
	text := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s\nexec %s \"$@\"\n", log, real)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		e.t.Fatal(err)
	}
	e.vars["SIDEKICK_BROWSER"] = script
	return func() int {
		b, _ := os.ReadFile(log)
		return strings.Count(string(b), "\n")
	}
}

func TestWakeOfTenAtOnce(t *testing.T) {
	e := newEnv(t)
	starts := e.countingBrowser()
	token := e.pair("FrogBot")
	var agents []*agent
	for i := range 10 {
		agents = append(agents, e.agent(fmt.Sprintf("agent %d", i), token))
	}
	var wg sync.WaitGroup
	for _, a := range agents {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, err := a.try("navigate", args{"url": e.site.page("start.html?" + strings.ReplaceAll(a.name, " ", ""))})
			if err != nil || r.isError {
				t.Errorf("%s: %v %s", a.name, err, r.text)
			}
		}()
	}
	wg.Wait()
	if n := starts(); n != 1 {
		t.Errorf("the browser was started %d times", n)
	}
	e.browser()
	e.helper()
	if n := len(e.probe().groups()); n != 10 {
		t.Errorf("%d groups for ten agents", n)
	}
}

func TestNoBrowser(t *testing.T) {
	e := newEnv(t)
	e.vars["SIDEKICK_BROWSER"] = filepath.Join(e.user, "no-such-browser")
	a := e.agent("researcher", e.pair("FrogBot"))
	a.fails("navigate", args{"url": e.site.page("start.html")}, "no-such-browser")
}

// A browser that starts and never connects is given up within the bound.
func TestBrowserThatNeverAnswers(t *testing.T) {
	e := newEnv(t)
	script := filepath.Join(e.base, "mute.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec tail -f /dev/null\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e.vars["SIDEKICK_BROWSER"] = script
	a := e.agent("researcher", e.pair("FrogBot"))
	p := a.begin("navigate", args{"url": e.site.page("start.html")})
	r := p.wait(30 * time.Second)
	if !r.isError {
		t.Fatalf("it succeeded: %s", r.text)
	}
	contains(t, r.text, "mute.sh")
}
