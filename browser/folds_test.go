package browser_test

import "testing"

const foldsOutline = `- navigation "Main":
  - list:
    - link "First" [url=/a] [ref]
    - listitem:
      - link "Second" [url=/b] [ref]
      - text: new
    - listitem: Third
- region:
  - heading "Revenue" [level=2]
  - button "Edit" [ref]
- region "Named":
  - heading "Costs" [level=2]
  - button "Edit" [ref]
- table:
  - row:
    - columnheader
    - columnheader "Sum"
    - columnheader "State"
  - row:
    - link "1" [url=/1] [ref]
    - cell
    - cell "Paid"
  - row:
    - cell
    - cell "7"
    - button "Pay" [ref]
    - checkbox "Mark" [ref]
- table:
  - row:
    - columnheader [ref]:
      - text: Office
      - button "Sort offices" [ref]
    - columnheader "Age" [ref]
  - row:
    - cell "Lima"
    - cell "7"
- list:
  - article:
    - heading "Post" [level=3]
    - text: Words
- link "Arc lamp" [url=/lamp] [ref]
- link "New York New York" [url=/city] [ref]
- button [ref]: (icon)
- button "Save" [ref]
- button "★Rate" [ref]
- button [ref]: (glyph bin)
- text: Hot news`

// What says nothing is not told, and what does is: which column a cell is of.
func TestFolds(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/folds.html")
	if got := anyRef.ReplaceAllString(c.read(t), "[ref]"); got != foldsOutline {
		t.Errorf("got\n%s\nwant\n%s", got, foldsOutline)
	}
}
