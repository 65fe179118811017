package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Chrome lets a tab begin one download by itself, asks the user at the second,
// and tells no debugger: the result says so all the same.
func TestDownloadsHeldBack(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	const held = "does not let it"
	page := func() (tab, out string) {
		t.Helper()
		o, err := c.OpenTab(ctx, c.site.URL+"/saves.html")
		if err != nil {
			t.Fatal(err)
		}
		return o.Tab.ID, c.read(t)
	}
	click := func(out, name string) *browser.Outcome {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"`+name+`"`)})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	tab, out := page()
	o := click(out, "Three")
	if notes := strings.Join(o.Notes, "\n"); len(o.Downloads) != 1 || !strings.Contains(notes, `"b.txt", "c.txt", and none has begun`) {
		t.Errorf("three at once: %v %q", o.Downloads, o.Notes)
	}
	// It is told once.
	if o := click(out, "Nothing"); len(o.Downloads) != 0 || len(o.Notes) != 0 {
		t.Errorf("told again: %v %q", o.Downloads, o.Notes)
	}
	// What the page itself takes back is none.
	if o := click(out, "Taken back"); len(o.Downloads) != 0 || len(o.Notes) != 0 {
		t.Errorf("taken back by the page: %v %q", o.Downloads, o.Notes)
	}
	// What is held back for later is told by the next call.
	o = click(out, "Late")
	late, err := c.WaitFor(ctx, browser.WaitArgs{Tab: tab, Text: "Saved late", Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	next := click(out, "Nothing")
	if all := strings.Join(append(append(o.Notes, late.Notes...), next.Notes...), "\n"); strings.Count(all, held) != 1 || !strings.Contains(all, `"made.txt"`) {
		t.Errorf("late: %q", all)
	}
	// One that the page goes to.
	if o := click(out, "Go"); len(o.Downloads) != 0 || !strings.Contains(strings.Join(o.Notes, "\n"), "neither a page nor a download") {
		t.Errorf("gone to: %v %q", o.Downloads, o.Notes)
	}

	// What is let through is not said to be held back: from wherever the link sent
	// the browser on, as the page was told to, and one that a handler prevents.
	for _, name := range []string{"Sent on", "After a tab", "Made here", "Prevented", "Go", "Slow"} {
		_, out := page()
		o := click(out, name)
		want := 1
		if name == "Prevented" || name == "Slow" {
			want = 0
		}
		if name == "After a tab" && len(o.Downloads) == 0 { // late on a busy machine
			o = click(out, "Nothing")
		}
		if len(o.Downloads) != want || len(o.Notes) != 0 {
			t.Errorf("%s: %v %q", name, o.Downloads, o.Notes)
		}
	}
}
