package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A list that takes no choice is told as such, and no other list is touched.
func TestListsThatTakeNoChoice(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/choosers.html")
	out := c.read(t)
	choose := func(field string, values ...string) (*browser.Outcome, error) {
		t.Helper()
		return c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, field), Values: values})
	}
	if o, err := choose(`combobox "Silent"`, "Red"); err == nil || !strings.Contains(err.Error(), "no list of choices came up") {
		t.Errorf("what opens nothing: %+v, %v", o, err)
	}
	if o, err := choose(`combobox "Stuck"`, "Other"); err != nil || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], `The option "Other" was clicked, but what the list shows now does not name it`) {
		t.Errorf("what takes no notice: %+v, %v", o, err)
	}
	if o, err := choose(`combobox "Stuck"`); err == nil || !strings.Contains(err.Error(), "name the options to choose") {
		t.Errorf("nothing: %+v, %v", o, err)
	}
	if now := c.read(t); strings.Contains(now, "Said") || strings.Contains(now, "[expanded]") {
		t.Errorf("the page is\n%s", now)
	}
	// What stays open is closed.
	if o, err := choose(`combobox "Stays"`, "One", "Two"); err != nil || !strings.Contains(o.Did, "One") || len(o.Notes) > 0 {
		t.Errorf("two choices in one that stays open: %+v, %v", o, err)
	}
	if now := c.read(t); strings.Contains(now, "[expanded]") || !strings.Contains(now, "One Two") {
		t.Errorf("the page is\n%s", now)
	}
	if o, err := choose(`listbox "Colours"`, "Red", "Blue"); err == nil || !strings.Contains(err.Error(), `takes one choice only: "Red" was chosen`) {
		t.Errorf("two choices: %+v, %v", o, err)
	}
	c.says(t, "Said Red")
}
