package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What a page keeps from assistive software because the keyboard does the same,
// the arrows of a field for one, a person clicks all the same: it has a ref. What
// nobody sees has none.
func TestControlsKeptFromAssistiveSoftware(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/unspoken.html")
	out := c.read(t)
	for _, no := range []string{"Copy of a button", "Slide two", "★"} {
		if strings.Contains(out, no) {
			t.Errorf("%s is told in\n%s", no, out)
		}
	}
	for what, want := range map[string]string{"(spin-up": ": 1", "(+)": "Guests 2"} {
		o, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, what)})
		if err != nil || !strings.Contains(o.Changes, want) {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
	if now := c.read(t); !strings.Contains(now, "(spin-down") || !strings.Contains(now, `spinbutton "Amount" [ref=`+ref(t, out, "Amount")+`]: 1`) {
		t.Errorf("the page is\n%s", now)
	}
}
