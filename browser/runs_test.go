package browser_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Of a list of thousands a reading has what is in view, wherever it scrolls, and
// counts the rest.
func TestWhatIsInViewOfALongList(t *testing.T) {
	testRuns(t, []longList{
		{"top", []int{0, 1, 4, 5}, 3000},
		{"half", []int{0, 4, 1499, 1500, 1504}, 3000},
		{"below", []int{0, 4, 15}, 3000},
		{"passed", []int{0, 2999, 2985}, 3000},
		{"port", []int{0, 4, 1499, 1500, 1505}, 3000},
		{"portbelow", []int{0, 4, 1499, 1500, 1505}, 3000},
		{"strip", []int{0, 4, 1499, 1500, 1503}, 3000},
		{"bare", []int{0, 4, 1500, 1504}, 3000},
		{"virtual", []int{1500, 1501, 1502, 1503, 1504, 1505}, 500},
	})
}

// Also where more is in view and around it than is told, and with what a reader
// looks for wherever it is.
func TestWhatIsKeptOfALongList(t *testing.T) {
	testRuns(t, []longList{
		{"low", []int{0, 4, 312, 320, 338}, 600}, // more of them than are told
		{"focused", []int{0, 4, 422}, 600},       // what is out of view, but has the focus
		{"chosen", []int{0, 4, 422}, 600},        // or is the current one
	})
}

// longList is a layout of runs.html.
type longList struct {
	layout string
	shown  []int // at least these
	all    int
}

func testRuns(t *testing.T, lists []longList) {
	t.Helper()
	c := startChromium(t)
	for _, l := range lists {
		c.open(t, "/runs.html?"+l.layout)
		out := c.read(t)
		for _, n := range l.shown {
			if !strings.Contains(out, `button "Like `+strconv.Itoa(n)+`"`) {
				t.Errorf("%s: entry %d is not shown", l.layout, n)
			}
		}
		told := strings.Count(out, `button "Like `)
		for _, m := range regexp.MustCompile(`… ([0-9,]+) more entries`).FindAllStringSubmatch(out, -1) {
			n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			told += n
		}
		if told != l.all || len(out) > 12_000 {
			t.Errorf("%s: %d of %d entries are told or counted, in %d bytes", l.layout, told, l.all, len(out))
		}
		if t.Failed() {
			t.Logf("%s:\n%.1500s", l.layout, out)
		}
	}
}
