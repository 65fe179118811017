//go:build linux

package e2e

import (
	"strings"
	"testing"
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
