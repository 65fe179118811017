package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What changed is told in few words, however much it is.
func TestManyChanges(t *testing.T) {
	c := startChromium(t)
	for _, page := range []string{"/manychanges.html", "/manychanges.html?large"} { // read as a whole, and in parts
		c.open(t, page)
		out := c.read(t)
		click := func(name string) string {
			t.Helper()
			o, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, `"`+name+`"`)})
			if err != nil {
				t.Fatal(err)
			}
			return o.Changes
		}
		got := click("Clear")
		if !strings.HasPrefix(got, "- list:\n-   listitem: Entry 0\n") || !strings.HasSuffix(got, "-   listitem: Entry 6\n… and 13 more lines are gone.") {
			t.Errorf("%s: what is gone is told as\n%s", page, got)
		}
		if got := click("Speak"); len([]rune(got)) > 650 || !strings.HasPrefix(got, "+ text: Words words ") || !strings.HasSuffix(got, "…") {
			t.Errorf("%s: a long text is told as\n%s", page, got)
		}
		if !strings.Contains(page, "large") {
			continue
		}
		if got := click("Swap"); got != "Many lines changed: call read_page." {
			t.Errorf("%s: a swap is told as\n%s", page, got)
		}
		if got := click("Fill"); got != "A large part of the page changed: call read_page." {
			t.Errorf("%s: what is huge is told as\n%s", page, got)
		}
	}
}
