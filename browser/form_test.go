package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// fields makes the fields of a form of pairs: what is in the outline, value.
func fields(t *testing.T, out string, pairs ...string) (a browser.FormArgs) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		a.Fields = append(a.Fields, browser.FormField{Ref: ref(t, out, pairs[i]), Value: pairs[i+1]})
	}
	return a
}

func TestFillForm(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/fields.html")
	out := c.read(t)
	o, err := c.FillForm(ctx, fields(t, out, `textbox "Name"`, "Ann", `"Country"`, "Austria", `"City"`, "Graz",
		`checkbox "News"`, "true", `checkbox "Old"`, "false", `radio "Large"`, "true", `switch "Dark"`, "true", `checkbox "All"`, "false", `"Shout"`, "hey"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Filled 9 of 9", `"Name": "Ann"`, `"Country": "Austria"`, `"City": "Graz"`, `"News": checked`, `"Old": unchecked`,
		`"Large": checked`, `"Dark": checked`, `"All": unchecked`, `"Shout": "HEY"`,
	} {
		if !strings.Contains(o.Did, want) {
			t.Errorf("no %s in %s", want, o.Did)
		}
	}
	if len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "another value") {
		t.Errorf("notes: %q", o.Notes)
	}
	after := c.read(t)
	// What is right already stays: nothing is switched twice.
	if _, err := c.FillForm(ctx, fields(t, out, `checkbox "News"`, "true", `switch "Dark"`, "true")); err != nil {
		t.Error(err)
	}
	if now := c.read(t); now != after {
		t.Errorf("the page changed:\n%s\nwas\n%s", now, after)
	}
}

func TestFillFormGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/fields.html")
	out := c.read(t)
	o, err := c.FillForm(ctx, fields(t, out, `textbox "Name"`, "Ann", `"Fixed"`, "x", `switch "Stuck"`, "true",
		`"Country"`, "Mars", `"Removes"`, "x", `"Next"`, "x", `checkbox "News"`, "true"))
	if err == nil || o == nil {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, want := range []string{"4 of the 7 fields", "read-only", "did not switch it on", `"Austria", "France"`, "stale"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
	if want := `checkbox "News": checked`; !strings.Contains(o.Did, want) || strings.Contains(o.Did, "Fixed") {
		t.Errorf("%s", o.Did)
	}
	if got := c.read(t); !strings.Contains(got, `checkbox "News" [checked]`) || !strings.Contains(got, ": Ann") {
		t.Errorf("what was done was undone:\n%s", got)
	}
}

func TestFillFormIsCheckedFirst(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/fields.html")
	out := c.read(t)
	a := fields(t, out, `textbox "Name"`, "Ann", `checkbox "News"`, "yes", `radio "Small"`, "false", `"Press"`, "x", `"Photo"`, "x")
	a.Fields = append(a.Fields, browser.FormField{Ref: "e999999", Value: "x"})
	_, err := c.FillForm(ctx, a)
	if err == nil || !strings.Contains(err.Error(), "Nothing was filled") || !strings.Contains(err.Error(), "e999999") {
		t.Fatal(err)
	}
	a.Fields = a.Fields[:5]
	if _, err = c.FillForm(ctx, a); err == nil {
		t.Fatal("it was filled")
	}
	for _, want := range []string{"Nothing was filled", `"true" or "false", not "yes"`, "another one of its group", "not a field", "upload_file"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
	if now := c.read(t); now != out {
		t.Errorf("the page changed:\n%s", now)
	}
	if _, err := c.FillForm(ctx, browser.FormArgs{}); err == nil {
		t.Error("no fields were filled")
	}
}

func TestFillFormThatOpensADialog(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/fields.html")
	a := fields(t, c.read(t), `textbox "Name"`, "Ann", `"Asks"`, "x", `checkbox "News"`, "true")
	o, err := c.FillForm(ctx, a)
	if err != nil || o.Dialog == nil || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], a.Fields[2].Ref+" were not filled") {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t); !strings.Contains(got, ": Ann") || strings.Contains(got, `"News" [checked]`) {
		t.Errorf("\n%s", got)
	}
}
