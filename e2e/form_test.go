//go:build linux

package e2e

import "testing"

// A whole form in one call; what arrives in the page is the witness.
func TestFillForm(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("form.html"))
	outline := a.ok("read_page", args{"tab": tab})
	field := func(role, name string, value any) args {
		t.Helper()
		r := findRef(outline, role, name)
		if r == "" {
			t.Fatalf("no %s %q in:\n%s", role, name, outline)
		}
		return args{"ref": r, "value": value}
	}
	list := []args{
		field("textbox", "Name", "Ada"), field("textbox", "Mail", "ada@engine.example"), field("spinbutton", "Age", 36),
		field("textbox", "Story", "one\ntwo"), field("combobox", "Colour", "Green"), field("checkbox", "Agree", true),
		field("radio", "Large", "true"), field("textbox", "Rich", "bold words"),
	}
	contains(t, a.ok("fill_form", args{"fields": list}), "Filled 8 of 8", `"36"`, `"Green"`, "checked")
	a.ok("click", args{"ref": findRef(outline, "button", "Send")})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}),
		`name=Ada; mail=ada@engine.example; age=36;`, "story=one", "colour=g; agree=on; size=l;", "rich=bold words")
	a.fails("fill_form", args{"fields": []args{field("textbox", "Name", "Bob"), field("checkbox", "Agree", "perhaps")}}, "Nothing was filled")
	text := a.fails("fill_form", args{"fields": []args{field("textbox", "Locked", "x"), field("textbox", "Name", "Cy")}}, "1 of the 2", "read-only")
	contains(t, text, `"Name": "Cy"`)
}

// Lists and editors that a page builds itself.
func TestChoicesOfThePagesOwn(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("choices.html"))
	outline := a.ok("read_page", args{"tab": tab})
	contains(t, a.ok("select_option", args{"ref": findRef(outline, "combobox", "Fruit"), "values": []string{"Pear"}}), `"Pear"`)
	contains(t, a.ok("select_option", args{"ref": findRef(outline, "combobox", "Town"), "values": []string{"Graz"}}), `"Graz"`)
	contains(t, a.ok("fill", args{"ref": findRef(outline, "textbox", "Model"), "value": "new text"}), `"new text"`)
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Pear", "town Graz", "new text")
	a.fails("select_option", args{"ref": findRef(outline, "combobox", "Fruit"), "values": []string{"Plum"}}, `no option "Plum"`)
	a.fails("press_key", args{"tab": tab, "key": "Control+"}, "names no key")
}
