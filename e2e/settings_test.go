//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// The settings do what the command line does, by their own buttons: a pairing is
// added, renamed and revoked, a site is blocked and open again. What a name or a
// site has against it is said where it was typed.
func TestSettingsPage(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("start.html"))
	p := e.probe()
	settings := p.ownPage("settings.html")
	press := func(label string) {
		t.Helper()
		eventually(t, 5*time.Second, "a button "+label, func() bool {
			var pressed bool
			p.eval(settings, `(() => {
				const b = [...document.querySelectorAll('button')].find(b => b.offsetParent && (b.ariaLabel ?? b.textContent) === `+string(mustJSON(label))+`);
				b?.click();
				return !!b;
			})()`, &pressed)
			return pressed
		})
	}
	enter := func(field, text string) {
		t.Helper()
		p.eval(settings, `document.getElementById('`+field+`').value = `+string(mustJSON(text))+`; true`, new(bool))
	}
	names := func() string { return e.must("pairings", "--json") }

	// A name that is taken, and one that is free.
	enter("add-name", "FROGBOT")
	press("Add")
	p.shows(settings, `there is a pairing "FrogBot" already`)
	enter("add-name", "Newt")
	press("Add")
	p.shows(settings, "Newt is added", "Another host", `"mcpServers"`)
	contains(t, names(), `"FrogBot"`, `"Newt"`)
	// What another host takes, the token in it, as the command line prints it.
	var token, shown string
	p.eval(settings, `document.getElementById('command').textContent.match(/skt_\w+/)[0]`, &token)
	for _, c := range [][2]string{{"codex", "For ~/.codex/config.toml"}, {"vscode", "Code/User/mcp.json"}, {"frogbot", "For frogbot.config.ts"}} {
		p.eval(settings, `(() => {
			const select = document.getElementById('host');
			select.value = '`+c[0]+`';
			select.dispatchEvent(new Event('change'));
			return true;
		})()`, new(bool))
		p.shows(settings, c[1])
		p.eval(settings, `document.getElementById('config').textContent`, &shown)
		e.vars["SIDEKICK_TOKEN"] = token
		printed := e.must("config", "--host", c[0])
		delete(e.vars, "SIDEKICK_TOKEN")
		if shown != strings.TrimSpace(printed) {
			t.Errorf("for %s the settings show\n%s\nand the command line\n%s", c[0], shown, printed)
		}
	}
	press("Done")
	p.eval(settings, `document.documentElement.outerHTML`, &shown)
	if strings.Contains(shown, token) {
		t.Error("the settings show the token still")
	}
	e.pair("Heron") // on the command line
	p.shows(settings, "Heron")

	// Renamed, the agent that is connected stays so, in a group of the new name.
	press("Rename FrogBot")
	enter("ask-input", "Toad")
	press("Rename")
	p.shows(settings, "Toad")
	contains(t, names(), `"Toad"`)
	eventually(t, 5*time.Second, "the group's new title", func() bool {
		g := p.groups()
		return len(g) == 1 && g[0].Title == "Toad · researcher"
	})
	a.ok("read_page", args{"tab": tab})

	// A site is closed and open again.
	enter("block-site", "*")
	press("Block")
	p.shows(settings, "would block every site")
	enter("block-site", "bank.example")
	press("Block")
	press("Unblock bank.example")
	eventually(t, 5*time.Second, "no site to be blocked", func() bool {
		var n int
		p.eval(settings, `document.getElementById('blocked').children.length`, &n)
		return n == 0
	})
	contains(t, a.ok("navigate", args{"tab": tab, "url": e.site.at("bank.example", "bank.html")}), "The bank")

	// Who does not mean it leaves everything as it is.
	press("Revoke Toad")
	press("Cancel")
	a.ok("read_page", args{"tab": tab})
	press("Revoke Toad")
	press("Revoke")
	eventually(t, 5*time.Second, "the agent's end", func() bool {
		r, err := a.try("read_page", args{"tab": tab})
		return err != nil || r.isError && strings.Contains(r.text, "revoked")
	})
	if list := names(); strings.Contains(list, "Toad") || !strings.Contains(list, "Newt") {
		t.Errorf("after Toad was revoked there are %s", list)
	}
}
