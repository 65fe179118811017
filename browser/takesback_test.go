package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What a page puts off as it is clicked comes before the next field is typed
// into: the browser itself puts timers off behind a press for some frames, and
// a field would lose the focus to the last one while it is typed into.
func TestTypingComesBehindWhatAClickPutOff(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/takesback.html")
	out := c.read(t)
	for range 4 {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, "Oslo")}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "To"`), Text: "B"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{For: 200 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		if now := c.read(t); !strings.Contains(now, `textbox "To" [focused]`) {
			t.Fatalf("the page is\n%s", now)
		}
		if _, err := c.PressKey(ctx, browser.PressArgs{Ref: ref(t, out, `textbox "From"`), Key: "End"}); err != nil {
			t.Fatal(err)
		}
	}
}
