//go:build linux

package e2e

import "testing"

// An agent's tab believes that it is in front, as a page needs to that takes
// input or plays something, while the user's is.
func TestTabInTheBackgroundHasTheFocus(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("start.html"))
	p := e.probe()
	user := p.userTab(e.site.page("keys.html"))
	const state = "document.hasFocus() + ' ' + document.visibilityState"
	contains(t, a.ok("evaluate", args{"tab": tab, "function": "() => " + state}), "true visible")
	var users string
	p.eval(user, state, &users)
	if users != "true visible" {
		t.Errorf("the user's own tab is %s", users)
	}
}
