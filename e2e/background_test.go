//go:build linux

package e2e

import (
	"testing"
	"time"
)

// A tab that is not in front draws once a second, and an agent's tab seldom is
// in front: what moves must neither be clicked while it moves nor cost a second
// for each frame that is waited for.
func TestAnimationsInTheBackground(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("sliding.html"))
	p := e.probe()
	p.userTab(e.site.page("start.html")) // in front now
	slide := a.ref(tab, "button", "Slide")
	const clicks = 6
	began := time.Now()
	for range clicks {
		a.ok("click", args{"ref": slide})
		a.ok("read_page", args{"tab": tab})
	}
	took := time.Since(began)
	if r := a.call("wait_for", args{"tab": tab, "text": "Slid 6 times, 0 clicks came too early.", "timeout_ms": 3000}); r.isError {
		t.Error(a.ok("read_page", args{"tab": tab}))
	}
	t.Logf("%d clicks on what moves and readings took %v", clicks, took)
	// 300 ms of movement each; with a frame a second it was two seconds each.
	if took > clicks*time.Second {
		t.Errorf("%d clicks and readings took %v", clicks, took)
	}
}
