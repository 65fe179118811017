//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A click is over when the page shows the answer to what it asked its server
// for, in a tab that is not in front, and in one whose page has a clock and a
// long poll.
func TestAnswersAreWaitedFor(t *testing.T) {
	asked, answer := make(chan struct{}, 10), make(chan string)
	over := make(chan struct{}) // a browser asks again for what was cut off
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Orders</title><h1>Orders</h1>
<button onclick="load()">Load</button><button onclick="said.textContent = 'noted'">Note</button><p id=said></p><ul id=list></ul><p id=clock></p>
<script>
fetch('/poll');
setInterval(() => { clock.textContent = Date.now(); }, 50);
async function load() {
  list.innerHTML = '<li>Loading</li>';
  const names = await (await fetch('/orders')).json();
  list.innerHTML = names.map((n) => '<li><a href="#">' + n + '</a></li>').join('');
}
</script>`)
	})
	mux.HandleFunc("/poll", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case n := <-answer:
			fmt.Fprintf(w, `["%s lamp", "%s chair"]`, n, n)
		case <-over:
		case <-r.Context().Done():
		}
	})
	site := httptest.NewServer(mux)
	t.Cleanup(func() { close(over); site.CloseClientConnections(); site.Close() })
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(site.URL)
	e.probe().userTab(e.site.page("start.html")) // in front of it
	click := func(name string) *pending { return a.begin("click", args{"ref": a.ref(tab, "button", name)}) }
	for _, n := range []string{"first", "second"} { // the second finds the browser telling already
		p := click("Load")
		<-asked
		select {
		case <-p.done:
			t.Fatalf("over before the answer to the %s: %s", n, p.wait(callBound).text)
		case answer <- n:
		}
		r := p.wait(callBound)
		contains(t, r.text, `link "`+n+` lamp"`, `link "`+n+` chair"`)
		if strings.Contains(r.text, "Loading") || strings.Contains(r.text, "still waits") {
			t.Errorf("%s: %s", n, r.text)
		}
	}
	if r := click("Note").wait(callBound); strings.Contains(r.text, "still waits") || !strings.Contains(r.text, "noted") {
		t.Errorf("a click that asks for nothing: %s", r.text)
	}
}
