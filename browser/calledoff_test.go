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

// overhearing is a transport that says when a command went out and when it was
// answered.
type overhearing struct {
	browser.Transport
	part           string // of the command's parameters
	sent, answered chan struct{}

	mu sync.Mutex
	id int64
}

func (o *overhearing) Write(ctx context.Context, m *cdproto.Message) error {
	if err := o.Transport.Write(ctx, m); err != nil {
		return err
	}
	if strings.Contains(string(m.Params), o.part) {
		o.mu.Lock()
		o.id = m.ID
		o.mu.Unlock()
		close(o.sent)
	}
	return nil
}

func (o *overhearing) Read(ctx context.Context, m *cdproto.Message) error {
	err := o.Transport.Read(ctx, m)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil && m.ID != 0 && m.ID == o.id {
		close(o.answered)
	}
	return err
}

// A wait that is given up ends in the page, too, which would go on looking for
// it until its time is over.
func TestWaitThatIsGivenUpEndsInThePage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fn   string
		args func(out string) browser.WaitArgs
	}{
		"text":    {"s.waitText(", func(string) browser.WaitArgs { return browser.WaitArgs{Text: "never"} }},
		"element": {"s.waitRef(", func(out string) browser.WaitArgs { return browser.WaitArgs{Ref: ref(t, out, `"Soon"`)} }},
	} {
		t.Run(name, func(t *testing.T) {
			o := &overhearing{part: tc.fn, sent: make(chan struct{}), answered: make(chan struct{})}
			c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport {
				o.Transport = tr
				return o
			})
			c.open(t, "/hard.html")
			a := tc.args(c.read(t))
			a.Timeout = 5 * time.Minute
			gaveUp := errors.New("given up")
			ctx, giveUp := context.WithCancelCause(testContext(t))
			go func() {
				select {
				case <-o.sent:
				case <-ctx.Done():
				}
				giveUp(gaveUp)
			}()
			if _, err := c.WaitFor(ctx, a); !errors.Is(err, gaveUp) {
				t.Errorf("%v, want that it was given up", err)
			}
			select {
			case <-o.answered:
			case <-time.After(10 * time.Second):
				t.Error("the page goes on waiting")
			}
		})
	}
}
