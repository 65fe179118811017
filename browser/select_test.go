package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What a select field of HTML's takes, by label or by value, and how: with the
// two events of a person's choice, and nothing else touched.
func TestSelectFields(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/selects.html")
	out := c.read(t)
	for _, s := range []struct {
		field     string
		values    []string
		did, says string
	}{
		{`"Town"`, []string{"Graz"}, `"Graz"`, "input change town=g"},
		{`"Town"`, []string{"l"}, `"Linz"`, "input change town=l"},
		{`"Town"`, []string{"upper  AUSTRIA"}, `"Upper Austria"`, "input change town=u"},
		{`"Colours"`, []string{"Red", "Blue"}, `"Red", "Blue"`, "input change colours=r,b"},
		{`"Colours"`, []string{"Green"}, `"Green"`, "input change colours=g"},
		{`"Colours"`, nil, "nothing", "input change colours="},
	} {
		o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, s.field), Values: s.values})
		if err != nil || !strings.HasSuffix(o.Did, ": "+s.did+".") || len(o.Notes) > 0 {
			t.Errorf("%s %q: %+v, %v", s.field, s.values, o, err)
		}
		c.says(t, "Said "+s.says+".")
	}
	before := c.read(t)
	for _, s := range []struct {
		field  string
		values []string
		want   string
	}{
		{`"Town"`, []string{"Graz", "Linz"}, "it takes one choice only"},
		{`"Town"`, nil, "it always has one choice"},
		{`"Town"`, []string{"Closed"}, `its option "Closed" is disabled`},
		{`"Town"`, []string{"Far away"}, `its option "Far away" is disabled`}, // with its group
		{`"Colours"`, []string{"Red", "Black"}, `it has no option "Black"; it has "Red", "Green", "Blue"`},
		{`"Off"`, []string{"B"}, "it is disabled"},
		{`button "Plain"`, []string{"B"}, "it is not a list of choices"},
	} {
		o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, s.field), Values: s.values})
		if err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s %q: %+v, %v", s.field, s.values, o, err)
		}
	}
	for _, s := range []struct{ field, want string }{
		{`"Town"`, "it is a list of choices: use select_option"}, {`"Off field"`, "it is disabled"}, {`"Tick"`, "it is an input of type checkbox: use click"},
	} {
		if o, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, s.field), Value: "Graz"}); err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s filled: %+v, %v", s.field, o, err)
		}
	}
	if now := c.read(t); strings.ReplaceAll(now, " [focused]", "") != strings.ReplaceAll(before, " [focused]", "") {
		t.Errorf("the page changed:\n%s\nwas\n%s", now, before)
	}
}
