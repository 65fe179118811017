package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestListsOfThePagesOwn(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/choices.html")
	out := c.read(t)
	for _, tc := range []struct {
		what   string
		values []string
		did    string
		err    string
	}{
		{`combobox "Fruit"`, []string{"Pear"}, `"Pear"`, ""},
		{`combobox "Fruit"`, []string{"pine apple"}, `"Pine apple"`, ""},
		{`combobox "Fruit"`, []string{"Plum"}, "", `no option "Plum"; it shows "Apple", "Pear"`},
		{`combobox "Fruit"`, []string{"Rotten"}, "", "is disabled"},
		{`combobox "Town"`, []string{"Graz"}, `"Graz"`, ""},
		{`combobox "Town"`, []string{"Salzburg"}, `"Salzburg"`, ""},
		{`listbox "Colours"`, []string{"Blue", "Green"}, `"Green", "Blue"`, ""},
	} {
		o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, tc.what), Values: tc.values})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s %q: %+v, %v", tc.what, tc.values, o, err)
			}
		} else if err != nil || !strings.Contains(o.Did, tc.did) || len(o.Notes) > 0 {
			t.Errorf("%s %q: %+v, %v", tc.what, tc.values, o, err)
		}
		if now := c.read(t); strings.Contains(now, "[expanded]") {
			t.Errorf("after %s %q a list is open:\n%s", tc.what, tc.values, now)
		}
	}
	if _, err := c.FillForm(ctx, fields(t, out, `combobox "Fruit"`, "Apple")); err != nil {
		t.Error(err)
	}
	after := c.read(t)
	for _, want := range []string{"town Salzburg", `option "Blue" [selected]`, `option "Green" [selected]`} {
		if !strings.Contains(after, want) {
			t.Errorf("no %s in\n%s", want, after)
		}
	}
}

func TestFieldsWithALife(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/choices.html")
	out := c.read(t)
	for _, tc := range []struct{ what, value, did, note, err string }{
		{`"Level"`, "7", `"7"`, "", ""},
		{`"Level"`, "12", `"12"`, "does not accept it", ""},
		{`"Level"`, "4", `"4"`, "does not accept it", ""},
		{`"Slide"`, "70", `"70"`, "", ""},
		{`"Slide"`, "250", `"100"`, "another value", ""},
		{`"Again"`, "whole text", `"whole text"`, "", ""},
		{`"Vanishes"`, "x", "", "", "replaced as it got the focus"},
		{`"Model"`, "new text", `"new text"`, "", ""},
		{`"Model"`, "", `""`, "", ""},
	} {
		o, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, tc.what), Value: tc.value})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s %q: %+v, %v", tc.what, tc.value, o, err)
			}
			continue
		}
		if err != nil || !strings.Contains(o.Did, tc.did) || !strings.Contains(strings.Join(o.Notes, " "), tc.note) || (tc.note == "") != (len(o.Notes) == 0) {
			t.Errorf("%s %q: %+v, %v", tc.what, tc.value, o, err)
		}
	}
	// What is told is what the page has, also in the field that took the first one's place.
	e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => document.querySelector('[name=again]').value"})
	if err != nil || e.JSON != `"whole text"` {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	b := browser.New(nil, browser.Options{}) // it is not asked
	for key, want := range map[string]string{
		"Control+": "names no key", "Shift+Control+": "names no key", "+a": "no modifier key", "Control+Nope": "no key", "": "which key", "a+": "names no key",
	} {
		if _, err := b.PressKey(testContext(t), browser.PressArgs{Key: key}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, text := range []string{"a\x00b", "\a", "\x1b[0m", "\x7f"} {
		if _, err := b.TypeText(testContext(t), browser.TypeArgs{Text: text}); err == nil || !strings.Contains(err.Error(), "control character") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
