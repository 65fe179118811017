package browser_test

import (
	"regexp"
	"testing"
)

// What a page draws is told where it says nothing: by shape, colour, size and
// place; and texts stand as the page has them.
func TestWhatIsDrawn(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/drawn.html")
	const want = `- text: Ends with .py and "quoted".
- text: Second after a break.
- img [ref]:
  - text: (drawn, from its top left: black outlined rectangle 30×20 at 165,20; 2 × green circle 10×10 at 20,80 50,80; orange triangle 20×20 at 80,80; gray line at 100,60–180,90)
  - generic [ref]: k (blue text SIZE)
  - graphics-symbol [ref]: (red square 20×20 at 20,20)
  - graphics-symbol [ref]: (spot, #123456 circle 20×20 at 60,20)
- img [ref]: (drawn, from its top left: black circle 20×20 at 30,30)
- img "A named drawing"
- button "Icon" [ref]
- generic [ref]: (swatch, #cc0000 20×10)
- generic [ref]: (swatch, white 20×10)
- button [ref]: (icon bin)
- textbox [name=city] [ref]
- textbox [ref]
- generic [ref]: (knob, teal 12×12)
- generic [ref]: (edge)
- group [ref]: Draggable card
- generic [ref]:
  - text: Map
  - generic [ref]: pin
- generic [ref]: Shown one
- text: Plain under a picture of a cursor
- generic [ref]: Pointed at by a picture
- button "Wrapped" [ref]
- tab "Echoed" [ref]
- textbox "Code" [multiline] [ref]:
  - text: if a:
  - text:   b()
  - text: c()
- textbox "Rich" [ref]:
  - heading "Head" [level=2]
  - text: Some bold text.
- textbox "Lines" [ref]:
  - text: one
  - text: two and a half`
	got := regexp.MustCompile(`\[ref=e\d+\]`).ReplaceAllString(c.read(t), "[ref]")
	got = regexp.MustCompile(`blue text [^)]*`).ReplaceAllString(got, "blue text SIZE") // the fonts here decide it
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
