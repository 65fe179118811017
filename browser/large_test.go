package browser_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// container returns the ref that the count of what is left out names.
func container(t *testing.T, outline string) string {
	t.Helper()
	m := regexp.MustCompile(`… [0-9,]+ more \w+: .*ref=(e\d+)`).FindStringSubmatch(outline)
	if m == nil {
		t.Fatalf("nothing is counted in\n%s", outline)
	}
	return m[1]
}

func TestLargeTable(t *testing.T) {
	for _, rows := range []int{2000, 10000} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			c := startChromium(t)
			ctx := testContext(t)
			c.open(t, fmt.Sprintf("/table.html?rows=%d", rows))
			start := time.Now()
			out := c.read(t)
			first := time.Since(start)
			start = time.Now()
			if again := c.read(t); again != out {
				t.Errorf("the second reading is\n%s", again)
			}
			t.Logf("%d rows: %v, then %v; %d characters", rows, first, time.Since(start), len(out))
			for _, want := range []string{`heading "Orders"`, `columnheader "City"`, `cell "3"`, `button "Edit 7"`} {
				if !strings.Contains(out, want) {
					t.Errorf("%s is not in\n%s", want, out)
				}
			}
			if len([]rune(out)) > browser.DefaultMaxChars || strings.Contains(out, fmt.Sprintf(`"Edit %d"`, rows)) {
				t.Errorf("%d characters:\n%s", len([]rune(out)), out)
			}
			var counted int
			if m := regexp.MustCompile(`… ([0-9,]+) more rows`).FindStringSubmatch(out); m != nil {
				fmt.Sscan(strings.ReplaceAll(m[1], ",", ""), &counted)
			}
			if shown := strings.Count(out, "- button"); shown+counted != rows {
				t.Errorf("%d rows are shown and %d counted", shown, counted)
			}
			if _, err := c.Scroll(ctx, browser.ScrollArgs{Ref: container(t, out), Direction: "bottom"}); err != nil {
				t.Fatal(err)
			}
			last := fmt.Sprintf("Edit %d", rows)
			out = c.read(t)
			o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"`+last+`"`)})
			if err != nil || o.Tab.Title != "Clicked "+last {
				t.Errorf("%+v, %v", o, err)
			}
			if !strings.Contains(out, `cell "1"`) {
				t.Errorf("the first rows are not in\n%s", out)
			}
		})
	}
}

// Everything that a reading leaves out is in the readings of its container.
func TestLargeTableInPieces(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/table.html?rows=1000")
	ref := container(t, c.read(t))
	var all strings.Builder
	for offset := 0; ; {
		r, err := c.ReadPage(ctx, browser.ReadArgs{Ref: ref, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		if len([]rune(r.Text)) > browser.DefaultMaxChars {
			t.Errorf("a part has %d characters", len([]rune(r.Text)))
		}
		all.WriteString(r.Text)
		if r.NextOffset == 0 {
			break
		}
		offset = r.NextOffset
	}
	for i := 1; i <= 1000; i++ {
		if n := strings.Count(all.String(), fmt.Sprintf(`button "Edit %d" [ref=`, i)); n != 1 {
			t.Fatalf("row %d is there %d times", i, n)
		}
	}
	for l := range strings.Lines(all.String()) {
		if !regexp.MustCompile(`^ *- `).MatchString(l) {
			t.Errorf("a line is %q", l)
		}
	}
}

// Long lists of other kinds: options, a feed in an area that scrolls, a list in
// a shadow root.
func TestLargeFeed(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/feed.html")
	out := c.read(t)
	for _, want := range []string{
		`: "Town 0", "Town 1"`, `"Town 1500" [selected]`, "more options", `heading "Post 0"`, `button "Like 1"`, "more entries", "more items", "shadowed", "Imprint",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not there", want)
		}
	}
	if strings.Contains(out, "Post 300") || len([]rune(out)) > browser.DefaultMaxChars {
		t.Errorf("%d characters are read", len([]rune(out)))
	}
	if t.Failed() {
		t.Logf("the page is\n%s", out)
	}
	f, err := c.Find(ctx, browser.FindArgs{Query: "like 399"})
	if err != nil || len(f.Matches) != 1 || !strings.Contains(f.Text(), `under "Post 399"`) {
		t.Errorf("%+v, %v", f, err)
	}
}
