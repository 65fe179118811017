package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What a page takes back, or does not take, is not said to have been done.
func TestPageThatKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/stubborn.html")
	out := c.read(t)
	o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"Large"}})
	if err != nil || !strings.Contains(o.Did, `"Small"`) || !strings.Contains(strings.Join(o.Notes, " "), "another choice") {
		t.Errorf("select: %+v, %v", o, err)
	}
	o, err = c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"Huge"}})
	if err == nil || !strings.Contains(err.Error(), `its option "Huge" is disabled`) {
		t.Errorf("select what is disabled: %+v, %v", o, err)
	}
	o, err = c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Code"`), Text: "x"})
	if err == nil || !strings.Contains(err.Error(), `did not take the text: the field's value is still "as it was"`) {
		t.Errorf("type: %+v, %v", o, err)
	}
	o, err = c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Menu"`), Text: "x"})
	if err == nil || !strings.Contains(err.Error(), "does not take the focus") {
		t.Errorf("type without the focus: %+v, %v", o, err)
	}
}
