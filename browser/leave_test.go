package browser_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A connection whose other end makes way is ended between two calls: the call
// under way has its answer first, and the next one dials anew.
func TestLeavesBetweenCalls(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	first := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == "Accessibility.getFullAXTree" {
			l.event("", "Sidekick.leaving", `{}`)
			close(asked)
			<-answer
		}
		return usual(m), nil
	})
	second := newFakeLink(func(_ *fakeLink, m *cdproto.Message) (string, *cdproto.Error) { return usual(m), nil })
	b := engineOn(t, first, second)
	done := make(chan error, 1)
	go func() {
		_, err := b.ReadPage(testContext(t), browser.ReadArgs{})
		done <- err
	}()
	<-asked
	// What comes after the event has been taken in shows that it was, too.
	taken := func() bool { return len(first.in) == 0 }
	for deadline := time.Now().Add(20 * time.Second); !taken(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the event is not taken in")
		}
	}
	select {
	case <-first.closed:
		t.Error("the connection ended with a call under way")
	default:
	}
	close(answer)
	if err := <-done; err != nil {
		t.Errorf("the call under way: %v", err)
	}
	select {
	case <-first.closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still there after the call")
	}
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Errorf("the next call: %v", err)
	}

	// With no call under way it ends at once.
	second.event("", "Sidekick.leaving", `{}`)
	select {
	case <-second.closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection of an idle engine does not end")
	}
}

// An action that is under way then is done as always: of one whose connection
// ended nobody would know what came of it.
func TestLeavesAfterTheActionUnderWay(t *testing.T) {
	var once sync.Once
	link := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == cdproto.CommandInputDispatchMouseEvent {
			once.Do(func() { l.event("", "Sidekick.leaving", `{}`) })
		}
		return usual(m), nil
	})
	b := engineOn(t, link)
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Fatal(err)
	}
	if o, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"}); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
	select {
	case <-link.closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still there after the call")
	}
}

// What a helper that makes way says to an agent that has just come is not lost,
// however soon it comes.
func TestLeavesAfterTheFirstCall(t *testing.T) {
	for range 20 {
		l := newFakeLink(func(_ *fakeLink, m *cdproto.Message) (string, *cdproto.Error) { return usual(m), nil })
		l.event("", "Sidekick.leaving", `{}`)
		b := engineOn(t, l)
		if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-l.closed:
		case <-time.After(20 * time.Second):
			t.Fatal("the connection does not end after the call")
		}
	}
}

// Whatever call is the first on a link that is to be renewed is made, however
// soon the word of that comes; and a call that only asked is made again if the
// link ends under it.
func TestFirstCallOnALinkThatIsRenewed(t *testing.T) {
	calls := map[string]func(context.Context, *browser.Browser) error{
		"navigate": func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Navigate(ctx, browser.NavigateArgs{URL: "http://x.example/#a"})
			return err
		},
		"reload": func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Navigate(ctx, browser.NavigateArgs{Action: "reload"})
			return err
		},
		"tabs": func(ctx context.Context, b *browser.Browser) error { _, err := b.Tabs(ctx); return err },
		"read": func(ctx context.Context, b *browser.Browser) error {
			_, err := b.ReadPage(ctx, browser.ReadArgs{})
			return err
		},
	}
	for name, call := range calls {
		for _, ends := range []bool{false, true} {
			answer := func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
				if m.Method == "Target.getTargets" {
					l.event("", "Sidekick.leaving", `{}`)
					if ends {
						l.Close()
						return "", nil
					}
				}
				return usual(m), nil
			}
			first := newFakeLink(answer)
			second := newFakeLink(func(_ *fakeLink, m *cdproto.Message) (string, *cdproto.Error) { return usual(m), nil })
			if err := call(testContext(t), engineOn(t, first, second)); err != nil {
				t.Errorf("%s, the link ends %v: %v", name, ends, err)
			}
		}
	}
}

// A navigation that was sent may have been made.
func TestNavigationOnALinkThatEnds(t *testing.T) {
	link := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == "Page.navigate" {
			l.Close()
			return "", nil
		}
		return usual(m), nil
	})
	_, err := engineOn(t, link).Navigate(testContext(t), browser.NavigateArgs{URL: "http://x.example/"})
	if !errors.Is(err, browser.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "read_page") {
		t.Errorf("got %v", err)
	}
}
