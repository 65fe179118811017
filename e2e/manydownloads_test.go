//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const manyDownloadsPage = `<!doctype html><meta charset=utf-8><title>Many</title><h1>Many</h1>
<script>
const save = (name) => { const a = document.createElement('a'); a.href = '/file/' + name; a.download = name; document.body.append(a); a.click(); a.remove() }
</script>
<button onclick="for (const n of ['a', 'b', 'c']) save(n + '.txt')">All at once</button>
<button onclick="['d', 'e', 'f'].forEach((n, i) => setTimeout(() => save(n + '.txt'), 100 + 300 * i))">One by one</button>
<button>Mark</button>`

// A page in the managed browser may hand out several files at one click, at once
// and later; results tell each of them once.
func TestManyDownloads(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, manyDownloadsPage)
	})
	mux.HandleFunc("/file/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment`)
		fmt.Fprint(w, r.URL.Path)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })

	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(site.URL + "/")
	for button, names := range map[string][]string{"All at once": {"a.txt", "b.txt", "c.txt"}, "One by one": {"d.txt", "e.txt", "f.txt"}} {
		text := a.ok("click", args{"ref": a.ref(tab, "button", button)})
		// Those that began since are told by later calls, each once.
		for range 20 {
			if strings.Count(text, "Downloaded ") >= len(names) {
				break
			}
			text += "\n" + a.ok("wait_for", args{"tab": tab, "idle": true})
		}
		text += "\n" + a.ok("click", args{"ref": a.ref(tab, "button", "Mark")})
		for _, name := range names {
			if n := strings.Count(text, fmt.Sprintf("Downloaded %q, ", name)); n != 1 {
				t.Errorf("%s: %s was told %d times:\n%s", button, name, n, text)
			}
		}
	}
}
