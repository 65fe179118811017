package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Each reason for which nobody could click has a text of its own, and nothing is
// clicked.
func TestEachObstacleHasItsText(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/obstacles.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "In a frame away"}); err != nil {
		t.Fatal(err)
	}
	out := c.read(t)
	for _, o := range []struct{ name, first, want string }{
		{"Flat", "", "it has no size on the page"},
		{"Hidden later", "(el) => { el.style.visibility = 'hidden' }", "it is not visible"},
		{"Undrawn later", "(el) => { el.style.display = 'none' }", "it is not visible"},
		{"Inert later", "(el) => { el.parentElement.inert = true }", "it is inert"},
		{"Off later", "(el) => { el.disabled = true }", "it is disabled"},
		{"Off with its group", "", "it is disabled"},
		{"Off for ARIA", "", "it is disabled"},
		{"Away", "", "it cannot be scrolled into view"},
		{"In a frame away", "", "its frame cannot be scrolled to where it is in view"},
		{"Untouchable", "", "it takes no clicks (pointer-events: none)"},
	} {
		r := ref(t, out, `"`+o.name+`"`)
		if o.first != "" {
			if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: o.first, Ref: r}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := c.Click(ctx, browser.ClickArgs{Ref: r})
		if err == nil || !strings.Contains(err.Error(), r+" (") || !strings.Contains(err.Error(), " cannot be acted on: "+o.want) {
			t.Errorf("%s: %+v, %v", o.name, got, err)
		}
	}
	if title := tabTitle(t, c); title != "Obstacles" {
		t.Errorf("the page says %q", title)
	}
}
