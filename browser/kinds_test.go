package browser_test

import (
	"os"
	"strings"
	"testing"
)

// TestKinds reads pages that have one of each kind of thing, and compares them
// with what a careful reader wrote down: kinds of content, and ways in which an
// element comes to act.
func TestKinds(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	for _, page := range []string{"kinds", "acting", "within"} {
		c.open(t, "/"+page+".html")
		want, err := os.ReadFile("testdata/" + page + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(anyRef.ReplaceAllString(c.read(t), "[ref]"), c.site.URL, "SITE")
		if got != strings.TrimSpace(string(want)) {
			t.Errorf("%s is\n%s\nnot\n%s", page, got, want)
		}
	}
}
