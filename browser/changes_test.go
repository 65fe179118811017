package browser_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

var refsIn = regexp.MustCompile(`\[ref=e\d+\]`)

// What an action's result says of the page, without a second reading.
func TestChanges(t *testing.T) {
	c := startChromium(t)
	for _, page := range []string{"/changes.html", "/changes.html?large"} { // read as a whole, and in parts
		t.Run(page, func(t *testing.T) { testChanges(t, c, page) })
	}
}

func testChanges(t *testing.T, c *chromium, page string) {
	ctx := testContext(t)
	c.open(t, page)
	outline := c.read(t)
	click := func(name string) string {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, outline, `"`+name+`"`)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return o.Changes
	}
	for _, s := range []struct {
		click string
		want  string // E stands for a new ref
	}{
		{"Nothing", ""},
		{"Add", "- text: 0 items\n+ text: 1 item\n+ listitem:\n+   text: Plum\n+   button \"Remove plum\" [ref=E]"},
		{"Add", "+ listitem:\n+   text: Plum\n+   button \"Remove plum\" [ref=E]"},
		{"More", "~ button \"More\" [expanded] [ref=E]\n+ textbox \"Note\" [ref=E]\n+ link \"Terms\" [url=/other.html] [ref=E]"},
		{"More", "- textbox \"Note\" [ref=E]\n- link \"Terms\" [url=/other.html] [ref=E]\n~ button \"More\" [collapsed] [ref=E]"},
		{"Like", "~ button \"Liked\" [ref=E]"},
		{"Shadow", "- text: shadow old\n+ text: shadow new"},
		{"Sort", "- listitem: 1. first\n- listitem: 2. second\n- listitem: 3. third\n+ listitem: 1. second\n+ listitem: 2. third\n+ listitem: 3. first"},
		{"Remove apple", "- listitem:\n-   text: Apple\n-   button \"Remove apple\" [ref=E]"},
		{"Nothing", ""},
	} {
		got := strings.ReplaceAll(refsIn.ReplaceAllString(click(s.click), "[ref=E]"), c.site.URL, "SITE")
		if got != s.want {
			t.Errorf("%s:\n%s\nwant\n%s", s.click, got, s.want)
		}
	}
	// What is told is true: a whole reading has the same refs.
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, outline, `"Add"`)})
	if err != nil {
		t.Fatal(err)
	}
	plum := ref(t, o.Changes, `"Remove plum"`)
	if now := c.read(t); !strings.Contains(now, `"Remove plum" [ref=`+plum+`]`) {
		t.Errorf("%s is told, the reading is\n%s", plum, now)
	}
	if o, err := c.Click(browser.WithoutChanges(ctx), browser.ClickArgs{Ref: ref(t, outline, `"Add"`)}); err != nil || o.Changes != "" {
		t.Errorf("changes that were not asked for: %+v, %v", o, err)
	}
	many := click("Many")
	if n := len([]rune(many)); n > 2000 || n < 1500 || !strings.Contains(many, "+ button \"Line 0\"") || !strings.HasSuffix(many, " more lines: call read_page.") {
		t.Errorf("%d characters:\n%s", n, many)
	}
	dialog := click("Ask")
	if !strings.Contains(dialog, `heading "Sure?"`) || !strings.Contains(dialog, `button "Yes" [ref=`) {
		t.Errorf("a dialog opened:\n%s", dialog)
	}
	// The rest of the page, which lies behind it now, is not gone.
	if strings.HasPrefix(dialog, "- ") || strings.Contains(dialog, "\n- ") {
		t.Errorf("a dialog opened:\n%s", dialog)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, dialog, `"Yes"`)}); err != nil {
		t.Error(err)
	}
	// In a frame; and a page that was left is another one.
	inner, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, outline, `"Inside in"`)})
	if err != nil || !strings.Contains(inner.Changes, "clicked") {
		t.Errorf("in a frame: %+v, %v", inner, err)
	}
	if got := click("Leave"); got != "" {
		t.Errorf("of a page that was left:\n%s", got)
	}
}
