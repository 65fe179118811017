//go:build linux

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A page that asks whether it may be left: the question is told, nothing
// freezes, and the answer is done, for a navigation as for a close.
func TestLeavingAPageThatAsks(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	open := func() (tab string) {
		t.Helper()
		tab = a.open(e.site.page("leaving.html"))
		// A page that nobody touched may not ask.
		a.ok("click", args{"ref": findRef(a.ok("read_page", args{"tab": tab}), "button", "Touch")})
		return tab
	}
	tab := open()
	contains(t, a.ok("navigate", args{"url": e.site.page("form.html"), "tab": tab}), "beforeunload", "handle_dialog")
	contains(t, a.ok("handle_dialog", args{"accept": false, "tab": tab}), "Stayed on the page")
	contains(t, a.ok("read_page", args{"tab": tab}), "Touch")
	contains(t, a.ok("navigate", args{"url": e.site.page("form.html"), "tab": tab}), "beforeunload")
	contains(t, a.ok("handle_dialog", args{"accept": true, "tab": tab}), "form.html")

	tab = open()
	a.fails("tabs", args{"action": "close", "tab": tab}, "is not closed yet", "beforeunload", "handle_dialog")
	contains(t, a.ok("handle_dialog", args{"accept": false, "tab": tab}), "Stayed on the page")
	contains(t, a.ok("read_page", args{"tab": tab}), "Touch")
	a.fails("tabs", args{"action": "close", "tab": tab}, "beforeunload")
	contains(t, a.ok("handle_dialog", args{"accept": true, "tab": tab}), tab+" is closed")
	if list := a.ok("tabs", args{"action": "list"}); strings.Contains(list, "leaving.html") {
		t.Errorf("the tabs are %s", list)
	}
	// The browser ends all the same, and leaves nothing (see env.end).
	tab = open()
	a.fails("tabs", args{"action": "close", "tab": tab}, "beforeunload")
}

// A dialog that comes from a timer, after the call that set it: the next call
// says so at once, and the page goes on when it is handled.
func TestDialogFromATimer(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("timers.html"))
	a.ok("click", args{"ref": findRef(a.ok("read_page", args{"tab": tab}), "button", "Ask later")})
	contains(t, a.call("wait_for", args{"tab": tab, "text": "Answered", "timeout_ms": 10_000}).text, "Are you there?", "handle_dialog")
	contains(t, a.call("read_page", args{"tab": tab}).text, "Are you there?", "handle_dialog")
	a.ok("handle_dialog", args{"accept": true, "tab": tab})
	a.ok("wait_for", args{"tab": tab, "text": "Answered true"})
}

// An agent leaves while a dialog is open, and comes back after its debugger has
// left the other tabs: it is told of the dialog, and can answer it. A page that
// answers nothing as it comes costs seconds, and it is told what to do.
func TestComingBackToADialog(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	a := e.agent("researcher", token)
	hung := a.open(e.site.page("hang.html"))
	a.fails("click", args{"ref": a.ref(hung, "button", "Hang")}, "does not answer")
	tab := a.open(e.site.page("timers.html"))
	a.ok("click", args{"ref": a.ref(tab, "button", "Ask later")})
	contains(t, a.call("wait_for", args{"tab": tab, "text": "Answered"}).text, "Are you there?")
	p := e.probe()
	held := func() (at []string) {
		p.worker(`chrome.debugger.getTargets().then((all) => all.filter((one) => one.attached).map((one) => one.url))`, &at)
		return at
	}
	hangs := e.site.page("hang.html")
	if at := held(); !slices.Contains(at, hangs) {
		t.Fatalf("the debugger is at %v, not at %s", at, hangs)
	}
	a.close()
	eventually(t, 20*time.Second, "the debugger to have left the page that hangs", func() bool { return !slices.Contains(held(), hangs) })

	a = e.agent("researcher", token)
	a.fails("read_page", args{"tab": tab}, "Are you there?", "handle_dialog")
	contains(t, a.ok("handle_dialog", args{"accept": true, "tab": tab}), "Accepted")
	contains(t, a.ok("read_page", args{"tab": tab}), "Answered true")
	began := time.Now()
	a.fails("read_page", args{"tab": hung}, "does not answer", "dialog", "close")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	a.ok("tabs", args{"action": "close", "tab": hung})
}
