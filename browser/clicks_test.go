package browser_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

const clicksOutline = `- paragraph:
  - text: Text with a
  - generic [ref]: listening span
  - text: , a
  - generic [ref]: pointed span
  - text: and a plain span.
- list:
  - listitem [ref]: Listening item
  - listitem: Plain item
  - listitem [ref]: Pointed item
- list:
  - listitem [ref]: First of menu
  - listitem [ref]: Second of menu
- link "Link without address" [ref]
- generic [ref]: (i p icon-trash, red 20×20)
- button "One" [ref]
- button "Two" [ref]
- button "Three" [ref]
- generic [ref]:
  - heading "Card title" [level=3]
  - text: Card text
- checkbox "Fancy switch" [ref]
- checkbox "Undrawn box" [ref]
- heading "Shouting heading" [level=2]
- button "Send now" [ref]
- textbox "Day" [date] [ref]: 2026-01-02
- textbox "Hour" [time] [ref]: 10:20
- link "Linked heading" [url=/x] [ref]
- heading [level=4]:
  - link "Heading link" [url=/y] [ref]
- textbox "Query:" [placeholder="Words to look for"] [ref]
- combobox "Fruit" [expanded] [ref]: Pick
- listbox "Fruits" [ref]:
  - option "Apple" [selected] [ref]
  - option "Pear" [ref]`

var anyRef = regexp.MustCompile(`\[ref=e\d+\]`)

func TestWhateverCanBeClicked(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/clicks.html")
	out := c.read(t)
	if got, want := anyRef.ReplaceAllString(out, "[ref]"), strings.ReplaceAll(clicksOutline, "SITE", c.site.URL); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, on := range []struct{ what, title string }{
		{": listening span", "listens"},
		{": pointed span", "pointed"},
		{": Listening item", "item"},
		{": Pointed item", "item 3"},
		{": Second of menu", "Second of menu"},
		{"Link without address", "nohref"},
		{"icon-trash", "trashed"},
	} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, on.what)})
		if err != nil || o.Tab.Title != on.title {
			t.Errorf("%s: %+v, %v", on.what, o, err)
		}
	}
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, "Fancy switch")})
	if err != nil || !strings.Contains(o.Did, "now checked") {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestBehindModal(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/modal.html")
	out := c.read(t)
	if !strings.Contains(out, `dialog "Question" [modal]`) || !strings.Contains(out, "lies behind the modal dialog") || strings.Contains(out, "Behind button") {
		t.Errorf("the page is\n%s", out)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Yes"`)}); err != nil {
		t.Fatal(err)
	}
	if out = c.read(t); !strings.Contains(out, "Behind button") || strings.Contains(out, "modal") || strings.Contains(out, "inert") {
		t.Errorf("without the dialog the page is\n%s", out)
	}
	c.open(t, "/modal.html?soft")
	if out = c.read(t); !strings.Contains(out, "- main [inert]") || !strings.Contains(out, `- dialog "Soft" [modal]`) {
		t.Errorf("the page is\n%s", out)
	}
}
