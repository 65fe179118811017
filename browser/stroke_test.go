package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// says fails unless the page's text has something.
func (c *chromium) says(t *testing.T, want string) {
	t.Helper()
	r, err := c.ReadPage(testContext(t), browser.ReadArgs{Mode: browser.ReadText})
	if err != nil || !strings.Contains(r.Text, want) {
		t.Errorf("the page does not say %q: %v\n%s", want, err, r.Text)
	}
}

// found is the ref of the element that shows a text.
func (c *chromium) found(t *testing.T, text string) string {
	t.Helper()
	f, err := c.Find(testContext(t), browser.FindArgs{Query: text})
	if err != nil {
		t.Fatal(err)
	}
	return ref(t, f.Text(), text)
}

func TestDragAlongAPath(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	out := c.read(t)
	pad, notes := ref(t, out, "Pad"), ref(t, out, `"Notes"`)
	o, err := c.Drag(ctx, browser.DragArgs{From: pad, Path: []browser.Point{{X: 20, Y: 20}, {X: 150, Y: 20}, {X: 150, Y: 80}}})
	if err != nil || !strings.Contains(o.Did, "along 3 points") {
		t.Errorf("%+v, %v", o, err)
	}
	c.says(t, "from 20,20 to 150,80 by the corner, smooth")
	// What is shorter than the way to a drag goes no farther than it is to.
	if _, err := c.Drag(ctx, browser.DragArgs{From: pad, Path: []browser.Point{{X: 50, Y: 50}, {X: 52, Y: 50}}}); err != nil {
		t.Error(err)
	}
	c.says(t, "from 50,50 to 52,50")
	if _, err := c.Drag(ctx, browser.DragArgs{From: notes, Path: []browser.Point{{X: 84, Y: 44}, {X: 134, Y: 74}}}); err != nil {
		t.Error(err)
	}
	e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "(el) => el.offsetWidth > 120 && el.offsetHeight > 60", Ref: notes})
	if err != nil || e.JSON != "true" {
		t.Errorf("the field was not resized: %+v, %v", e, err)
	}
	for _, a := range []browser.DragArgs{
		{From: pad}, {From: pad, Path: []browser.Point{{X: 1, Y: 1}}}, {From: pad, Path: []browser.Point{{X: 1, Y: 1}, {X: 2, Y: 2}}, To: notes},
		{From: pad, Path: []browser.Point{{X: 500, Y: 1}, {X: 2, Y: 2}}}, {From: pad, Text: "x", To: notes},
	} {
		if o, err := c.Drag(ctx, a); err == nil {
			t.Errorf("%+v: %+v", a, o)
		}
	}
}

// Lists make room once the pointer is past an entry's middle.
func TestDragGoesPastTheMiddle(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	for _, d := range []struct{ from, to, want string }{
		{"Alpha", "Gamma", "Beta,Gamma,Alpha"}, {"Alpha", "Gamma", "Beta,Alpha,Gamma"}, {"Gamma", "Beta", "Gamma,Beta,Alpha"},
	} {
		if _, err := c.Drag(ctx, browser.DragArgs{From: c.found(t, d.from), To: c.found(t, d.to)}); err != nil {
			t.Error(err)
		}
		c.says(t, d.want)
	}
}

// Lists that move their entries slowly take no notice of the pointer meanwhile.
func TestDragWaitsForRoom(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/strokes.html")
	if _, err := c.Drag(testContext(t), browser.DragArgs{From: c.found(t, "Delta"), To: c.found(t, "Eta")}); err != nil {
		t.Error(err)
	}
	c.says(t, "Order Epsilon,Zeta,Eta,Delta")
}

func TestDragWhatItsThumbDraws(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/strokes.html")
	if _, err := c.Drag(testContext(t), browser.DragArgs{From: ref(t, c.read(t), "Drawn slider"), At: &browser.Point{X: 50}}); err != nil {
		t.Error(err)
	}
	c.says(t, "Slid 70px")
}

func TestSelectText(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	out := c.read(t)
	prose := c.found(t, "The quick brown")
	for _, s := range []struct{ ref, text, want string }{
		{prose, "quick brown", `"quick brown"`},
		{prose, "brown fox jumps over", `"brown fox jumps\nover"`},
		{prose, "quick", `"quick"`}, // it is selected in part already
		{prose, "link in", `"link in"`},
		{ref(t, out, `"Rich"`), "rich", `"rich"`},
		{ref(t, out, `"Field"`), "two", `"two"`},
	} {
		o, err := c.Drag(ctx, browser.DragArgs{From: s.ref, Text: s.text})
		if err != nil || !strings.HasPrefix(o.Did, "Selected ") || len(o.Notes) > 0 {
			t.Errorf("%s: %+v, %v", s.text, o, err)
			continue
		}
		e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: `() => getSelection().toString()`})
		if err != nil || e.JSON != s.want {
			t.Errorf("%s: selected is %v, %v", s.text, e, err)
		}
	}
	// What is typed then takes its place.
	if _, err := c.TypeText(ctx, browser.TypeArgs{Text: "2"}); err != nil {
		t.Error(err)
	}
	if out := c.read(t); !strings.Contains(out, "one 2 three") {
		t.Errorf("the selection was not replaced:\n%s", out)
	}
	if o, err := c.Drag(ctx, browser.DragArgs{From: prose, Text: "nowhere to be seen"}); err == nil || !strings.Contains(err.Error(), "has no text") {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.Drag(ctx, browser.DragArgs{From: c.found(t, "Nobody selects this"), Text: "Nobody"}); err == nil {
		t.Errorf("%+v", o)
	}
	o, err := c.Drag(ctx, browser.DragArgs{From: c.found(t, "All but"), Text: "All but this word"})
	if err != nil || !strings.Contains(strings.Join(o.Notes, " "), "another text than the one asked for") {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestHoverAtAPoint(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/strokes.html")
	if _, err := c.Hover(testContext(t), browser.HoverArgs{Ref: ref(t, c.read(t), "Heat"), At: &browser.Point{X: 70, Y: 20}}); err != nil {
		t.Fatal(err)
	}
	c.says(t, "Warm at 70,20")
}

// Some widgets move the focus in a task that they put off as they are clicked.
func TestTypingFollowsALateFocus(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	late := ref(t, c.read(t), "Later focus")
	for range 5 {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: late}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.TypeText(ctx, browser.TypeArgs{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if out := c.read(t); !strings.Contains(out, `textbox "Late"`) || !strings.Contains(out, ": xxxxx") {
		t.Errorf("the field did not get it all:\n%s", out)
	}
}

// What an action brings has refs at once, whatever it is made of.
func TestNewsHaveRefs(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), "Open choices")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, o.Changes, "Second choice")}); err != nil {
		t.Fatalf("%v after\n%s", err, o.Changes)
	}
	c.says(t, "Chosen Second choice")
}

// The middle of a thin shape's box is not of it.
func TestClickOnThinShapes(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/strokes.html")
	out := c.read(t)
	for _, what := range []string{"ring", "slope"} {
		if _, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, "("+what)}); err != nil {
			t.Error(err)
		}
		c.says(t, "Hit "+what)
	}
}

// What unfolds pushes what lies under it out of the pointer's way.
func TestClickUnderWhatUnfolds(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/strokes.html")
	out := c.read(t)
	for range 4 {
		for _, what := range []string{`"Unfold"`, `"Under it"`} {
			if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, what)}); err != nil {
				t.Error(err)
			}
		}
	}
	c.says(t, "Pressed 4")
}
