package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A wait for an address ends when the tab is there, however it got there, and
// not before.
func TestWaitForAnAddress(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	o, err := c.WaitFor(ctx, browser.WaitArgs{URL: "/later", Timeout: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), `the tab is not at "/later"`) || !strings.Contains(err.Error(), "/other.html") {
		t.Errorf("%+v, %v", o, err)
	}
	for _, script := range []string{"history.pushState('', '', '/later')", "location.href = '/form.html?later'"} {
		c.open(t, "/other.html")
		if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { setTimeout(() => { " + script + " }, 500); }"}); err != nil {
			t.Fatal(err)
		}
		o, err = c.WaitFor(ctx, browser.WaitArgs{URL: "*later"})
		if err != nil || !strings.HasSuffix(o.Tab.URL, "later") || !o.URLChanged {
			t.Errorf("%s: %+v, %v", script, o, err)
		}
	}
}

// Where there is nothing to scroll that is told.
func TestScrollThatMovesNothing(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/dodging.html")
	o, err := c.Scroll(ctx, browser.ScrollArgs{Direction: "down"})
	if err != nil || !strings.Contains(o.Did, "did not move") {
		t.Errorf("%+v, %v", o, err)
	}
}
