//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// The user stops one agent in the middle of a long wait: its call ends, its
// next ones are refused until Resume, and the other agent never notices.
func TestStopOneAgent(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	writer := e.agent("writer", token)
	tab := writer.open(e.site.page("counter.html"))
	more := writer.ref(tab, "button", "More")

	seen := e.tap()
	researcher := e.agentBehind(seen, "researcher", token)
	waiting := researcher.open(e.site.page("wait.html"))
	researcher.ok("read_page", args{"tab": waiting})
	p := e.probe()
	popup := p.ownPage("popup.html")
	id := e.agentID(researcherTitle)

	seen.reset()
	call := researcher.begin("wait_for", args{"tab": waiting, "text": "Here it is", "timeout_ms": 30000})
	seen.underWay("Runtime.callFunctionOn")
	// The writer is in the middle of something, too.
	working := make(chan string, 1)
	stopped := make(chan struct{})
	go func() {
		defer close(working)
		for clicks := 1; ; clicks++ {
			r, err := writer.try("click", args{"ref": more})
			if err != nil || r.isError {
				t.Errorf("writer: click %d: %v %s", clicks, err, r.text)
				return
			}
			select {
			case <-stopped:
				r, err := writer.try("read_page", args{"tab": tab, "mode": "text"})
				if err != nil || !strings.Contains(r.text, "Count: "+string(mustJSON(clicks))) {
					t.Errorf("writer: after %d clicks: %v %s", clicks, err, r.text)
				}
				return
			default:
			}
		}
	}()
	p.tell(popup, "stop", args{"agent": id})
	r := call.wait(time.Second)
	close(stopped)
	<-working
	if !r.isError {
		t.Errorf("the wait is said to have succeeded: %s", r.text)
	}
	const text = "The user stopped this agent in Sidekick. Do not go on: tell the user, and wait until they press Resume."
	contains(t, r.text, text)
	researcher.fails("tabs", args{"action": "open", "url": e.site.page("start.html")}, text)
	researcher.fails("read_page", args{"tab": waiting}, text)
	writer.ok("click", args{"ref": more})

	// Neither the worker's end nor the agent's makes it go on.
	p.stopWorker()
	researcher.fails("read_page", args{"tab": waiting}, text)
	researcher.close()
	eventually(t, 5*time.Second, "the helper to know of one agent", func() bool { return len(e.status().Agents) == 1 })
	again := e.agent("researcher", token)
	again.fails("read_page", args{"tab": waiting}, text)

	p.tell(popup, "resume", args{"agent": id})
	contains(t, again.ok("read_page", args{"tab": waiting, "mode": "text"}), "Waiting room")
}

// The buttons of the popup do what their port's requests do.
func TestPopupButtons(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("start.html"))
	p := e.probe()
	popup := p.ownPage("popup.html")
	press := func(label string) {
		t.Helper()
		eventually(t, 5*time.Second, "a button "+label, func() bool {
			var pressed bool
			p.eval(popup, `(() => {
				const b = [...document.querySelectorAll('button')].find(b => b.offsetParent && (b.textContent + ' ' + b.ariaLabel).includes(`+string(mustJSON(label))+`));
				b?.click();
				return !!b;
			})()`, &pressed)
			return pressed
		})
	}
	var shown string
	eventually(t, 5*time.Second, "the agent in the popup", func() bool {
		p.eval(popup, `document.body.innerText`, &shown)
		return strings.Contains(shown, researcherTitle)
	})
	press("Stop")
	eventually(t, 5*time.Second, "the agent to be stopped", func() bool { return a.call("read_page", args{"tab": tab}).isError })
	a.fails("read_page", args{"tab": tab}, "The user stopped this agent")
	press("Resume")
	eventually(t, 5*time.Second, "the agent to go on", func() bool { return !a.call("read_page", args{"tab": tab}).isError })
}
