//go:build linux

package e2e

import "testing"

func TestConsoleAndNetwork(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("records.html"))
	contains(t, a.ok("console", args{"tab": tab}), "log: early 1", "error: bad thing", "<page-content")
	contains(t, a.ok("network", args{"tab": tab}), "from now on")
	a.ok("click", args{"ref": a.ref(tab, "button", "Fetch")})
	a.ok("wait_for", args{"tab": tab, "text": "fetched"})
	contains(t, a.ok("network", args{"tab": tab, "filter": "missing"}), "1 of 1 requests", "/missing.json → 404")
}
