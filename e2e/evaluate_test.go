//go:build linux

package e2e

import (
	"regexp"
	"testing"
)

func TestEvaluate(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("form.html"))
	name := a.ref(tab, "textbox", "Name")
	said := a.ok("evaluate", args{"ref": name, "function": "async (el) => { el.value = 'Ada'; return {name: el.name, path: location.pathname}; }"})
	if !regexp.MustCompile(`(?s)It returned:\n<page (\w+)>\n\{"name":"name","path":"/form.html"\}\n</page \w+>`).MatchString(said) {
		t.Errorf("%s", said)
	}
	contains(t, a.ok("read_page", args{"tab": tab}), ": Ada")
	a.fails("evaluate", args{"function": "() => {\n nowhere();\n}"}, "nowhere is not defined (line 2 of the function)")
	// A loop without an end does not cost the page.
	a.fails("evaluate", args{"function": "() => { for (;;); }"}, "did not end within 10s")
	contains(t, a.ok("read_page", args{"tab": tab}), ": Ada")
}
