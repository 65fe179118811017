package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A click that the page catches with something else at the last moment is not
// said to have been made.
func TestClickThatLandsElsewhereIsAnError(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/dodging.html")
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), `"Buy"`)})
	if err == nil || !strings.Contains(err.Error(), `landed on div#lid "Wait a moment"`) || !strings.Contains(err.Error(), "read_page") {
		t.Errorf("%+v, %v", o, err)
	}
	r, err := c.ReadPage(ctx, browser.ReadArgs{})
	if err != nil || r.Tab.Title != "Dodging" {
		t.Errorf("afterwards %+v, %v", r, err)
	}
}

// A pointer that is not on the element any more is not told as being there.
func TestHoverOverWhatGoesAway(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/dodging.html")
	o, err := c.Hover(testContext(t), browser.HoverArgs{Ref: ref(t, c.read(t), `"Shy"`)})
	if err != nil || !strings.Contains(strings.Join(o.Notes, " "), "does not show it as hovered") {
		t.Errorf("%+v, %v", o, err)
	}
}
