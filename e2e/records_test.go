//go:build linux

package e2e

import (
	"regexp"
	"testing"
)

func TestConsoleAndNetwork(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("records.html"))
	contains(t, a.ok("console", args{"tab": tab}), "log: early 1 {a: 1}", "error: bad thing", "<page ")
	contains(t, a.ok("network", args{"tab": tab}), "from now on")
	a.ok("click", args{"ref": a.ref(tab, "button", "Fetch")})
	a.ok("wait_for", args{"tab": tab, "text": "fetched"})
	contains(t, a.ok("network", args{"tab": tab, "filter": "missing"}), "1 of 1 requests", "/missing.json → 404")
}

// Bodies come of requests of the agent's own tab, without the passwords in
// them, and not of a site that the user blocked.
func TestBodies(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	a := e.agent("researcher", token)
	tab := a.open(e.site.page("other.html"))
	a.ok("network", args{"tab": tab})
	a.ok("evaluate", args{"tab": tab, "function": `async () => {
		for (const body of [new URLSearchParams({user: 'ada', password: 'geheim'}), '<login>geheim</login>']) {
			await (await fetch('/other.html', {method: 'POST', body})).text();
		}
		await (await fetch('` + e.site.at("bank.example", "shared") + `')).text();
	}`})
	var requests [][]string
	e.eventually(callBound, "three requests are answered", func() bool {
		requests = regexp.MustCompile(`(?m)^(n\d+) .* → 200 .* ms$`).FindAllStringSubmatch(a.ok("network", args{"tab": tab}), -1)
		return len(requests) == 3
	})
	body := func(i int) string { return a.ok("network", args{"tab": tab, "request": requests[i][1]}) }
	contains(t, body(0), "It sent application/x-www-form-urlencoded:", "\nuser=ada&password=[left out by Sidekick]\n", "It got text/html:", "<title>")
	contains(t, body(1), "Note: What it sent is not shown: It is of a form in which Sidekick cannot tell passwords from the rest.", "It got text/html:")
	contains(t, body(2), "It got text/plain:", "\nof bank.example")
	// Another agent of the same token has tabs of its own; the first one's
	// requests are none of its business.
	b := e.agent("writer", token)
	b.open(e.site.page("other.html"))
	b.ok("network", nil)
	b.fails("network", args{"request": requests[0][1]}, "There is no request")
	p := e.probe()
	p.tell(p.ownPage("settings.html"), "blocked.add", args{"site": "bank.example"})
	a.fails("network", args{"tab": tab, "request": requests[2][1]}, bankRefusal)
	contains(t, body(0), "It got text/html:")
}

// Frames of other sites, and workers, are in sessions of their own.
func TestRecordsOfFramesAndWorkers(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("other.html"))
	a.ok("console", args{"tab": tab})
	a.ok("network", args{"tab": tab})
	frame := e.site.at("shop.example", "records.html")
	a.ok("evaluate", args{"tab": tab, "function": `() => new Promise((done) => {
		window.worker = new Worker(URL.createObjectURL(new Blob(["onmessage = () => fetch('` + e.site.page("other.html?worker") + `').then((r) => r.text())"])));
		const f = document.createElement('iframe');
		f.src = '` + frame + `';
		f.onload = () => done();
		document.body.append(f);
	})`})
	e.eventually(callBound, "the frame's console", func() bool {
		return regexp.MustCompile(`error: bad thing \(` + regexp.QuoteMeta(frame) + `:2\)`).MatchString(a.ok("console", args{"tab": tab}))
	})
	a.ok("click", args{"ref": a.ref(tab, "button", "Fetch")})
	for _, filter := range []string{"q=1", "?worker"} {
		var request []string
		e.eventually(callBound, "a request with "+filter, func() bool {
			a.ok("evaluate", args{"tab": tab, "function": "() => worker.postMessage(1)"})
			request = regexp.MustCompile(`(?m)^(n\d+) GET fetch .* → 200 text/html, `).FindStringSubmatch(a.ok("network", args{"tab": tab, "filter": filter}))
			return request != nil
		})
		contains(t, a.ok("network", args{"tab": tab, "request": request[1]}), "It got text/html:", "<title>")
	}
}
