package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What an action has the page's scripts put into fields is told, although it
// changes nothing of the document: only the fields' own values.
func TestFieldsThatScriptsFillAreTold(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/refills.html")
	out := c.read(t)
	for _, step := range []struct{ what, want string }{
		{`checkbox "Same city"`, `textbox "Ship to"`}, {`button "More"`, `: 2`}, {`button "Less"`, `: 1`},
		{`checkbox "All"`, `checkbox "Bob" [checked]`}, {`button "Fit"`, `"Large" [selected]`}, {`button "Clear"`, `textbox "Note"`},
	} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, step.what)})
		if err != nil || !strings.Contains(o.Changes, step.want) {
			t.Errorf("%s: %+v, %v", step.what, o, err)
		}
	}
	// The one that has the focus, too.
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `textbox "Pieces"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `button "Plus"`)}); err != nil || !strings.Contains(o.Changes, ": 2") {
		t.Errorf("%+v, %v", o, err)
	}
	// What the action itself says needs no second word.
	if o, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `textbox "Code"`), Value: "42"}); err != nil || o.Changes != "" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Code"`), Text: "!"}); err != nil || o.Changes != "" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"Small"}}); err != nil || o.Changes != "" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `checkbox "Ann"`)}); err != nil || o.Changes != "" || !strings.Contains(o.Did, "now not checked") && !strings.Contains(o.Did, "unchecked") {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, "Nothing")}); err != nil || o.Changes != "" {
		t.Errorf("%+v, %v", o, err)
	}
}
