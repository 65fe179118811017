//go:build linux

package e2e

import "testing"

// Hops are free and round trips are the cost. These are the most that each tool
// may need on a page that has been read, counted on the wire: a number that
// goes up is a decision, not an accident. (One of an action's is the question
// whether the link stands, after it has been quiet.)
func TestRoundTrips(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	starter := e.agent("starter", token)
	starter.open(e.site.page("start.html"))

	p := e.tap()
	a := e.agentBehind(p, "researcher", token)
	tab := a.open(e.site.page("form.html"))
	outline := a.ok("read_page", args{"tab": tab})
	ref := func(role, name string) string {
		t.Helper()
		r := findRef(outline, role, name)
		if r == "" {
			t.Fatalf("no %s %q in:\n%s", role, name, outline)
		}
		return r
	}
	for _, c := range []struct {
		tool string
		args args
		most int
	}{ // the last of an action's asks whether anything changed
		{"read_page", args{"tab": tab}, 2},
		{"read_page", args{"tab": tab, "mode": "text"}, 2},
		{"click", args{"ref": ref("checkbox", "Agree")}, 3},
		{"hover", args{"ref": ref("button", "Send")}, 3},
		{"fill", args{"ref": ref("textbox", "Name"), "value": "Ada"}, 3},
		{"type_text", args{"ref": ref("textbox", "Mail"), "text": "ada@engine.example"}, 3},
		{"press_key", args{"ref": ref("textbox", "Name"), "key": "End"}, 3},
		{"select_option", args{"ref": ref("combobox", "Colour"), "values": []string{"Blue"}}, 3},
		{"scroll", args{"ref": ref("button", "Send")}, 2},
		{"wait_for", args{"text": "Every kind of field"}, 4},
		{"screenshot", args{"tab": tab}, 3},
		{"tabs", args{"action": "list"}, 1},
		// The last of them is the making of the accessibility tree, which nobody waits for.
		{"navigate", args{"url": e.site.page("counter.html")}, 4},
	} {
		p.reset()
		a.ok(c.tool, c.args)
		trips, methods := p.trips()
		t.Logf("%-13s %d round trips, %d commands: %v", c.tool, trips, len(methods), methods)
		if trips > c.most {
			t.Errorf("%s takes %d round trips, at most %d: %v", c.tool, trips, c.most, methods)
		}
		if len(methods) == 0 {
			t.Errorf("%s asked the browser nothing", c.tool)
		}
	}
}
