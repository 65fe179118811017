package browser_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// weighing is a transport that notes how often the page script goes over it,
// and may have the browser not take it beforehand.
type weighing struct {
	browser.Transport
	refuse bool // what is to be run in each new document

	mu       sync.Mutex
	before   int // given to the browser for each new document
	sent     int // sent into a document that is there
	sessions map[string]bool
}

func (w *weighing) Write(ctx context.Context, m *cdproto.Message) error {
	if strings.Contains(string(m.Params), "marksIn") {
		w.mu.Lock()
		if m.Method == "Page.addScriptToEvaluateOnNewDocument" {
			w.before++
		} else {
			w.sent++
			w.sessions[string(m.SessionID)] = true
		}
		w.mu.Unlock()
		if w.refuse && m.Method == "Page.addScriptToEvaluateOnNewDocument" {
			c := *m
			c.Method, c.Params = "Sidekick.noSuchMethod", []byte("{}")
			return w.Transport.Write(ctx, &c)
		}
	}
	return w.Transport.Write(ctx, m)
}

// The page script is 80 kB, and a reading of a page should not have to bring it:
// the browser runs it in each document of a tab. Frames of other processes get it
// when they are looked at.
func TestPageScriptIsThere(t *testing.T) {
	t.Parallel()
	w := &weighing{sessions: map[string]bool{}}
	c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport { w.Transport = tr; return w })
	for _, p := range []string{"/form.html", "/inner.html", "/form.html?again"} {
		c.open(t, p)
		c.read(t)
	}
	if w.before != 3 || w.sent != 0 { // each is a tab of its own
		t.Errorf("the script was given for new documents %d times, and sent %d times, want 3 and 0", w.before, w.sent)
	}
	for range 2 {
		if _, err := c.Navigate(testContext(t), browser.NavigateArgs{URL: c.site.URL + "/form.html"}); err != nil {
			t.Fatal(err)
		}
		c.read(t)
	}
	if w.before != 3 || w.sent != 0 {
		t.Errorf("after navigations: %d times for new documents, sent %d times, want 3 and 0", w.before, w.sent)
	}
	c.open(t, "/frames.html")
	if _, err := c.WaitFor(testContext(t), browser.WaitArgs{Text: "Inner deep"}); err != nil {
		t.Fatal(err)
	}
	out := c.read(t)
	for _, want := range []string{`"Outer"`, `iframe "Same"`, `iframe "Far"`, "Nested outside"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in:\n%s", want, out)
		}
	}
	if w.sent == 0 || w.sessions[""] || len(w.sessions) != w.sent {
		t.Errorf("sent %d times into %v, want once into each frame of another process", w.sent, w.sessions)
	}
}

// A browser that did not take it, or a document that came before it did, gets it
// with the first look.
func TestPageScriptIsSentWhereItIsNot(t *testing.T) {
	t.Parallel()
	w := &weighing{sessions: map[string]bool{}, refuse: true}
	c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport { w.Transport = tr; return w })
	c.open(t, "/frames.html")
	if _, err := c.WaitFor(testContext(t), browser.WaitArgs{Text: "Inner deep"}); err != nil {
		t.Fatal(err)
	}
	out := c.read(t)
	for _, want := range []string{`"Outer"`, `iframe "Same"`, `iframe "Far"`, "Nested outside"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in:\n%s", want, out)
		}
	}
	if _, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, `"Outer"`)}); err != nil {
		t.Fatal(err)
	}
	if out := c.read(t); !strings.Contains(out, "outer clicked") {
		t.Errorf("not clicked:\n%s", out)
	}
	n := w.sent
	c.read(t)
	if w.sent != n {
		t.Error("it was sent once more into documents that have it")
	}
}
