//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// loaded are the tabs that have loaded what they show, be it an error.
func (p *probe) loaded() []tab {
	p.t.Helper()
	var t []tab
	p.worker(`chrome.tabs.query({status: 'complete'})`, &t)
	return t
}

// A tab that an agent's page opens is held off a blocked site from its first
// request on, when nobody but Chrome knows of the tab.
func TestBlockedSiteInANewTab(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	home := e.site.at("shop.example", "newtabs.html")
	tab := a.open(home)
	p := e.probe()
	settings := p.ownPage("settings.html")
	p.tell(settings, "blocked.add", args{"site": "bank.example"})

	for _, way := range []struct{ frame, role, name string }{
		{"", "link", "Plain"},
		{"", "link", "Without an opener"},
		{"", "link", "By a redirect"},
		{"", "button", "By a form"},
		{"", "button", "In a window"},
		{"", "button", "In a tab that was there"},
		{"?other", "link", "From the other frame"},
		{"?sandboxed", "link", "From the sandboxed frame"},
	} {
		t.Run(way.name, func(t *testing.T) {
			a, p := a.in(t), e.in(t).probe()
			a.ok("navigate", args{"tab": tab, "url": home + way.frame})
			ref := ""
			eventually(t, 5*time.Second, way.name+" in the outline", func() bool {
				ref = findRef(a.ok("read_page", args{"tab": tab}), way.role, way.name)
				return ref != ""
			})
			seen := map[int]bool{}
			for _, one := range p.tabs() {
				seen[one.ID] = true
			}
			before := e.site.asked("bank.example/bank.html")
			a.call("click", args{"ref": ref})
			eventually(t, 10*time.Second, "the new tab to have failed", func() bool {
				for _, one := range p.loaded() {
					if !seen[one.ID] && strings.Contains(one.URL, "bank.example") {
						return true
					}
				}
				return false
			})
			if n := e.site.asked("bank.example/bank.html") - before; n != 0 {
				t.Errorf("%d requests reached the bank", n)
			}
		})
	}
}

// The user's own new tabs go where they like, also from a page of a host on
// which an agent is at work.
func TestUsersNewTabsReachABlockedSite(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	home := e.site.at("shop.example", "newtabs.html")
	tab := a.open(home)
	p := e.probe()
	settings := p.ownPage("settings.html")
	p.tell(settings, "blocked.add", args{"site": "bank.example"})
	a.ok("read_page", args{"tab": tab})
	banks := func() (n int) {
		for _, one := range p.loaded() {
			if one.Title == "The bank" && one.Group == -1 {
				n++
			}
		}
		return n
	}
	user := p.userTab(home)
	for i, script := range []string{
		`document.getElementById('plain').click()`,
		`document.getElementById('noopener').click()`,
		`document.getElementById('redirect').click()`,
		`document.getElementById('popup').click()`,
		`document.getElementById('plain').dispatchEvent(new MouseEvent('click', {ctrlKey: true, bubbles: true, cancelable: true}))`,
	} {
		p.eval(user, script+`, true`, new(bool))
		eventually(t, 10*time.Second, script, func() bool { return banks() == i+1 })
	}
	p.userTab(e.site.at("bank.example", "bank.html"))
	eventually(t, 10*time.Second, "a tab on the bank", func() bool { return banks() == 6 })

	// A sandboxed frame comes of no host: what it opens is held by a rule for
	// all new tabs.
	a.ok("navigate", args{"tab": tab, "url": home + "?sandboxed"})
	eventually(t, 5*time.Second, "the sandboxed frame", func() bool {
		return findRef(a.ok("read_page", args{"tab": tab}), "link", "From the sandboxed frame") != ""
	})
	p.userTab(e.site.at("bank.example", "bank.html"))
	eventually(t, 10*time.Second, "another tab on the bank", func() bool { return banks() == 7 })
}
