package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What an action adds in a frame is told with the frame, as a reading would.
func TestFramesThatAnActionAdds(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	for _, page := range []string{"/addsframes.html", "/addsframes.html?large"} {
		t.Run(page, func(t *testing.T) {
			ctx := testContext(t)
			c.open(t, page)
			out := c.read(t)
			var same string
			for _, s := range []struct{ button, want string }{
				{"Same", `+ iframe "Same":|+   heading "Inner same" [level=3]|+   text: Field|+   textbox "Field same" [ref]|+   button "Inside same" [ref]|+   button "Ask same" [ref]`},
				{"Other", `+ iframe "Other":|+   heading "Inner other" [level=3]|+   text: Field|+   textbox "Field other" [ref]|+   button "Inside other" [ref]|+   button "Ask other" [ref]`},
				{"Nested", `+ iframe "Nested":|+   text: Outer words|+   iframe "Within":|+     heading "Inner deep" [level=3]|+     text: Field|+     textbox "Field deep" [ref]|+     button "Inside deep" [ref]|+     button "Ask deep" [ref]`},
				{"Empty", `+ iframe "Empty": (empty so far: read_page shows what comes)`},
				{"Hanging", `+ iframe "Hanging": (empty so far: read_page shows what comes)`},
			} {
				o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"`+s.button+`"`)})
				if err != nil {
					t.Fatal(err)
				}
				got := anyRef.ReplaceAllString(o.Changes, "[ref]")
				if s.button == "Nested" && strings.HasSuffix(got, `iframe "Within": (empty so far: read_page shows what comes)`) {
					continue // it is of another site, which may be slower than the action
				}
				if got != strings.ReplaceAll(s.want, "|", "\n") {
					t.Errorf("%s:\n%s", s.button, got)
				}
				if s.button == "Same" {
					same = o.Changes
				}
			}
			// Its refs work, and what they change is told in turn.
			o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, same, `"Inside same"`)})
			if err != nil || o.Changes != "+ text: same clicked" {
				t.Errorf("%+v, %v", o, err)
			}
			if now := c.read(t); ref(t, now, `"Inside same"`) != ref(t, same, `"Inside same"`) {
				t.Errorf("the page is\n%s", now)
			}
		})
	}
}
