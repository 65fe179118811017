//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// files lists what is in the user's home, but for what the browser makes for
// itself there.
func (e *env) files() []string {
	e.t.Helper()
	var names []string
	err := filepath.WalkDir(e.user, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(e.user, name)
		if err != nil {
			return err
		}
		switch rel {
		case ".cache", ".pki", ".config/dconf", ".local/share/applications", ".local/share/mime":
			return fs.SkipDir
		case ".config/chromium":
			hosts := filepath.Join(name, "NativeMessagingHosts")
			if _, err := os.Lstat(hosts); err == nil {
				names = append(names, hosts)
			}
			return fs.SkipDir
		}
		names = append(names, rel)
		return nil
	})
	if err != nil {
		e.t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// freshMachine makes e one whose user has Chromium and nothing of ours, and a
// home folder with a space and a letter beyond ASCII in its name.
func (e *env) freshMachine() *ownBrowser {
	e.t.Helper()
	delete(e.vars, "SIDEKICK_HOME")
	// Names like these broke other products' native hosts.
	e.user = filepath.Join(e.base, "Ada Łovelace")
	e.vars["HOME"] = e.user
	e.home = filepath.Join(e.user, ".local", "share", "sidekick")
	o := &ownBrowser{e: e, profile: filepath.Join(e.user, ".config", "chromium")}
	if err := os.MkdirAll(o.profile, 0o700); err != nil {
		e.t.Fatal(err)
	}
	// The browser makes it, too, and it stays.
	if err := os.MkdirAll(filepath.Join(e.user, ".local", "share"), 0o700); err != nil {
		e.t.Fatal(err)
	}
	return o
}

// startWith starts the browser with an extension loaded from a folder.
func (o *ownBrowser) startWith(extension string) *probe {
	return o.start("--load-extension="+extension, "--disable-features=DisableLoadExtensionCommandLineSwitch")
}

// connected waits until a browser's extension has reached the helper.
func (e *env) connected() {
	e.t.Helper()
	eventually(e.t, 20*time.Second, "the extension to connect", func() bool { return len(e.status().Browsers) > 0 })
}

// exeOf is the program that a process runs.
func exeOf(t *testing.T, p process) string {
	t.Helper()
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe"))
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// The life of an installation: Chromium reaches the program through the
// manifest that install wrote, a new version takes over in the middle of a
// call, and uninstall leaves the machine as it was.
func TestInstallation(t *testing.T) {
	e := newEnv(t)
	own := e.freshMachine()
	before := e.files()
	e = e.of(build(t, "0.1.0"))
	e.must("install", "--no-open")
	token := e.pairWith("--name", "FrogBot")
	p := own.startWith(e.dirs().Extension())
	e.connected()
	a := e.agent("researcher", token)
	tab := a.open(e.site.page("wait.html"))
	if exe := exeOf(t, e.nativeHost()); exe != e.dirs().Binary() {
		t.Errorf("the browser runs %s", exe)
	}
	group := p.groupOf(researcherTitle)

	// The new version comes while the agent, whose process is of the old one,
	// waits for something.
	first := e.helper()
	next := e.of(build(t, "0.2.0"))
	call := a.begin("wait_for", args{"tab": tab, "text": "Here it is", "timeout_ms": 60000})
	page, err := p.attach(p.pageAt("wait.html").ID)
	if err != nil {
		t.Fatal(err)
	}
	installed := make(chan string, 1)
	go func() {
		out, errs, err := next.run("install", "--no-open")
		if err != nil {
			errs += err.Error()
		}
		installed <- out + errs
	}()
	asked := `"msg":"making way for another helper"`
	eventually(t, 20*time.Second, "the old helper to be asked to make way", func() bool {
		b, _ := os.ReadFile(e.dirs().Log())
		return strings.Contains(string(b), asked)
	})
	if !alive(first.pid) {
		t.Error("the old helper ended with a call under way")
	}
	p.eval(page, `document.getElementById('state').textContent = 'Here it is'`, new(any))
	if r := call.wait(20 * time.Second); r.isError {
		t.Errorf("the call under way: %s", r.text)
	}
	contains(t, <-installed, "wrote "+e.dirs().Binary(), "Sidekick 0.1.0 ")
	eventually(t, 20*time.Second, "the end of the old helper", func() bool { return !alive(first.pid) })
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Here it is")
	contains(t, e.must("status"), "The helper 0.2.0 is running")
	if now := p.groupOf(researcherTitle); now.ID != group.ID {
		t.Errorf("the agent's group was %d and is %d", group.ID, now.ID)
	}
	if same, err := sameFiles(next.exe, e.dirs().Binary()); err != nil || !same {
		t.Errorf("the program in its place is not the new one (%v)", err)
	}

	// All of it goes, with the browser and the agent still there.
	out := next.must("uninstall", "--yes")
	contains(t, out, "NativeMessagingHosts/ai.frogbot.sidekick.json", "pairings.json")
	if after := e.files(); !slices.Equal(before, after) {
		t.Errorf("left after uninstall:\n%s\nbefore install there was:\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if browser := e.browser(); !alive(browser.pid) {
		t.Error("uninstall has ended the user's browser")
	}
	a.close()
	own.quit(p)
	if after := e.files(); !slices.Equal(before, after) {
		t.Errorf("what still ran has put back:\n%s", strings.Join(after, "\n"))
	}
}

func sameFiles(a, b string) (bool, error) {
	ab, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	bb, err := os.ReadFile(b)
	return string(ab) == string(bb), err
}

// Without an installation (npx): the helper of a new version's agent takes the
// place of the old one's, whose agents go on and do not bring theirs back.
func TestNewerAgentTakesOver(t *testing.T) {
	e := newEnv(t)
	old, next := e.of(build(t, "0.1.0")), e.of(build(t, "0.2.0"))
	token := old.pair("FrogBot")
	a := old.agent("researcher", token)
	tab := a.open(e.site.page("wait.html"))
	first := e.helper()
	call := a.begin("wait_for", args{"tab": tab, "text": "Here it is", "timeout_ms": 60000})
	b := next.agent("writer", token)
	b.open(e.site.page("start.html")) // it need not wait for the other's call
	if !alive(first.pid) {
		t.Error("the old helper ended with a call under way")
	}
	p := e.probe()
	page, err := p.attach(p.pageAt("wait.html").ID)
	if err != nil {
		t.Fatal(err)
	}
	p.eval(page, `document.getElementById('state').textContent = 'Here it is'`, new(any))
	if r := call.wait(20 * time.Second); r.isError {
		t.Errorf("the call under way: %s", r.text)
	}
	eventually(t, 20*time.Second, "the end of the old helper", func() bool { return !alive(first.pid) })
	// The old one first: it is the one that might start an old helper.
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Here it is")
	contains(t, b.ok("read_page", args{"mode": "text"}), "Start page")
	contains(t, e.must("status"), "The helper 0.2.0 is running")
	if exe := exeOf(t, e.helper()); exe != next.exe {
		t.Errorf("the helper is %s", exe)
	}

	// The managed browser and its profile go with all the rest.
	browser := e.browser()
	next.must("uninstall", "--yes")
	if alive(browser.pid) {
		t.Error("the managed browser still runs")
	}
	if left, err := os.ReadDir(e.home); err == nil {
		t.Errorf("left after uninstall: %v", left)
	}
}

// The extension and the program are updated at different times.
func TestExtensionOfAnotherVersion(t *testing.T) {
	for _, c := range []struct {
		name, protocol, oldest, says string
	}{
		{"newer, and speaks the program's protocol", "2", "1", ""},
		{"too new", "3", "2", "is older than the extension 9.0.0"},
		{"too old", "0", "0", "the extension 9.0.0 is older than sidekick-mcp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t)
			own := e.freshMachine()
			e.must("install", "--no-open")
			folder := filepath.Join(e.base, "extension")
			if err := os.CopyFS(folder, os.DirFS("../extension")); err != nil {
				t.Fatal(err)
			}
			for file, change := range map[string][2]string{
				"manifest.json":  {`"version": "0.1.0"`, `"version": "9.0.0"`},
				"worker/wire.js": {"PROTOCOL = 1;", "PROTOCOL = " + c.protocol + ";"},
			} {
				name := filepath.Join(folder, file)
				b, err := os.ReadFile(name)
				if err != nil || !strings.Contains(string(b), change[0]) {
					t.Fatalf("%s has no %s (%v)", file, change[0], err)
				}
				text := strings.Replace(string(b), change[0], change[1], 1)
				text = strings.Replace(text, "OLDEST = 1;", "OLDEST = "+c.oldest+";", 1)
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := own.startWith(folder)
			defer own.quit(p)
			if c.says == "" {
				e.connected()
				a := e.agent("researcher", e.pairWith("--name", "FrogBot"))
				a.open(e.site.page("start.html"))
				contains(t, a.ok("read_page", args{"mode": "text"}), "Start page")
				return
			}
			settings := p.ownPage("settings.html")
			var text string
			if !holds(15*time.Second, func() bool {
				p.eval(settings, `document.getElementById('connection').innerText`, &text)
				return strings.Contains(text, c.says)
			}) {
				t.Errorf("the settings say %q, want %q", text, c.says)
			}
		})
	}
}

// With a display the browser shows the one step that is left.
func TestInstallShowsWhatIsLeft(t *testing.T) {
	withDisplay(t)
	e := newEnv(t)
	own := e.freshMachine()
	e.vars["SIDEKICK_BROWSER_ARGS"] += ` "--user-data-dir=` + own.profile + `"`
	contains(t, e.must("install"), "One step is left: open chrome://extensions in ", e.dirs().Extension())
	p := own.probe()
	defer own.quit(p)
	var page targetInfo
	eventually(t, 10*time.Second, "the page that says what is left", func() bool {
		for _, target := range p.targets() {
			if target.Type == "page" && strings.HasSuffix(target.URL, "/welcome.html") {
				page = target
			}
		}
		return page.ID != ""
	})
	session, err := p.attach(page.ID)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	eventually(t, 10*time.Second, "its text", func() bool {
		p.eval(session, `document.body?.innerText ?? ''`, &text)
		return strings.Contains(text, e.dirs().Extension())
	})
}
