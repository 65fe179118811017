package browser_test

import (
	"os"
	"strings"
	"testing"
)

// TestKinds reads a page that has one of each kind of thing, and compares it
// with what a careful reader wrote down of it.
func TestKinds(t *testing.T) {
	c := startChromium(t)
	c.open(t, "/kinds.html")
	want, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(anyRef.ReplaceAllString(c.read(t), "[ref]"), c.site.URL, "SITE")
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("the page is\n%s\nnot\n%s", got, want)
	}
}
