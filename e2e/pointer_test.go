//go:build linux

package e2e

import "testing"

// Drags and points of a page that lies behind the user's own tab.
func TestDragAndPoints(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("drag.html"))
	p := e.probe()
	p.userTab(e.site.page("secret.html"))
	front := frontOf(p)
	outline := a.ok("read_page", args{"tab": tab})
	ref := func(role, name string) string {
		t.Helper()
		r := findRef(outline, role, name)
		if r == "" {
			t.Fatalf("no %s %q in:\n%s", role, name, outline)
		}
		return r
	}
	contains(t, a.ok("drag", args{"from": ref("button", "Card"), "to": ref("group", "Bin")}), `onto group "Bin"`)
	a.ok("drag", args{"from": ref("listitem", "One"), "to": ref("listitem", "Three")})
	contains(t, a.ok("drag", args{"from": ref("slider", "Volume"), "x": 100}), `"70"`)
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "start enter drop:the card end:move", "sorted:Two,Three,One,Four")
	a.fails("drag", args{"from": ref("button", "Card"), "to": ref("group", "Wall")}, "took no drop")

	tab = a.open(e.site.page("canvas.html"))
	contains(t, a.ok("click", args{"tab": tab, "x": 120, "y": 80}), `on img#map "Map"`)
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "click on map at 100,60")
	a.ok("click", args{"ref": a.ref(tab, "img", "Map"), "x": 30, "y": 40})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "click on map at 30,40")
	if now := frontOf(p); now != front {
		t.Errorf("in front is %s, was %s", now, front)
	}
}
