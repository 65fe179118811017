package browser_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// refs returns all refs of the lines of an outline that hold what.
func refs(outline, what string) []string {
	var list []string
	for l := range strings.Lines(outline) {
		if m := regexp.MustCompile(`\[ref=(e\d+)\]`).FindStringSubmatch(l); m != nil && strings.Contains(l, what) {
			list = append(list, m[1])
		}
	}
	return list
}

func TestSuccessors(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/rerender.html")
	out := c.read(t)
	deletes, keeps, xs, pins := refs(out, `"Delete"`), refs(out, `"Keep"`), refs(out, `"x"`), refs(out, `"Pin"`)
	if len(deletes) != 3 || len(keeps) != 3 || len(xs) != 2 || len(pins) != 3 {
		t.Fatalf("the page is\n%s", out)
	}
	click := func(ref, title string) {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref})
		switch {
		case title == "" && !errors.Is(err, browser.ErrStaleRef):
			t.Errorf("%s: %+v, %v", ref, o, err)
		case title != "" && (err != nil || o.Tab.Title != title):
			t.Errorf("%s: %+v, %v; want %s", ref, o, err, title)
		}
	}
	press := func(name string) {
		t.Helper()
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, name)}); err != nil {
			t.Fatal(err)
		}
	}
	press("Render again")
	o, err := c.Click(ctx, browser.ClickArgs{Ref: deletes[1]})
	if err != nil || o.Tab.Title != "Deleted Cook" || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "replaced by an equal one") {
		t.Errorf("%+v, %v", o, err)
	}
	click(keeps[2], "Kept Read")
	click(xs[1], "Kept Read") // it does nothing
	press("Turn around")
	click(deletes[0], "Deleted Wash")
	click(keeps[0], "Kept Wash")
	click(pins[0], "Pinned Wash") // its text stands behind it
	xs = refs(c.read(t), `"x"`)   // what stands before them is another task now
	press("Drop the first")       // which is Read
	click(deletes[2], "")
	click(keeps[2], "")
	click(pins[2], "")
	click(deletes[1], "Deleted Cook")
	click(xs[0], "") // which of the two it was cannot be told
	// Once it stands for another it does so without being looked for.
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: deletes[1]}); err != nil || len(o.Notes) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestUnknownRefs(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	c.read(t)
	for ref, want := range map[string]string{
		"e4711":    "There is no ref e4711: nothing that was read had it. Call read_page or find and use a ref from it.",
		"nonsense": `"nonsense" is not a ref; refs are like e9. Call read_page or find and use a ref from it.`,
	} {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref}); !errors.Is(err, browser.ErrStaleRef) || err.Error() != want {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// What stands before the box of a control does not tell the control from others,
// whether the outline has the box or not.
func TestSuccessorsInBoxesOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/rerenderlinks.html")
	out := c.read(t)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"More"`)}); err != nil {
		t.Fatal(err)
	}
	mutes := refs(out, `"Mute"`)
	if len(mutes) != 3 {
		t.Fatalf("the page is\n%s", out)
	}
	for _, s := range []struct{ ref, title string }{
		{ref(t, out, `"Ann"`), "Opened Ann"}, {ref(t, out, `"Cleo"`), "Opened Cleo"}, {mutes[0], "Muted Ann"}, {mutes[2], "Muted Cleo"},
	} {
		if o, err := c.Click(ctx, browser.ClickArgs{Ref: s.ref}); err != nil || o.Tab.Title != s.title {
			t.Errorf("%s: %+v, %v", s.title, o, err)
		}
	}
}

// An equal element of another document takes nobody's place.
func TestNoSuccessorInAnotherFrame(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/twoframes.html")
	out := c.read(t)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Swap"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Go"`)}); !errors.Is(err, browser.ErrStaleRef) {
		t.Errorf("%+v, %v", o, err)
	}
	if now := c.read(t); tabTitle(t, c) != "Two frames" || ref(t, now, `"Go"`) == ref(t, out, `"Go"`) {
		t.Errorf("the page is\n%s", now)
	}
}
