//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// bankRefusal is what an agent is told about the blocked bank.
const bankRefusal = "The user blocked bank.example for agents in Sidekick. Do not try another way in; tell the user."

// Each way into a blocked site; the site's own log is the witness that no
// request came through.
func TestBlockedSite(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	home := e.site.at("shop.example", "ways.html")
	bank := e.site.at("bank.example", "bank.html")
	tab := a.open(home)
	p := e.probe()
	settings := p.ownPage("settings.html")
	p.tell(settings, "blocked.add", args{"site": "bank.example"})
	p.tell(settings, "blocked.add", args{"site": "*.corp.example"})

	front := frontOf(p)
	outline := ""
	press := func(role, name string) func(*agent) result {
		return func(a *agent) result {
			ref := findRef(outline, role, name)
			if ref == "" {
				a.t.Fatalf("no %s %q in:\n%s", role, name, outline)
			}
			return a.call("click", args{"ref": ref})
		}
	}
	for _, way := range []struct {
		name string
		try  func(*agent) result
		told bool // the answer itself has to say so
	}{
		{"navigate", func(a *agent) result { return a.call("navigate", args{"tab": tab, "url": bank}) }, true},
		{"a new tab", func(a *agent) result { return a.call("tabs", args{"action": "open", "url": bank}) }, true},
		{"capitals and a dot", func(a *agent) result {
			return a.call("navigate", args{"tab": tab, "url": strings.Replace(bank, "bank.example", "BANK.Example.", 1)})
		}, true},
		{"a host under it", func(a *agent) result {
			return a.call("navigate", args{"tab": tab, "url": e.site.at("login.bank.example", "bank.html")})
		}, true},
		{"a wildcard's host", func(a *agent) result {
			return a.call("navigate", args{"tab": tab, "url": e.site.at("wiki.corp.example", "bank.html")})
		}, true},
		{"redirect", func(a *agent) result {
			return a.call("navigate", args{"tab": tab, "url": e.site.at("shop.example", "redirect?to="+bank)})
		}, true},
		{"link", press("link", "By link"), false},
		{"link in a new tab", press("link", "By link in a new tab"), false},
		{"script", press("button", "By script"), false},
		{"window.open", press("button", "By window.open"), false},
		{"frame", press("button", "In a frame"), false},
		{"blank window", press("button", "By a blank window"), false},
		{"form in a new tab", press("button", "By a form in a new tab"), false},
		{"link with Control", func(a *agent) result {
			return a.call("click", args{"ref": findRef(outline, "link", "By link"), "modifiers": []string{"Control"}})
		}, false},
		{"link with the middle button", func(a *agent) result {
			return a.call("click", args{"ref": findRef(outline, "link", "By link"), "button": "middle"})
		}, false},
	} {
		t.Run(way.name, func(t *testing.T) {
			a := a.in(t)
			a.ok("navigate", args{"tab": tab, "url": home})
			outline = a.ok("read_page", args{"tab": tab})
			hosts := []string{"bank.example", "bank.example.", "login.bank.example", "wiki.corp.example"}
			before := map[string]int{}
			for _, host := range hosts {
				before[host] = e.site.asked(host + "/bank.html")
			}
			r := way.try(a)
			if way.told {
				if !r.isError || !strings.Contains(r.text, "blocked") {
					t.Errorf("no refusal: %s", r.text)
				}
			}
			if !holds(2*time.Second, func() bool { return frontOf(p) == front }) {
				t.Errorf("in front is %s, was %s", frontOf(p), front)
			}
			// Whatever a tab shows now, it is not the bank.
			for _, id := range tabIDs(a.ok("tabs", args{"action": "list"})) {
				for _, mode := range []string{"outline", "text"} {
					read := a.call("read_page", args{"tab": id, "mode": mode})
					if strings.Contains(read.text, "secret page") || strings.Contains(read.text, "Send money") {
						t.Errorf("%s shows the bank: %s", id, read.text)
					}
				}
			}
			for _, host := range hosts {
				if n := e.site.asked(host+"/bank.html") - before[host]; n != 0 {
					t.Errorf("%d requests reached %s", n, host)
				}
			}
		})
	}
	contains(t, a.fails("navigate", args{"tab": tab, "url": bank}), bankRefusal)

	// The user's own tabs go where they like.
	p.userTab(bank)
	eventually(t, 5*time.Second, "the bank in the user's own tab", func() bool {
		for _, target := range p.targets() {
			if target.Type == "page" && target.URL == bank && target.Title == "The bank" {
				return true
			}
		}
		return false
	})
	// A tab that is on the site when it is given to the agent is closed to it.
	p.worker(`Promise.all([chrome.tabs.query({}), chrome.tabGroups.query({})]).then(([tabs, groups]) =>
		chrome.tabs.group({groupId: groups[0].id, tabIds: tabs.find(t => t.title === 'The bank').id})).then(() => true)`, new(bool))
	var given string
	eventually(t, 5*time.Second, "the user's tab in the group", func() bool {
		ids := tabIDs(a.ok("tabs", args{"action": "list"}))
		given = ids[len(ids)-1]
		return given != tab
	})
	for _, c := range []struct {
		tool string
		args args
	}{{"read_page", args{"tab": given}}, {"screenshot", args{"tab": given}}, {"press_key", args{"tab": given, "key": "Enter"}}} {
		r := a.call(c.tool, c.args)
		if !r.isError || len(r.image) > 0 || strings.Contains(r.text, "secret page") {
			t.Errorf("%s of a tab on the bank: %s", c.tool, r.text)
		}
	}

	// Unblocked, it is a site as any other.
	p.tell(settings, "blocked.remove", args{"site": "bank.example"})
	contains(t, a.ok("navigate", args{"tab": tab, "url": bank}), "The bank")
}
