//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// The titles of the groups that the tests' agents get.
const (
	researcherTitle = "FrogBot · researcher"
	writerTitle     = "FrogBot · writer"
)

func TestGroupTitles(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	researcher, writer := e.agent("researcher", token), e.agent("writer", token)
	researcher.open(e.site.page("start.html"))
	writer.open(e.site.page("counter.html"))

	p := e.probe()
	r, w := p.groupOf(researcherTitle), p.groupOf(writerTitle)
	if n := len(p.groups()); n != 2 {
		t.Errorf("%d groups, want two: %+v", n, p.groups())
	}
	for _, of := range []struct {
		group group
		url   string
	}{{r, "start.html"}, {w, "counter.html"}} {
		tabs := p.tabsOf(of.group)
		if len(tabs) != 1 || tabs[0].URL != e.site.page(of.url) {
			t.Errorf("the tabs of %q: %+v, want the one on %s", of.group.Title, tabs, of.url)
		}
	}

	// The colour is the agent's own: a group that is made anew has it again.
	p.worker(fmt.Sprintf(`chrome.tabs.query({groupId: %d}).then(all => chrome.tabs.remove(all.map(t => t.id))).then(() => true)`, r.ID), new(bool))
	researcher.open(e.site.page("start.html"))
	again := p.groupOf(researcherTitle)
	if again.ID == r.ID || again.Color != r.Color {
		t.Errorf("the group that was closed, %+v, came back as %+v: want another with the same colour", r, again)
	}
}

func TestGroupsAreApart(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	researcher, writer := e.agent("researcher", token), e.agent("writer", token)
	researcher.open(e.site.page("start.html"))
	for range 3 { // so that writer has a tab of a name that researcher has none of
		writer.open(e.site.page("counter.html"))
	}
	p := e.probe()
	p.userTab(e.site.page("secret.html"))

	list := researcher.ok("tabs", args{"action": "list"})
	if ids := tabIDs(list); len(ids) != 1 {
		t.Errorf("researcher lists %v, want its one tab:\n%s", ids, list)
	}
	for _, foreign := range []string{"Secret diary", "secret.html", "Counter", "counter.html"} {
		if strings.Contains(list, foreign) {
			t.Errorf("researcher's list has %q in it:\n%s", foreign, list)
		}
	}
	// Neither by the names that writer's tabs have, nor by Chrome's own.
	names := tabIDs(writer.ok("tabs", args{"action": "list"}))
	names = slices.DeleteFunc(names, func(id string) bool { return slices.Contains(tabIDs(list), id) })
	if len(names) == 0 {
		t.Fatal("every tab of writer has a name that researcher's tab has too")
	}
	for _, tab := range p.tabs() {
		names = append(names, fmt.Sprint(tab.ID), fmt.Sprintf("t%d", tab.ID))
	}
	for _, name := range names {
		for _, try := range []struct {
			tool string
			args args
		}{
			{"read_page", args{"tab": name}},
			{"screenshot", args{"tab": name}},
			{"navigate", args{"tab": name, "url": e.site.page("form.html")}},
			{"tabs", args{"action": "switch", "tab": name}},
			{"tabs", args{"action": "close", "tab": name}},
		} {
			r, err := researcher.try(try.tool, try.args)
			if err == nil && !r.isError {
				t.Errorf("researcher's %s on %s, which is not its own, went through: %s", try.tool, name, r.text)
			}
			if strings.Contains(r.text, "Secret") || strings.Contains(r.text, "Counter") {
				t.Errorf("researcher's %s on %s tells of it: %s", try.tool, name, r.text)
			}
		}
	}
	if n := len(p.tabsOf(p.groupOf(writerTitle))); n != 3 {
		t.Errorf("writer has %d tabs left of its three", n)
	}
}

// A program that has a token and no manners still gets only its own group.
func TestNoAgentSpeaksForAnother(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	writer := e.agent("writer", token)
	for range 2 {
		writer.open(e.site.page("counter.html"))
	}
	var writerID string
	for _, a := range e.status().Agents {
		writerID = a.ID
	}
	r := e.rogue("rogue", token)
	got := r.ask(wire.Message{Agent: writerID, Method: "Target.getTargets"})
	if got.Error != nil || strings.Contains(string(got.Result), "counter.html") {
		t.Errorf("Target.getTargets in writer's name: %s %v, want the rogue's own, which is empty", got.Result, got.Error)
	}
	for _, m := range []wire.Message{
		{Agent: writerID, SessionID: "t2", Method: "Runtime.evaluate", Params: mustJSON(args{"expression": "document.title"})},
		{Agent: writerID, Method: "Target.attachToTarget", Params: mustJSON(args{"targetId": "t2", "flatten": true})},
		{Agent: writerID, Method: "Target.closeTarget", Params: mustJSON(args{"targetId": "t2"})},
	} {
		if got := r.ask(m); got.Error == nil || got.Error.Code != wire.CodeNotYours {
			t.Errorf("%s on writer's tab in writer's name: %s %v, want code %d", m.Method, got.Result, got.Error, wire.CodeNotYours)
		}
	}
	// Nor may an agent do in its own tab what is off the allow list.
	created := r.ask(wire.Message{Method: "Target.createTarget", Params: mustJSON(args{"url": e.site.page("start.html")})})
	if created.Error != nil {
		t.Fatal(created.Error)
	}
	attached := r.ask(wire.Message{Method: "Target.attachToTarget", Params: mustJSON(args{"targetId": "t1", "flatten": true})})
	if attached.Error != nil {
		t.Fatal(attached.Error)
	}
	for _, method := range []string{"Network.getCookies", "Storage.getCookies", "Target.createTarget", "Tracing.start", "Browser.close", "Page.bringToFront"} {
		if got := r.ask(wire.Message{SessionID: "t1", Method: method, Params: mustJSON(args{"url": "about:blank"})}); got.Error == nil || got.Error.Code != wire.CodeNotAllowed {
			t.Errorf("%s: %s %v, want code %d", method, got.Result, got.Error, wire.CodeNotAllowed)
		}
	}
	for _, url := range []string{"file:///etc/passwd", "chrome://settings", "chrome-extension://" + extensionID(t) + "/settings.html", "javascript:alert(1)", "view-source:" + e.site.page("start.html")} {
		if got := r.ask(wire.Message{Method: "Target.createTarget", Params: mustJSON(args{"url": url})}); got.Error == nil {
			t.Errorf("a tab on %s was opened: %s", url, got.Result)
		}
		if got := r.ask(wire.Message{SessionID: "t1", Method: "Page.navigate", Params: mustJSON(args{"url": url})}); got.Error == nil {
			t.Errorf("a tab went to %s: %s", url, got.Result)
		}
	}
}

func TestTwoAgentsInterleaved(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	const clicks = 25 // and as many readings: 50 calls each
	var wg sync.WaitGroup
	for _, name := range []string{"researcher", "writer"} {
		a := e.agent(name, token)
		tab := a.open(e.site.page("counter.html"))
		more := a.ref(tab, "button", "More")
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 1; i <= clicks; i++ {
				r, err := a.try("click", args{"ref": more})
				if err != nil || r.isError {
					t.Errorf("%s: click %d: %v %s", name, i, err, r.text)
					return
				}
				r, err = a.try("read_page", args{"mode": "text"})
				if want := fmt.Sprintf("Count: %d", i); err != nil || r.isError || !strings.Contains(r.text, want) {
					t.Errorf("%s: after click %d: %v, no %q in %s", name, i, err, want, r.text)
					return
				}
			}
		}()
	}
	wg.Wait()
}

func TestSecondLiveConnectionGetsANumber(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	first := e.agent("researcher", token)
	first.open(e.site.page("start.html"))
	second := e.agent("researcher", token)
	second.open(e.site.page("counter.html"))
	p := e.probe()
	for title, url := range map[string]string{researcherTitle: "start.html", researcherTitle + " 2": "counter.html"} {
		if tabs := p.tabsOf(p.groupOf(title)); len(tabs) != 1 || tabs[0].URL != e.site.page(url) {
			t.Errorf("the tabs of %q: %+v, want the one on %s", title, tabs, url)
		}
	}
	// The number is free again when the connection ends.
	second.close()
	eventually(t, 5*time.Second, "the helper to know of one agent", func() bool { return len(e.status().Agents) == 1 })
	third := e.agent("researcher", token)
	if list := third.ok("tabs", args{"action": "list"}); !strings.Contains(list, "counter.html") {
		t.Errorf("a third agent does not have the tabs of \"researcher 2\":\n%s", list)
	}
}

func TestRestartedAgentHasItsTabs(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	a := e.agent("researcher", token)
	first, second := a.open(e.site.page("start.html")), a.open(e.site.page("counter.html"))
	old := a.ref(second, "button", "More")
	a.close()
	eventually(t, 5*time.Second, "the helper to know of no agent", func() bool { return len(e.status().Agents) == 0 })

	b := e.agent("researcher", token)
	list := b.ok("tabs", args{"action": "list"})
	if ids := tabIDs(list); !slices.Equal(ids, []string{first, second}) {
		t.Errorf("after the restart its tabs are %v, want %v:\n%s", ids, []string{first, second}, list)
	}
	contains(t, list, "start.html", "counter.html")
	if n := len(e.probe().groups()); n != 1 {
		t.Errorf("%d groups, want the one from before", n)
	}
	// A ref of the process before either is the same element or is refused.
	fresh := b.ref(second, "button", "More")
	if fresh == old {
		t.Logf("the ref %s is as it was", old)
	} else if r := b.call("click", args{"ref": old}); !r.isError {
		contains(t, b.ok("read_page", args{"tab": second, "mode": "text"}), "Count: 1")
	} else {
		contains(t, r.text, "read_page")
	}
}

// The user moves tabs into a group and out of it, and so gives and takes them.
func TestUserDragsTabs(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html"))
	p := e.probe()
	p.userTab(e.site.page("secret.html"))
	g := p.groupOf(researcherTitle)

	move := func(js string) {
		t.Helper()
		p.worker(fmt.Sprintf(`chrome.tabs.query({}).then(all => all.find(t => t.url.endsWith('secret.html')).id).then(id => %s).then(() => true)`, js), new(bool))
	}
	move(fmt.Sprintf(`chrome.tabs.group({groupId: %d, tabIds: id})`, g.ID))
	var list string
	eventually(t, 5*time.Second, "the tab in the agent's list", func() bool {
		list = a.ok("tabs", args{"action": "list"})
		return strings.Contains(list, "secret.html")
	})
	ids := tabIDs(list)
	given := ids[len(ids)-1]
	contains(t, a.ok("read_page", args{"tab": given, "mode": "text"}), "Secret diary of the user")

	move(`chrome.tabs.ungroup(id)`)
	eventually(t, 5*time.Second, "the tab out of the agent's list", func() bool {
		return !strings.Contains(a.ok("tabs", args{"action": "list"}), "secret.html")
	})
	if text := a.fails("read_page", args{"tab": given}); strings.Contains(text, "diary") {
		t.Errorf("the refusal tells of the page: %s", text)
	}
}

func TestRenameGivesTheGroupItsNewTitle(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html"))
	p := e.probe()
	before := p.groupOf(researcherTitle)
	e.must("rename", "FrogBot", "Toad")
	eventually(t, 5*time.Second, "the group's new title", func() bool {
		for _, g := range p.groups() {
			if g.ID == before.ID && g.Title == "Toad · researcher" {
				return true
			}
		}
		return false
	})
	contains(t, a.ok("read_page", args{"mode": "text"}), "Start page")
}
