//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A page in an endless loop costs five seconds, and can be left.
func TestPageInAnEndlessLoop(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("hang.html"))
	ref := a.ref(tab, "button", "Hang")
	for _, c := range []struct {
		tool string
		args args
	}{{"click", args{"ref": ref}}, {"read_page", args{"tab": tab}}} {
		began := time.Now()
		a.fails(c.tool, c.args, "does not answer", "navigate", "close")
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("%s took %v", c.tool, took)
		}
	}
	contains(t, a.ok("navigate", args{"tab": tab, "url": e.site.at("engine.example", "start.html")}), `"Start"`)
	tab = a.open(e.site.page("hang.html"))
	a.fails("click", args{"ref": a.ref(tab, "button", "Hang")}, "does not answer")
	// A page of the same site would come into the same process.
	contains(t, a.ok("navigate", args{"tab": tab, "url": e.site.page("start.html")}), `"Start"`, "took its place")
	a.fails("read_page", args{"tab": tab}, "tabs")
	tab = a.open(e.site.page("hang.html"))
	a.fails("click", args{"ref": a.ref(tab, "button", "Hang")}, "does not answer")
	a.ok("tabs", args{"action": "close", "tab": tab})
}

func TestSavePDFAndWaits(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("form.html"))
	path := filepath.Join(t.TempDir(), "form.pdf")
	contains(t, a.ok("save_pdf", args{"tab": tab, "path": path}), path)
	if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), "%PDF-") {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	a.fails("save_pdf", args{"tab": tab, "path": path}, "There is a file")
	a.ok("wait_for", args{"tab": tab, "idle": true})
	a.ok("wait_for", args{"ref": a.ref(tab, "button", "Send")})
}
