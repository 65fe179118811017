//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const downloadsPage = `<!doctype html><meta charset=utf-8><title>Files</title><h1>Files</h1>
<a href="/small">Small</a> <a href="/small" target=_blank>Small in a tab</a> <a href="/redirect">Redirected</a>
<a href="/large">Large</a> <a href="/broken">Broken</a>
<button onclick="const a = document.createElement('a'); a.download = '../../.bashrc'; a.href = window.URL.createObjectURL(new Blob(['made here'])); a.click()">Export</button>
<button id=m onclick="this.textContent = 'Marked'">Mark</button>`

var savedAt = regexp.MustCompile(`(?m)^Downloaded ".*, to (/.*)$`)

// A download is told by the call that began it, or by the one during which it
// ends, with its size and where it lies.
func TestDownloads(t *testing.T) {
	large := make(chan struct{}) // closed to let it end
	over := make(chan struct{})  // closed when the test ends: a browser asks again for what was cut off
	attachment := func(w http.ResponseWriter, name string) {
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, downloadsPage)
	})
	mux.HandleFunc("/small", func(w http.ResponseWriter, _ *http.Request) {
		attachment(w, "report.csv")
		fmt.Fprint(w, "a,b\n")
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/small", http.StatusFound) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		attachment(w, "large.bin")
		w.Header().Set("Content-Length", "3000000")
		w.Write(make([]byte, 1_000_000))
		w.(http.Flusher).Flush()
		select {
		case <-large:
			w.Write(make([]byte, 2_000_000))
		case <-over:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		attachment(w, "broken.bin")
		w.Header().Set("Content-Length", "3000000")
		w.Write(make([]byte, 1_000_000))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(func() { close(over); site.CloseClientConnections(); site.Close() })

	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(site.URL + "/")
	click := func(role, name string) string {
		t.Helper()
		return a.ok("click", args{"ref": a.ref(tab, role, name)})
	}
	var folder string
	saved := func(text, name, content string) {
		t.Helper()
		m := savedAt.FindStringSubmatch(text)
		if m == nil || filepath.Base(m[1]) != name {
			t.Fatalf("not saved as %s:\n%s", name, text)
		}
		if folder == "" {
			folder = filepath.Dir(m[1])
		}
		if filepath.Dir(m[1]) != folder {
			t.Errorf("saved outside of %s: %s", folder, m[1])
		}
		if got, err := os.ReadFile(m[1]); err != nil || string(got) != content {
			t.Errorf("%s holds %q, %v", m[1], got, err)
		}
		contains(t, text, fmt.Sprintf("Downloaded %q, %d bytes, from ", name, len(content)))
	}
	saved(click("link", "Small"), "report.csv", "a,b\n")
	saved(click("link", "Small"), "report (1).csv", "a,b\n")
	saved(click("link", "Redirected"), "report (2).csv", "a,b\n")
	saved(click("link", "Small in a tab"), "report (3).csv", "a,b\n")
	saved(click("button", "Export"), "_.._.bashrc", "made here")
	text := a.ok("navigate", args{"tab": tab, "url": site.URL + "/small"})
	saved(text, "report (4).csv", "a,b\n")
	contains(t, text, "The address is a download.")

	// One that takes long is told as such. Neither of its ends is told twice, nor
	// to another agent.
	text = click("link", "Large")
	contains(t, text, `The download of "large.bin" is under way, `, " of 3000000 so far, from "+site.URL+"/large", "wait_for with idle")
	if text := click("button", "Mark"); strings.Contains(text, "large.bin") {
		t.Errorf("told again: %s", text)
	}
	a.fails("wait_for", args{"tab": tab, "idle": true, "timeout_ms": 1500}, "downloads a file")
	other := e.agent("writer", e.pair("Other"))
	otherTab := other.open(site.URL + "/")
	close(large)
	saved(a.ok("wait_for", args{"tab": tab, "idle": true}), "large.bin", string(make([]byte, 3_000_000)))
	if text := click("button", "Marked"); strings.Contains(text, "large.bin") {
		t.Errorf("told again: %s", text)
	}
	if text := other.ok("click", args{"ref": other.ref(otherTab, "button", "Mark")}); strings.Contains(text, "large.bin") {
		t.Errorf("another agent is told: %s", text)
	}

	// Chrome tries a broken one again some times.
	text = click("link", "Broken")
	if !strings.Contains(text, `"broken.bin" failed (`) {
		contains(t, text, `The download of "broken.bin" is under way`)
		text = a.ok("wait_for", args{"tab": tab, "idle": true, "timeout_ms": 20000})
	}
	contains(t, text, `The download of "broken.bin" failed (`)
}
