package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestDrag(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/drag.html")
	testDrags(t, c)
}

// A tab that is not in front draws nothing by itself, and so takes no moves.
func TestDragInHiddenTab(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/drag.html")
	hidden := tabOf(t, c, "drag.html")
	c.open(t, "/other.html")
	ctx := testContext(t)
	if _, err := c.SwitchTab(ctx, hidden); err != nil {
		t.Fatal(err)
	}
	testDrags(t, c)
}

func testDrags(t *testing.T, c *chromium) {
	t.Helper()
	ctx := testContext(t)
	out := c.read(t)
	r := func(what string) string { t.Helper(); return ref(t, out, what) }
	for _, tc := range []struct {
		name      string
		a         browser.DragArgs
		did, page string
		err       string
	}{
		{"HTML5", browser.DragArgs{From: r(`"Card"`), To: r(`"Bin"`)}, `Dragged button "Card" onto group "Bin".`, "start enter drop:the card end:move", ""},
		{"to what takes no drop", browser.DragArgs{From: r(`"Card"`), To: r(`"Wall"`)}, "", "end:none", "took no drop"},
		{"out of view", browser.DragArgs{From: r(`"Card"`), To: r(`"Low"`)}, `onto group "Low".`, "drop:the card end:move", ""},
		{"down a list", browser.DragArgs{From: r(`listitem "One"`), To: r(`listitem "Three"`)}, "", "sorted:Two,Three,One,Four", ""},
		{"up a list", browser.DragArgs{From: r(`listitem "Four"`), To: r(`listitem "Two"`)}, "", "sorted:Four,Two,Three,One", ""},
		{"slider", browser.DragArgs{From: r(`"Volume"`), At: &browser.Point{X: 100}}, `its value is now "70"`, "", ""},
		{"slider back", browser.DragArgs{From: r(`"Volume"`), At: &browser.Point{X: -60}}, `its value is now "40"`, "", ""},
		{"custom slider", browser.DragArgs{From: r(`"Custom"`), At: &browser.Point{X: 90}}, `its value is now "50"`, "", ""},
		{"what does nothing", browser.DragArgs{From: r(`"Never"`), To: r(`"Bin"`)}, "Dragged", "", ""},
	} {
		o, err := c.Drag(ctx, tc.a)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %+v, %v", tc.name, o, err)
			}
		} else if err != nil || !strings.Contains(o.Did, tc.did) {
			t.Errorf("%s: %+v, %v", tc.name, o, err)
		}
		if nothing := "Nothing in the page's elements changed by it."; tc.name == "what does nothing" && (o == nil || strings.Join(o.Notes, " ") != nothing) {
			t.Errorf("%s: %+v", tc.name, o)
		}
		if tc.page != "" {
			if r, err := c.ReadPage(ctx, browser.ReadArgs{Mode: browser.ReadText}); err != nil || !strings.Contains(r.Text, tc.page) {
				t.Errorf("%s: the page says %v, %v", tc.name, r.Text, err)
			}
		}
	}
	// No button is left pressed, and drags are the page's own again.
	if _, err := c.Hover(ctx, browser.HoverArgs{Ref: r(`listitem "Two"`)}); err != nil {
		t.Error(err)
	}
	if _, err := c.Drag(ctx, browser.DragArgs{From: r(`"Card"`)}); err == nil || !strings.Contains(err.Error(), "Say where") {
		t.Errorf("%v", err)
	}
	if _, err := c.Drag(ctx, browser.DragArgs{From: r(`"Card"`), To: "e99999"}); err == nil || !strings.Contains(err.Error(), "There is no ref e99999") {
		t.Errorf("%v", err)
	}
}

// Of a drag whose end goes away no button is left pressed.
func TestDragThatFailsLetsGo(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/drag.html")
	out := c.read(t)
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: `() => {
		addEventListener('mousedown', () => bin.remove(), true);
		for (const type of ['mousedown', 'mouseup']) addEventListener(type, () => { document.title += ' ' + type; }, true);
	}`}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Drag(ctx, browser.DragArgs{From: ref(t, out, `listitem "One"`), To: ref(t, out, `"Bin"`)}); err == nil {
		t.Errorf("%+v", o)
	}
	for title := ""; title != `"Drag mousedown mouseup"`; {
		e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => document.title"})
		if err != nil {
			t.Fatalf("the button is not let go (%s): %v", title, err)
		}
		title = e.JSON
	}
}

func TestClickAtAPoint(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/canvas.html")
	out := c.read(t)
	at := func(x, y float64) *browser.Point { return &browser.Point{X: x, Y: y} }
	for _, tc := range []struct {
		a               browser.ClickArgs
		did, page, fail string
	}{
		{browser.ClickArgs{Ref: ref(t, out, `"Map"`), At: at(30, 40)}, `at 30,40 from its top left, on img#map "Map"`, "click on map at 30,40", ""},
		{browser.ClickArgs{Ref: ref(t, out, `"Map"`), At: at(0, 0)}, "", "click on map at 0,0", ""},
		{browser.ClickArgs{At: at(120, 80)}, `Clicked at 120,80, on img#map "Map".`, "click on map at 100,60", ""},
		{browser.ClickArgs{At: at(121, 80), Button: "right", Modifiers: []string{"Shift"}}, "", "contextmenu on map at 101,60 with shift", ""},
		{browser.ClickArgs{At: at(122, 80), Count: 2}, "Double-clicked at 122,80", "dblclick on map at 102,60", ""},
		{browser.ClickArgs{Ref: ref(t, out, `"Big"`), At: at(400, 2900)}, "", "click on big at 400,2900", ""},
		{browser.ClickArgs{Ref: ref(t, out, `"Big"`), At: at(400, 3100)}, "", "", "lies outside of it: it is 500 × 3000 px"},
		{browser.ClickArgs{Ref: ref(t, out, `"Map"`), At: at(300, 200)}, "", "", `at 300,200 it is covered by div#tip "Tip"`},
		{browser.ClickArgs{At: at(-1, 5)}, "", "", "lies outside of the visible part"},
		{browser.ClickArgs{At: at(50000, 5)}, "", "", "lies outside of the visible part"},
		{browser.ClickArgs{}, "", "", "Say what to click"},
	} {
		o, err := c.Click(ctx, tc.a)
		if tc.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fail) {
				t.Errorf("%+v: %+v, %v", tc.a, o, err)
			}
			continue
		}
		if err != nil || !strings.Contains(o.Did, tc.did) {
			t.Errorf("%+v: %+v, %v", tc.a, o, err)
		}
		if got := c.read(t); !strings.Contains(got, tc.page) {
			t.Errorf("%+v: no %q in\n%s", tc.a, tc.page, got)
		}
	}
}

func TestClickAtAPointInAFrame(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/canvas-frame.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Tip"}); err != nil {
		t.Fatal(err)
	}
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), `"Map"`), At: &browser.Point{X: 30, Y: 40}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.read(t); !strings.Contains(got, "click on map at 30,40") {
		t.Errorf("%+v\n%s", o, got)
	}
}
