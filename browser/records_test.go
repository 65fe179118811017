package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// lines are records as text.
func lines[E browser.Record](r *browser.Records[E]) []string {
	var list []string
	for _, e := range r.List {
		list = append(list, e.Line())
	}
	return list
}

func hasLines[E browser.Record](t *testing.T, r *browser.Records[E], err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(lines(r), "\n"), w) {
			t.Errorf("no %q in %q", w, lines(r))
		}
	}
}

// other is the address of a page at another site.
func (c *chromium) other(path string) string {
	return strings.Replace(c.site.URL, "127.0.0.1", "other.example", 1) + path
}

// until waits for what a page brings about by itself.
func until(t *testing.T, met func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
	}
}

// run runs a function in the page, whose answer does not matter.
func (c *chromium) run(t *testing.T, format string, a ...any) {
	t.Helper()
	if _, err := c.Evaluate(testContext(t), browser.EvaluateArgs{Function: fmt.Sprintf(format, a...)}); err != nil {
		t.Fatal(err)
	}
}

func TestConsoleAndNetwork(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/records.html")
	// What was logged before anybody asked is there.
	r, err := c.Console(ctx, browser.RecordArgs{})
	hasLines(t, r, err, "log: early 1 {a: 1}", "error: bad thing (http://")
	n, err := c.Network(ctx, browser.RecordArgs{})
	if err != nil || len(n.List) != 0 || len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "from now on") {
		t.Errorf("%+v, %v", n, err)
	}
	out := c.read(t)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Fetch"`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "fetched"}); err != nil {
		t.Fatal(err)
	}
	n, err = c.Network(ctx, browser.RecordArgs{})
	hasLines(t, n, err, "n1 GET fetch "+c.site.URL+"/other.html?q=1 → 200 text/html", "n2 GET fetch "+c.site.URL+"/missing.json → 404")
	if len(n.Notes) != 0 {
		t.Errorf("%q", n.Notes)
	}
	n, err = c.Network(ctx, browser.RecordArgs{Errors: true})
	if hasLines(t, n, err, "/missing.json"); len(n.List) != 1 {
		t.Errorf("%q", lines(n))
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Fail"`)}); err != nil {
		t.Fatal(err)
	}
	r, err = c.Console(ctx, browser.RecordArgs{Errors: true})
	hasLines(t, r, err, "warning: late warning", "uncaught: ReferenceError: nowhere is not defined")
	r, err = c.Console(ctx, browser.RecordArgs{Filter: "LATE"})
	if hasLines(t, r, err, "late"); len(r.List) != 1 || r.Total != 1 {
		t.Errorf("%q", lines(r))
	}
	r, err = c.Console(ctx, browser.RecordArgs{Limit: 1})
	if hasLines(t, r, err, "nowhere"); len(r.List) != 1 || r.Total < 4 {
		t.Errorf("%q of %d", lines(r), r.Total)
	}
	// It goes on in the next page.
	if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/records.html?2"}); err != nil {
		t.Fatal(err)
	}
	n, err = c.Network(ctx, browser.RecordArgs{Filter: "?2"})
	hasLines(t, n, err, "GET document")
	// Many are kept, not all.
	c.run(t, "() => { for (let i = 0; i < 2000; i++) console.log('line ' + i); }")
	r, err = c.Console(ctx, browser.RecordArgs{Limit: 500})
	if hasLines(t, r, err, "line 1999"); r.Total != 500 {
		t.Errorf("%d are kept", r.Total)
	}
}

// Frames of other sites live in sessions of their own: those that are there at
// the first call, and those that come later.
func TestRecordsOfFrames(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	frame := "() => new Promise((done) => { const f = document.createElement('iframe'); f.src = %q; f.onload = () => done(); document.body.append(f); })"
	c.run(t, frame, c.other("/records.html?first"))
	r, err := c.Console(ctx, browser.RecordArgs{})
	hasLines(t, r, err, "error: bad thing ("+c.other("/records.html?first:2"))
	if n, err := c.Network(ctx, browser.RecordArgs{}); err != nil || len(n.Notes) != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	c.run(t, frame, c.other("/records.html?second"))
	until(t, func() bool {
		r, err = c.Console(ctx, browser.RecordArgs{Filter: "?second"})
		return err != nil || len(r.List) > 0
	})
	hasLines(t, r, err, "error: bad thing ("+c.other("/records.html?second:2"))
	n, err := c.Network(ctx, browser.RecordArgs{Filter: "?second"})
	if hasLines(t, n, err, "GET document "+c.other("/records.html?second")+" → 200 text/html"); len(n.List) != 1 {
		t.Errorf("told more than once: %q", lines(n))
	}
	// Both frames fetch; what came back can be had from either.
	out := c.read(t)
	for i, button := range strings.SplitAfter(out, `button "Fetch"`)[1:] {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, `"Fetch"`+button, `"Fetch"`)}); err != nil {
			t.Fatal(err)
		}
		until(t, func() bool {
			n, err = c.Network(ctx, browser.RecordArgs{Filter: "other.html?q=1"})
			return err != nil || len(n.List) == i+1 && n.List[i].Finished
		})
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.Exchange(ctx, browser.ExchangeArgs{Request: n.List[i].ID})
		if err != nil || x.Got == nil || !strings.Contains(x.Got.Text, "<title>") {
			t.Errorf("frame %d: %+v, %v", i, x, err)
		}
	}
	if len(n.List) != 2 {
		t.Errorf("%q in:\n%s", lines(n), out)
	}
}

// Workers have sessions of their own while requests are recorded.
func TestRecordsOfWorkers(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	if _, err := c.Console(ctx, browser.RecordArgs{}); err != nil {
		t.Fatal(err)
	}
	worker := "() => { window.%s = new Worker(URL.createObjectURL(new Blob([`onmessage = () => fetch('" + c.site.URL + "/other.html?%[1]s').then((r) => r.text()).then(() => console.log('from %[1]s'))`]))); }"
	c.run(t, worker, "before")
	if _, err := c.Network(ctx, browser.RecordArgs{}); err != nil {
		t.Fatal(err)
	}
	c.run(t, worker, "after")
	for _, w := range []string{"before", "after"} {
		var n *browser.Records[browser.Request]
		// Its first requests may be over before somebody listens.
		until(t, func() bool {
			c.run(t, "() => window.%s.postMessage(1)", w)
			var err error
			if n, err = c.Network(ctx, browser.RecordArgs{Filter: "other.html?" + w}); err != nil {
				t.Fatal(err)
			}
			return len(n.List) > 0 && n.List[0].Finished
		})
		x, err := c.Exchange(ctx, browser.ExchangeArgs{Request: n.List[0].ID})
		if err != nil || x.Got == nil || !strings.Contains(x.Got.Text, "<title>") {
			t.Errorf("%s: %+v, %v", w, x, err)
		}
		r, err := c.Console(ctx, browser.RecordArgs{Filter: "from " + w})
		hasLines(t, r, err, "from "+w)
		c.run(t, "() => window.%s.terminate()", w)
		until(t, func() bool {
			x, err := c.Exchange(ctx, browser.ExchangeArgs{Request: n.List[0].ID})
			return err != nil || x.Got == nil && len(x.Notes) == 1 && strings.Contains(x.Notes[0], "worker that made it is gone")
		})
	}
	c.read(t) // a page with workers reads as any other
}

func TestExchange(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	if _, err := c.Network(ctx, browser.RecordArgs{}); err != nil {
		t.Fatal(err)
	}
	// last runs a fetch and returns its exchange.
	last := func(fetch string) *browser.Exchange {
		t.Helper()
		c.run(t, "async () => { await (await %s).arrayBuffer().catch(() => {}); }", fetch)
		var n *browser.Records[browser.Request]
		until(t, func() bool {
			var err error
			if n, err = c.Network(ctx, browser.RecordArgs{}); err != nil {
				t.Fatal(err)
			}
			end := n.List[len(n.List)-1]
			return end.Finished || end.Failed != ""
		})
		x, err := c.Exchange(ctx, browser.ExchangeArgs{Request: n.List[len(n.List)-1].ID})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := last(`fetch('/echo', {method: 'POST', headers: {'Content-Type': 'application/json; charset=utf-8'}, body: '{"a": "ä"}'})`)
	if want := (browser.Body{Type: "application/json", Text: `{"a": "ä"}`, Total: 10}); x.Sent == nil || *x.Sent != want || x.Got == nil || *x.Got != want {
		t.Errorf("%+v, %+v", x.Sent, x.Got)
	}
	if x.Request.Method != "POST" || len(x.Notes) != 0 {
		t.Errorf("%+v", x)
	}
	x = last(`fetch('/echo', {method: 'POST', body: 'é'.repeat(30000)})`)
	for _, b := range []*browser.Body{x.Sent, x.Got} {
		if b == nil || b.Total != 30_000 || b.Text != strings.Repeat("é", 20_000) {
			t.Errorf("a long body: %.100v", b)
		}
	}
	x = last(`fetch('/echo', {method: 'POST', headers: {'Content-Type': 'image/png'}, body: new Uint8Array(1001)})`)
	if x.Got == nil || x.Got.Text != "" || x.Got.Bytes != 1001 || x.Got.Type != "image/png" {
		t.Errorf("what is no text: %+v", x.Got)
	}
	if x = last(`fetch('/other.html')`); x.Sent != nil || !strings.Contains(x.Got.Text, "<title>") {
		t.Errorf("%+v, %+v", x.Sent, x.Got)
	}
	if _, err := c.Exchange(ctx, browser.ExchangeArgs{Request: "n99"}); err == nil || !strings.Contains(err.Error(), "Call network without request") {
		t.Errorf("%v", err)
	}
	// One that is redirected, and one that has no answer yet.
	c.run(t, "async () => { await fetch('/redirect?to=/other.html'); fetch('/slow').catch(() => {}); }")
	n, err := c.Network(ctx, browser.RecordArgs{Filter: "redirect"})
	hasLines(t, n, err, "/redirect?to=/other.html → 302, redirected")
	notes := func(id, want string) {
		t.Helper()
		x, err := c.Exchange(ctx, browser.ExchangeArgs{Request: id})
		if err != nil || x.Got != nil || len(x.Notes) != 1 || !strings.Contains(x.Notes[0], want) {
			t.Errorf("%+v, %v", x, err)
		}
	}
	notes(n.List[0].ID, "the next request has the body")
	n, err = c.Network(ctx, browser.RecordArgs{Filter: "/slow"})
	hasLines(t, n, err, "GET fetch "+c.site.URL+"/slow")
	notes(n.List[0].ID, "not there to its end yet")
	// A page that was left takes its bodies with it; ids go on.
	if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.other("/other.html?next")}); err != nil {
		t.Fatal(err)
	}
	notes("n4", "does not keep it any more")
	n, err = c.Network(ctx, browser.RecordArgs{Limit: 500})
	hasLines(t, n, err, "?next")
	var ids []string
	for _, r := range n.List {
		ids = append(ids, r.ID)
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != len(n.List) {
		t.Errorf("%q", lines(n))
	}
}
