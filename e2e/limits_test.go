//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// The user switches evaluate off for a pairing, on the command line and in the
// settings, before and while its agents are at work.
func TestEvaluateOff(t *testing.T) {
	e := newEnv(t)
	token, other := e.pair("FrogBot"), e.pair("Other")
	r := e.raw(token)
	// next is the next answer; told counts the words of another tool list before
	// it.
	told := 0
	next := func(line string) string {
		t.Helper()
		r.Send(line)
		for {
			select {
			case got, ok := <-r.Stdout:
				if !ok {
					t.Fatalf("it ended; stderr: %s", r.Stderr)
				}
				if strings.Contains(got, "notifications/tools/list_changed") {
					told++
					continue
				}
				return got
			case <-time.After(callBound):
				t.Fatal("no answer")
			}
		}
	}
	list := func() string { return next(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`) }
	call := func() string {
		return next(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"evaluate","arguments":{"function":"() => location.pathname"}}}`)
	}
	const refusal = "The user switched evaluate off for this agent in Sidekick."
	r.initialize()
	contains(t, list(), `"name":"evaluate"`)
	next(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tabs","arguments":{"action":"open","url":"` + e.site.page("start.html") + `"}}}`)
	contains(t, call(), "/start.html")

	e.must("evaluate", "FrogBot", "off")
	contains(t, call(), refusal, `"isError":true`)
	if got := list(); strings.Contains(got, `"name":"evaluate"`) {
		t.Errorf("it is listed: %s", got)
	}
	e.eventually(callBound, "the agent is told of another list", func() bool { list(); return told == 1 })
	contains(t, e.agent("writer", other).open(e.site.page("start.html")), "t1")

	p := e.probe()
	settings := p.ownPage("settings.html")
	box := `document.querySelector('[aria-label="FrogBot may run scripts in pages"]')`
	var checked bool
	is := func(want bool) func() bool {
		return func() bool { p.eval(settings, box+`?.checked ?? null`, &checked); return checked == want }
	}
	e.eventually(callBound, "the settings show it", func() bool {
		var there bool
		p.eval(settings, box+` !== null`, &there)
		return there && is(false)()
	})
	p.eval(settings, box+`.click(); true`, new(any))
	e.eventually(callBound, "the agent is told of another list", func() bool { list(); return told == 2 })
	contains(t, call(), "/start.html")
	contains(t, list(), `"name":"evaluate"`)
	e.eventually(callBound, "the settings show it", is(true))
	p.eval(settings, box+`.click(); true`, new(any))
	e.eventually(callBound, "the agent is told of another list", func() bool { list(); return told == 3 })
	contains(t, call(), refusal)
	contains(t, e.must("pairings"), "off")

	// With everything closed, the list is answered from the cache, without it.
	r.Stdin.Close()
	r.exit(10 * time.Second)
	e.must("stop")
	r = e.raw(token)
	r.initialize()
	if got := list(); strings.Contains(got, `"name":"evaluate"`) || !strings.Contains(got, `"name":"click"`) {
		t.Errorf("it is listed: %s", got)
	}
	contains(t, call(), refusal)
	for _, p := range processes(e.base) {
		if strings.Contains(strings.Join(p.args, " "), "helper") {
			t.Errorf("a refused call has started %v", p)
		}
	}
}
