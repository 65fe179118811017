package browser_test

import (
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Some lists say what their options are where nobody sees them, and show them
// with elements that say nothing; others show what is slotted into them.
func TestSelectOptionInVeiledLists(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/veiled.html")
	out := c.read(t)
	for _, s := range []struct {
		field  string
		values []string
		want   string
	}{
		{`"Fruit"`, []string{"Cherry"}, "Fruit Cherry"},
		{`"Fruit"`, []string{"Banana"}, "Fruit Banana"},
		{`"Tags"`, []string{"Blue", "Red"}, "Tags Blue Red"},
		{`"Pet"`, []string{"Dog"}, "Pet Dog"},
	} {
		if _, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, s.field), Values: s.values}); err != nil {
			t.Errorf("%s: %v", s.field, err)
		}
		c.says(t, s.want)
	}
	if o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `"Fruit"`), Values: []string{"Banana", "Apple"}}); err == nil {
		t.Errorf("one that takes one choice took two: %+v", o)
	}
}
