package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What acts in something that looks as if it acted is clicked itself.
func TestThingsWithinThings(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/within.html")
	out := c.read(t)
	icon := func(after string) string {
		_, rest, ok := strings.Cut(out, "text: "+after)
		if !ok {
			t.Fatalf("no %s in\n%s", after, out)
		}
		return ref(t, rest, "")
	}
	for what, r := range map[string]string{
		"Reply": ref(t, out, ": Reply"), "Forward": ref(t, out, ": Forward"), "Copy": ref(t, out, ": Copy"), "Mute": ref(t, out, ": Mute"),
		"Edit": ref(t, out, ": Edit"), "2": ref(t, out, ": 2"), "icon p box pic trash": icon("Milk"), "icon p eye": icon("Eggs"), "Two": ref(t, out, ": Two"),
	} {
		o, err := c.Click(testContext(t), browser.ClickArgs{Ref: r})
		if err != nil || !strings.HasSuffix(o.Changes, what) {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
}

// A choice in a field that nobody sees may not be what the page shows.
func TestChoiceInAHiddenField(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/within.html")
	o, err := c.SelectOption(testContext(t), browser.SelectArgs{Ref: ref(t, c.read(t), `combobox "Size"`), Values: []string{"Large"}})
	if err != nil || !strings.Contains(strings.Join(o.Notes, " "), "not to be seen") {
		t.Errorf("%+v, %v", o, err)
	}
	c.open(t, "/options.html")
	o, err = c.SelectOption(testContext(t), browser.SelectArgs{Ref: ref(t, c.read(t), `combobox "Plain"`), Values: []string{"Kenya"}})
	if err != nil || len(o.Notes) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// A letter with a key that is no Shift is the key, however it is written.
func TestChordsInCapitals(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/form.html")
	field := ref(t, c.read(t), `textbox "Name"`)
	fill := func(s string) {
		t.Helper()
		if _, err := c.Fill(testContext(t), browser.FillArgs{Ref: field, Value: s}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"Control+A", "Control+a"} {
		fill("all of it")
		if _, err := c.PressKey(testContext(t), browser.PressArgs{Ref: field, Key: key}); err != nil {
			t.Fatal(err)
		}
		if o, err := c.TypeText(testContext(t), browser.TypeArgs{Text: "new"}); err != nil || !strings.Contains(o.Did, `"new"`) || strings.Contains(o.Did, "all") {
			t.Errorf("%s: %+v, %v", key, o, err)
		}
	}
	fill("")
	for _, key := range []string{"A", "Shift+b", "c"} {
		if _, err := c.PressKey(testContext(t), browser.PressArgs{Ref: field, Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	if out := c.read(t); !strings.Contains(out, `: ABc`) {
		t.Errorf("the page is\n%s", out)
	}
}

// A shape that is dragged is told where it came to; the turning of an icon is no
// news.
func TestShapesThatMove(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/shapes.html")
	out := c.read(t)
	o, err := c.Drag(testContext(t), browser.DragArgs{From: ref(t, out, "red circle"), To: ref(t, out, "img"), At: &browser.Point{X: 190, Y: 50}})
	if err != nil || !strings.Contains(o.Changes, "red circle 20×20 at 190,50") {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, "Nothing")})
	if err != nil || strings.Contains(o.Changes, "circle") {
		t.Errorf("%+v, %v", o, err)
	}
}
