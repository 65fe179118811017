package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Controls that the page keeps where nobody sees them are acted on by what
// stands for them: a box beyond the page's edge by its label, as a person does,
// and not by a link in it.
func TestControlsBeyondTheEdge(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/standin.html")
	out := c.read(t)
	for _, what := range []string{`checkbox "One-way"`, `radio "First"`, `checkbox "☐ I agree`} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, what)})
		if err != nil || !strings.Contains(o.Did, "now checked") {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
}

// A choice in a list that nobody sees leaves the focus where it is: what stands
// for it would open a list of its own, and leave it open over the page.
func TestAChoiceInAnUnseenListOpensNone(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/standin.html")
	o, err := c.SelectOption(testContext(t), browser.SelectArgs{Ref: ref(t, c.read(t), "combobox"), Values: []string{"Large"}})
	if err != nil || !strings.Contains(o.Did, `"Large"`) {
		t.Fatalf("%+v, %v", o, err)
	}
	if out := c.read(t); strings.Contains(out, "listitem") || !strings.Contains(out, ": Large") {
		t.Errorf("the page is\n%s", out)
	}
}
