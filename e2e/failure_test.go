//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// hop is a part of the path, and how it fails.
type hop struct {
	name string
	fail func(e *env)
	// words are what an error may name it by.
	words []string
	// keeps says that the agent's tabs are there after it, as they were.
	keeps bool
}

var hops = []hop{
	{"worker", func(e *env) { e.probe().stopWorker() }, []string{"worker", "extension", "native host", "browser"}, true},
	{"native host", func(e *env) { e.kill(e.nativeHost()) }, []string{"native host", "browser"}, true},
	{"helper", func(e *env) { e.kill(e.helper()) }, []string{"helper"}, true},
	{"browser", func(e *env) { e.strays = true; e.kill(e.browser()) }, []string{"browser", "native host"}, false},
}

// A hop that fails between two calls costs nothing but time.
func TestHopFailsBetweenCalls(t *testing.T) {
	for _, h := range hops {
		t.Run(h.name, func(t *testing.T) {
			e := newEnv(t)
			a := e.agent("researcher", e.pair("FrogBot"))
			tab := a.open(e.site.page("counter.html"))
			more := a.ref(tab, "button", "More")
			a.ok("click", args{"ref": more})

			h.fail(e)
			if !h.keeps {
				// A call that the helper sends before it has seen the end is
				// one under way, which is the next test's subject.
				e.eventually(5*time.Second, "the helper to see the end of the browser", func() bool { return len(e.status().Browsers) == 0 })
				contains(t, a.ok("navigate", args{"url": e.site.page("counter.html")}), "Counter")
				return
			}
			a.ok("click", args{"ref": more})
			contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Count: 2")
		})
	}
}

// A hop that fails during a call: the call answers within 2 s, right or with an
// error that names the hop, and the next call works.
func TestHopFailsDuringACall(t *testing.T) {
	for _, h := range hops {
		t.Run(h.name, func(t *testing.T) {
			e := newEnv(t)
			a := e.agent("researcher", e.pair("FrogBot"))
			tab := a.open(e.site.page("counter.html"))
			// The page does not come before the test lets go of it, so the
			// call is under way for as long as that takes.
			held := e.site.hold("page")
			call := a.begin("navigate", args{"tab": tab, "url": e.site.page("hold/page")})
			<-held.asked

			h.fail(e)
			r := call.wait(2 * time.Second)
			if r.isError {
				if !mentions(r.text, h.words) {
					t.Errorf("the error names none of %q: %s", h.words, r.text)
				}
			} else {
				t.Errorf("the page is still held, and the call says: %s", r.text)
			}
			close(held.release)
			contains(t, a.ok("navigate", args{"url": e.site.page("start.html")}), "Start")
			contains(t, a.ok("read_page", args{"mode": "text"}), "Start page")
		})
	}
}

// The same for a wait, which lasts in the page and not in the network. It only
// reads, so it may go on where it was: then it must still be right.
func TestHopFailsDuringAWait(t *testing.T) {
	for _, h := range hops {
		t.Run(h.name, func(t *testing.T) {
			e := newEnv(t)
			token := e.pair("FrogBot")
			e.agent("starter", token).open(e.site.page("start.html"))
			seen := e.tap()
			a := e.agentBehind(seen, "researcher", token)
			tab := a.open(e.site.page("wait.html"))
			a.ok("read_page", args{"tab": tab})
			seen.reset()
			call := a.begin("wait_for", args{"tab": tab, "text": "Here it is", "timeout_ms": 30000})
			seen.underWay("Runtime.callFunctionOn")
			p := e.probe()
			page, err := p.attach(p.pageAt("wait.html").ID)
			if err != nil {
				t.Fatal(err)
			}

			h.fail(e)
			if h.keeps {
				p.eval(page, `document.getElementById('state').textContent = 'Here it is'`, new(any))
			}
			r := call.wait(2 * time.Second)
			if r.isError && !mentions(r.text, h.words) {
				t.Errorf("the error names none of %q: %s", h.words, r.text)
			}
			if !r.isError && !h.keeps {
				t.Errorf("the page is gone, and the call says: %s", r.text)
			}
			contains(t, a.ok("navigate", args{"url": e.site.page("start.html")}), "Start")
		})
	}
}

func mentions(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
