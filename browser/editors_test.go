package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Editors that keep their text somewhere else than in the page.
func TestFillInEditors(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/editors.html")
	out := c.read(t)
	for _, f := range []struct{ field, value, want string }{
		{`textbox "Model"`, "new text", "Model: new text."},
		{`textbox "Model"`, "", "Model: ."},
		{`textbox "Drawn"`, "new drawing", "Drawn: new drawing."},
		{`textbox "Drawn"`, "", "Drawn: ."},
	} {
		if _, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, f.field), Value: f.value}); err != nil {
			t.Errorf("%s with %q: %v", f.field, f.value, err)
		}
		if after := c.read(t); !strings.Contains(after, f.want) {
			t.Errorf("%s with %q: no %q in\n%s", f.field, f.value, f.want, after)
		}
	}
}

// Enter comes when the page has seen what was typed before it.
func TestSubmitComesAfterThePageSawTheText(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/editors.html")
	out := c.read(t)
	if _, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Later"`), Text: "all of it", Submit: true}); err != nil {
		t.Fatal(err)
	}
	if after := c.read(t); !strings.Contains(after, "sent all of it") {
		t.Errorf("the page took something else:\n%s", after)
	}
}

// A radio that shows itself by its label alone.
func TestClickOnWhatOnlyItsLabelShows(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/editors.html")
	out := c.read(t)
	o, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, `radio "Second way"`)})
	if err != nil || !strings.Contains(o.Did, "now checked") {
		t.Errorf("%+v, %v", o, err)
	}
	if after := c.read(t); !strings.Contains(after, "Way: second") {
		t.Errorf("the page did not take it:\n%s", after)
	}
}
