package browser_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

const listenersOutline = `- heading "Folded part" [level=3] [ref]
- generic [ref]: (box icon-gear, teal 30×30)
- graphics-symbol [ref]: (rect)
- graphics-symbol [ref]: (circle)
- list:
  - listitem [ref]: Red
  - listitem [ref]: Green
  - listitem [ref]: Blue
`

// TestListeners: what can be clicked only because the page listens there has a
// ref, however it is made, and what is around it has none.
func TestListeners(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/listeners.html")
	out := c.read(t)
	if got := anyRef.ReplaceAllString(out, "[ref]"); !strings.HasPrefix(got, listenersOutline) {
		t.Errorf("the page is\n%s\nand was to begin\n%s", got, listenersOutline)
	}
	for _, no := range []string{"Not drawn", "Not seen", "- generic [ref]:\n"} {
		if strings.Contains(out, no) {
			t.Errorf("%q is told:\n%s", no, out)
		}
	}
	if n := strings.Count(out, "Button text"); n != 1 {
		t.Errorf("the button's text is told %d times:\n%s", n, out)
	}
	for _, on := range []struct{ what, title string }{
		{"Folded part", "fold"}, {"icon-gear", "icon"}, {"(rect)", "rect"}, {"(circle)", "circle"},
		{": Red", "Red"}, {": Green", "Green"}, {"Row cell", "row"}, {"One of two", "area"}, {"Undrawn check", "lab"},
		{"Closed shadow span", "closed"}, {": Keep it", "heart"}, {": Heard within", "whole"},
	} {
		if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, on.what)}); err != nil || o.Tab.Title != on.title {
			t.Errorf("%s: %+v, %v", on.what, o, err)
		}
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, "Deep listener")}); err != nil || !strings.Contains(o.Changes, "Deep heard") || o.Tab.Title != "deep" {
		t.Errorf("in a frame: %+v, %v", o, err)
	}
	mail := regexp.MustCompile(`listitem \[ref=(e\d+)\]:\n\s+- checkbox "Pick"`).FindStringSubmatch(out)
	if mail == nil {
		t.Fatalf("an item that listens has no ref beside its box:\n%s", out)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: mail[1]}); err != nil || o.Tab.Title != "mail" {
		t.Errorf("the item: %+v, %v", o, err)
	}
	// What a click puts on the page is told as a reading would tell it.
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, "Add item")})
	if err != nil {
		t.Fatal(err)
	}
	if got := anyRef.ReplaceAllString(o.Changes, "[ref]"); got != "+ generic [ref]: New one" {
		t.Errorf("the changes are %q", o.Changes)
	}
	if o, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, o.Changes, "New one")}); err != nil || o.Tab.Title != "new" {
		t.Errorf("%+v, %v", o, err)
	}
}
