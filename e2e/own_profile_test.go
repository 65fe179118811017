//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ownBrowser is the user's own browser: the default profile in the home folder,
// and Sidekick's state where it is when nothing says otherwise.
type ownBrowser struct {
	e       *env
	profile string // the user data folder
	cmd     *exec.Cmd
	exited  chan struct{}
}

// ownMachine makes e a machine whose user has installed Sidekick by hand: no
// SIDEKICK_HOME, the manifests in the browsers' own places.
func (e *env) ownMachine() *ownBrowser {
	e.t.Helper()
	delete(e.vars, "SIDEKICK_HOME")
	e.home = filepath.Join(e.user, ".local", "share", "sidekick")
	o := &ownBrowser{e: e, profile: filepath.Join(e.user, ".config", "chromium")}
	// An unpacked extension needs the developer mode, which its user has on.
	prefs := filepath.Join(o.profile, "Default", "Preferences")
	if err := os.MkdirAll(filepath.Dir(prefs), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(prefs, []byte(`{"extensions":{"ui":{"developer_mode":true}}}`), 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.must("install", "--no-open")
	return o
}

// start starts the browser as a click on its icon does, and waits for it.
func (o *ownBrowser) start(more ...string) *probe {
	o.e.t.Helper()
	name := o.e.vars["SIDEKICK_BROWSER"]
	if name == "" {
		name = "chromium"
	}
	var flags []string
	for _, f := range append(browserFlags(), more...) {
		flags = append(flags, strings.Trim(f, `"`))
	}
	o.cmd = exec.Command(name, append(flags, "--user-data-dir="+o.profile, "about:blank")...)
	o.cmd.Env = o.e.environ()
	if err := o.cmd.Start(); err != nil {
		o.e.t.Fatal(err)
	}
	exited := make(chan struct{})
	o.exited = exited
	cmd := o.cmd
	go func() { _ = cmd.Wait(); close(exited) }()
	o.e.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	return o.probe()
}

func (o *ownBrowser) probe() *probe {
	o.e.t.Helper()
	return o.e.probeAt(filepath.Join(o.profile, "DevToolsActivePort"))
}

// quit ends the browser as its user does.
func (o *ownBrowser) quit(p *probe) {
	o.e.t.Helper()
	pid := o.e.browser().pid
	// The answer may or may not come before the end.
	_, _ = p.send("", "Browser.close", nil)
	o.e.gone(pid, 10*time.Second)
}

// install loads the extension as "Load unpacked" does: for good.
func (o *ownBrowser) install() {
	t := o.e.t
	t.Helper()
	p := o.start("--enable-unsafe-extension-debugging")
	folder, err := filepath.Abs("../extension")
	if err != nil {
		t.Fatal(err)
	}
	p.must("", "Extensions.loadUnpacked", args{"path": folder}, nil)
	o.quit(p)
	// What was loaded through the debugging port Chrome marks as not to be kept
	// over a restart.
	const loadedByDevTools = 1 << 15
	file := filepath.Join(o.profile, "Default", "Preferences")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var prefs map[string]any
	if err := json.Unmarshal(b, &prefs); err != nil {
		t.Fatal(err)
	}
	at := prefs
	for _, key := range []string{"extensions", "settings", extensionID(t)} {
		next, ok := at[key].(map[string]any)
		if !ok {
			t.Fatalf("the profile's preferences have no %s", key)
		}
		at = next
	}
	flags, ok := at["creation_flags"].(float64)
	if !ok {
		t.Fatalf("the extension's flags are %v", at["creation_flags"])
	}
	at["creation_flags"] = int(flags) &^ loadedByDevTools
	if err := os.WriteFile(file, mustJSON(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The way of a user with a browser of their own: load the extension, add an
// agent in its settings, give the agent the token. Then the agent reaches that
// browser and that profile, running or closed.
func TestOwnProfile(t *testing.T) {
	// Nobody's own browser is headless, and a headless one takes no page from
	// a second command.
	withDisplay(t)
	e := newEnv(t)
	own := e.ownMachine()
	own.install()
	p := own.start()
	settings := p.ownPage("settings.html")
	eventually(t, 10*time.Second, "the settings to be connected", func() bool {
		var text string
		p.eval(settings, `document.getElementById('connection').innerText`, &text)
		return strings.Contains(strings.ToLower(text), "connected") && !strings.Contains(strings.ToLower(text), "not connected")
	})
	var command string
	p.eval(settings, `document.getElementById('add-name').value = 'FrogBot'; document.querySelector('#add button').click(); true`, new(any))
	eventually(t, 10*time.Second, "the new agent's command", func() bool {
		p.eval(settings, `document.getElementById('command').textContent`, &command)
		return command != ""
	})
	_, token, _ := strings.Cut(command, "SIDEKICK_TOKEN=")
	token = strings.Trim(strings.Fields(token)[0], `"'`)
	contains(t, command, "sidekick-mcp")

	a := e.agent("researcher", token)
	tab := a.open(e.site.page("start.html"))
	if tabs := p.tabsOf(p.groupOf(researcherTitle)); len(tabs) != 1 || tabs[0].URL != e.site.page("start.html") {
		t.Errorf("the group's tabs: %+v", tabs)
	}
	list := a.ok("tabs", args{"action": "list"})
	if ids := tabIDs(list); len(ids) != 1 || ids[0] != tab {
		t.Errorf("the agent lists %v", list)
	}

	// The browser runs, the worker sleeps, and no page of ours is open that
	// would start it again.
	p.must("", "Target.closeTarget", args{"targetId": p.pageAt("/settings.html").ID}, nil)
	p.worker(`chrome.alarms.clearAll()`, new(bool)) // its own clock might be the first
	front, tabs := frontOf(p), len(p.tabs())
	p.stopWorker()
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Start page")
	// The page that woke it is gone, and what was in front is so again.
	eventually(t, 10*time.Second, "the tabs of before", func() bool { return len(p.tabs()) == tabs })
	if now := frontOf(p); now != front {
		t.Errorf("in front was %s, now it is %s", front, now)
	}

	// The browser is closed: it comes up again, and with the same profile.
	own.quit(p)
	contains(t, a.ok("navigate", args{"url": e.site.page("counter.html")}), "Counter")
	q := own.probe()
	q.groupOf(researcherTitle)
	own.quit(q)

	// The browser is closed, and the agent's process is another.
	a.close()
	b := e.agent("researcher", token)
	contains(t, b.ok("navigate", args{"url": e.site.page("form.html")}), "Form")
	q = own.probe()
	// What stops Sidekick leaves the user's own browser alone.
	e.must("stop")
	if browser := e.browser(); !alive(browser.pid) {
		t.Errorf("stop has ended the user's browser")
	}
	own.quit(q)
}
