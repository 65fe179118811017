package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What another element owns (aria-owns) is told there, and once.
func TestWhatIsOwnedIsToldOnce(t *testing.T) {
	c := startChromium(t)
	for _, page := range []string{"/owns.html", "/owns.html?large"} { // read as a whole, and in parts
		c.open(t, page)
		out := c.read(t)
		t.Logf("%.600s", out)
		if n := strings.Count(out, `"Second"`); n != 1 {
			t.Errorf("%s: it is told %d times:\n%.600s", page, n, out)
		}
		r, err := c.ReadPage(testContext(t), browser.ReadArgs{Ref: ref(t, out, `listbox "Kinds"`)})
		if err != nil || strings.Count(r.Text, `"Second"`) != 1 || strings.Count(r.Text, `"First"`) != 1 {
			t.Errorf("%s: by its ref it is %+v, %v", page, r, err)
		}
	}
}
