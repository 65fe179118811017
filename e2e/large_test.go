//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// A table of 10,000 rows is read in part, and its last row acted on: by finding
// it, and by scrolling to it.
func TestLargeTable(t *testing.T) {
	const rows = 10_000
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Orders</title><h1>Orders</h1><table><thead><tr><th>No<th>Do</thead><tbody onclick="document.title=event.target.textContent">`)
		for i := 1; i <= rows; i++ {
			fmt.Fprintf(w, "<tr><td>Order %d<td><button>Edit %d</button>", i, i)
		}
		fmt.Fprint(w, "</table>")
	}))
	defer site.Close()
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(site.URL)
	outline := a.ok("read_page", args{"tab": tab})
	m := regexp.MustCompile(`… 9,9\d\d more rows: find, scroll, or read_page with ref=(e\d+)`).FindStringSubmatch(outline)
	if m == nil || len(outline) > 21_000 {
		t.Fatalf("%d bytes:\n%s", len(outline), outline)
	}
	contains(t, outline, `columnheader "Do"`, `button "Edit 1"`)
	found := a.ok("find", args{"tab": tab, "query": "edit 10000", "role": "button"})
	ref := findRef(found, "button", "Edit 10000")
	if ref == "" {
		t.Fatalf("the last row's button is not in %s", found)
	}
	contains(t, a.ok("click", args{"ref": ref}), "Edit 10000")
	a.ok("scroll", args{"ref": m[1], "direction": "bottom"})
	if last := a.ok("read_page", args{"tab": tab}); findRef(last, "button", "Edit 10000") != ref {
		t.Errorf("%s is not in\n%s", ref, last)
	}
	piece := a.ok("read_page", args{"ref": m[1]})
	if !strings.Contains(piece, "For more: read_page with offset ") || findRef(piece, "button", "Edit 60") == "" {
		t.Errorf("the first piece of the rows is\n%s", piece)
	}
	contains(t, a.ok("find", args{"tab": tab, "query": "no such order"}), "Nothing visible on the page has")
}
