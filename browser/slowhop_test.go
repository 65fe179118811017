package browser_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A call that has to wait for a hop to come back, or for the browser to be woken,
// waits for it: that its page answers nothing meanwhile is not the page's fault.
// Of one that answers nothing while the browser does it is.
func TestSlowHopIsNotThePagesFault(t *testing.T) {
	for name, silent := range map[string]func(m *cdproto.Message) bool{
		"hop":  func(*cdproto.Message) bool { return true },
		"page": func(m *cdproto.Message) bool { return m.SessionID != "" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var held []*cdproto.Message
				begun, over := false, false
				var l *fakeLink
				back := func() {
					mu.Lock()
					over = true
					mu.Unlock()
					for _, m := range held {
						if err := l.Write(context.Background(), m); err != nil {
							t.Error(err)
						}
					}
				}
				l = newFakeLink(func(_ *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
					mu.Lock()
					defer mu.Unlock()
					if m.Method == "DOM.resolveNode" && !begun {
						begun = true
						time.AfterFunc(15*time.Second, back)
					}
					if begun && !over && silent(m) {
						held = append(held, m)
						return "", nil
					}
					return usual(m), nil
				})
				b := engineOn(t, l)
				if _, err := b.ReadPage(t.Context(), browser.ReadArgs{}); err != nil {
					t.Fatal(err)
				}
				o, err := b.Click(t.Context(), browser.ClickArgs{Ref: "e1001"})
				if name == "hop" && (err != nil || !strings.Contains(o.Did, "Clicked")) {
					t.Errorf("%+v, %v: want that it clicked, 15 s later", o, err)
				}
				if name == "page" && (err == nil || !strings.Contains(err.Error(), "does not answer")) {
					t.Errorf("%+v, %v: want that the page does not answer", o, err)
				}
				time.Sleep(15 * time.Second) // in the bubble: until it is back in any case
				synctest.Wait()
			})
		})
	}
}
