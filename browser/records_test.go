package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestConsoleAndNetwork(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/records.html")
	has := func(r *browser.Records, err error, want ...string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(r.Lines, "\n"), w) {
				t.Errorf("no %q in %q", w, r.Lines)
			}
		}
	}
	// What was logged before anybody asked is there.
	r, err := c.Console(ctx, browser.RecordArgs{})
	has(r, err, "log: early 1 Object", "error: bad thing (http://")
	r, err = c.Network(ctx, browser.RecordArgs{})
	if err != nil || len(r.Lines) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "from now on") {
		t.Errorf("%+v, %v", r, err)
	}
	out := c.read(t)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Fetch"`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "fetched"}); err != nil {
		t.Fatal(err)
	}
	r, err = c.Network(ctx, browser.RecordArgs{})
	has(r, err, "GET fetch "+c.site.URL+"/other.html?q=1 → 200 text/html", "/missing.json → 404")
	if len(r.Notes) != 0 {
		t.Errorf("%q", r.Notes)
	}
	r, err = c.Network(ctx, browser.RecordArgs{Errors: true})
	if has(r, err, "/missing.json"); len(r.Lines) != 1 {
		t.Errorf("%q", r.Lines)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Fail"`)}); err != nil {
		t.Fatal(err)
	}
	r, err = c.Console(ctx, browser.RecordArgs{Errors: true})
	has(r, err, "warning: late warning", "uncaught: ReferenceError: nowhere is not defined")
	r, err = c.Console(ctx, browser.RecordArgs{Filter: "LATE"})
	if has(r, err, "late"); len(r.Lines) != 1 || r.Total != 1 {
		t.Errorf("%q", r.Lines)
	}
	r, err = c.Console(ctx, browser.RecordArgs{Limit: 1})
	if has(r, err, "nowhere"); len(r.Lines) != 1 || r.Total < 4 {
		t.Errorf("%q of %d", r.Lines, r.Total)
	}
	// It goes on in the next page.
	if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/records.html?2"}); err != nil {
		t.Fatal(err)
	}
	r, err = c.Network(ctx, browser.RecordArgs{Filter: "?2"})
	has(r, err, "GET document")
	// Many are kept, not all.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { for (let i = 0; i < 2000; i++) console.log('line ' + i); }"}); err != nil {
		t.Fatal(err)
	}
	r, err = c.Console(ctx, browser.RecordArgs{Limit: 500})
	if has(r, err, "line 1999"); r.Total != 500 {
		t.Errorf("%d are kept", r.Total)
	}
}
