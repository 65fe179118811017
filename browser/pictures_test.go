package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// A picture that the page has no word for is told by its file and its size, with
// a ref to look at it by; one that is there to be seen only, or an icon, is not.
func TestPicturesWithoutAWord(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/pictures.html")
	out := c.read(t)
	r := ref(t, out, `: (code-7.png, 120×60)`)
	for _, no := range []string{"spacer", "tiny", "logo"} {
		if strings.Contains(out, no) {
			t.Errorf("%s is told in\n%s", no, out)
		}
	}
	im, err := c.Screenshot(testContext(t), browser.ScreenshotArgs{Ref: r})
	if err != nil || im.Width < 120 {
		t.Errorf("its picture: %+v, %v", im, err)
	}
}

// What is clicked and has a text that nobody sees, at a size of nothing, is told
// by a word of the page's code.
func TestATextOfNoSize(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/pictures.html")
	r := ref(t, c.read(t), "(card bare)")
	if o, err := c.Click(testContext(t), browser.ClickArgs{Ref: r}); err != nil || !strings.Contains(o.Changes, "7") {
		t.Errorf("%+v, %v", o, err)
	}
}
