package browser_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// swallows is a transport that loses so many clicks: the browser answers, and no
// page hears of them.
type swallows struct {
	browser.Transport
	clicks atomic.Int32
}

func (s *swallows) Write(ctx context.Context, m *cdproto.Message) error {
	if m.Method == cdproto.CommandInputDispatchMouseEvent && s.clicks.Load() > 0 {
		released := strings.Contains(string(m.Params), `"mouseReleased"`)
		if released {
			s.clicks.Add(-1)
		}
		if released || strings.Contains(string(m.Params), `"mousePressed"`) {
			m = &cdproto.Message{ID: m.ID, SessionID: m.SessionID, Method: cdproto.CommandPageEnable, Params: []byte("{}")}
		}
	}
	return s.Transport.Write(ctx, m)
}

// A click that no page got is made once more where that can do no harm, and
// otherwise told; never is it said that something was clicked.
func TestLostClicks(t *testing.T) {
	s := &swallows{}
	c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport { s.Transport = tr; return s })
	ctx := testContext(t)
	for _, tc := range []struct {
		page string
		lost int32
		want string // the page's count of clicks
	}{
		{"/presses.html", 1, "1"},
		{"/presses.html", 2, "0"},
		{"/presses.html?frames", 1, "0"},
	} {
		for _, at := range []bool{false, true} {
			c.open(t, tc.page)
			a := browser.ClickArgs{Ref: ref(t, c.read(t), `"Plain"`)}
			if at {
				a = browser.ClickArgs{At: &browser.Point{X: 20, Y: 15}}
			}
			s.clicks.Store(tc.lost)
			_, err := c.Click(ctx, a)
			if tc.want == "1" && err != nil || tc.want == "0" && (err == nil || !strings.Contains(err.Error(), "did not come to it")) {
				t.Errorf("%+v, at a point %v: %v", tc, at, err)
			}
			if left := s.clicks.Load(); left != 0 {
				t.Errorf("%+v, at a point %v: %d clicks fewer than wanted", tc, at, left)
			}
			if title := tabTitle(t, c); title != tc.want {
				t.Errorf("%+v, at a point %v: the page was clicked %s times", tc, at, title)
			}
		}
	}
}

// Whatever a page does with a press, it is not taken for one that was lost.
func TestClicksThatAreNotLost(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	for _, page := range []string{"/presses.html", "/presses.html?frames"} {
		c.open(t, page)
		out := c.read(t)
		names := []string{`"Plain"`, `"Around a disabled one"`, `"Hidden press"`, `"Prevented press"`, `"Choice"`, `"Labelled"`, "- video",
			`"Drawing"`, `"Within"`, `"Scrolls"`, `"More"`, `"Vector"`}
		plain := []string{`"Plain"`, `"Hidden press"`, `"Prevented press"`, `"Drawing"`, `"Vector"`}
		if strings.HasSuffix(page, "frames") {
			names = append(names, `"Framed"`, `"Around a frame"`)
		}
		for _, name := range names {
			o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, name)})
			if err != nil {
				t.Errorf("%s: %s: %v", page, name, err)
				continue
			}
			// The page keeps the events of one from everybody; those of some are its own.
			if told := strings.Contains(strings.Join(o.Notes, " "), "lets no one see this click"); told != (name == `"Hidden press"`) && slices.Contains(plain, name) {
				t.Errorf("%s: %s: %+v", page, name, o)
			}
		}
		if title := tabTitle(t, c); title != "5" {
			t.Errorf("%s: the page counted %s clicks, want 5", page, title)
		}
	}
}

// late is a transport that keeps back what presses and releases a button until
// the page has said that it saw nothing of it.
type late struct {
	browser.Transport
	mu    sync.Mutex
	keeps bool
	kept  []*cdproto.Message
}

func (l *late) Write(ctx context.Context, m *cdproto.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keeps && m.Method == cdproto.CommandInputDispatchMouseEvent && !strings.Contains(string(m.Params), `"mouseMoved"`) {
		l.kept = append(l.kept, m)
		return nil
	}
	return l.Transport.Write(ctx, m)
}

func (l *late) Read(ctx context.Context, m *cdproto.Message) error {
	err := l.Transport.Read(ctx, m)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && strings.Contains(string(m.Result), `"landed":null`) {
		for _, k := range l.kept {
			err = errors.Join(err, l.Transport.Write(ctx, k))
		}
		l.keeps, l.kept = false, nil
	}
	return err
}

// A click that comes late is told as what it was, with what it did.
func TestClickThatComesLate(t *testing.T) {
	l := &late{}
	c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport { l.Transport = tr; return l })
	c.open(t, "/presses.html")
	button := ref(t, c.read(t), `"Plain"`)
	l.mu.Lock()
	l.keeps = true
	l.mu.Unlock()
	o, err := c.Click(testContext(t), browser.ClickArgs{Ref: button})
	if err != nil || len(o.Notes) != 0 || o.Tab.Title != "1" {
		t.Errorf("%+v, %v", o, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keeps {
		t.Error("the click did not come late")
	}
}

func tabTitle(t *testing.T, c *chromium) string {
	t.Helper()
	tabs, err := c.Tabs(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range tabs {
		if tab.Current {
			return tab.Title
		}
	}
	t.Fatal("there is no current tab")
	return ""
}
