package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Lists of a page that draws itself anew at every click are chosen in as others
// are, and each option is clicked once.
func TestListsThatAreDrawnAnew(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/redrawn.html")
	out := c.read(t)
	for _, s := range []struct {
		field     string
		values    []string
		did, says string
		changes   string
	}{
		{`combobox "Fruit"`, []string{"Pear"}, `"Pear"`, "Said Pear; Green; 2 clicks.", "+ text: Said Pear; Green; 2 clicks."},
		{`listbox "Tags"`, []string{"Red", "Blue"}, `"Red", "Green", "Blue"`, "Said Pear; Blue,Green,Red; 4 clicks.", "+ text: Said Pear; Blue,Green,Red; 4 clicks."},
		{`listbox "Tags"`, []string{"Red"}, `"Red", "Green", "Blue"`, "Said Pear; Blue,Green,Red; 4 clicks.", ""}, // it is chosen already
	} {
		o, err := c.SelectOption(testContext(t), browser.SelectArgs{Ref: ref(t, out, s.field), Values: s.values})
		if err != nil || !strings.HasSuffix(o.Did, ": "+s.did+".") || !strings.Contains(o.Changes, s.changes) || (s.changes != "") != strings.Contains(strings.Join(o.Notes, " "), "replaced by an equal one") {
			t.Errorf("%s %q: %+v, %v", s.field, s.values, o, err)
		}
		c.says(t, s.says)
	}
}

// The fields of a form that is drawn anew as each is filled are filled all the
// same, and once.
func TestFormThatIsDrawnAnew(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/redrawnform.html")
	a := fields(t, c.read(t), `textbox "Name"`, "Ann", `textbox "Mail"`, "Ann@X", `checkbox "News"`, "true", `switch "Dark"`, "true", `radio "Size l"`, "true", `combobox "Town"`, "Town g")
	o, err := c.FillForm(ctx, a)
	if err != nil {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, want := range []string{"Filled 6 of 6", `"Name": "Ann"`, `"Mail": "ann@x"`, `"News": checked`, `"Dark": checked`, `"Size l": checked`, `"Town": "Town g"`} {
		if !strings.Contains(o.Did, want) {
			t.Errorf("no %s in %s", want, o.Did)
		}
	}
	notes := strings.Join(o.Notes, "\n")
	if !strings.Contains(notes, "The element of "+a.Fields[0].Ref+" was replaced by an equal one") || !strings.Contains(notes, "another value in "+a.Fields[1].Ref) {
		t.Errorf("notes: %q", o.Notes)
	}
	if want := "Said Ann, ann@x, true, true, l, g after 6 changes."; !strings.Contains(o.Changes, want) {
		t.Errorf("the changes are\n%s", o.Changes)
	}
	// What is drawn in another place, or not at all, is told as gone.
	c.open(t, "/redrawn.html?")
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { app.addEventListener('click', () => setTimeout(() => app.replaceChildren('nothing'), 0)) }"}); err != nil {
		t.Fatal(err)
	}
	so, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, c.read(t), `listbox "Tags"`), Values: []string{"Red"}})
	if err != nil || !strings.Contains(strings.Join(so.Notes, " "), "something else in the list's place") {
		t.Errorf("%+v, %v", so, err)
	}
}
