//go:build linux

package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The user types in the front tab while an agent clicks and types in its own
// tabs: every key arrives, and nothing comes forward.
func TestUserTypesWhileAnAgentWorks(t *testing.T) {
	const during = 20 * time.Second
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html")) // the browser is up

	p := e.probe()
	user := p.userTab(e.site.page("keys.html"))
	write := p.userKeys(user)
	eventually(t, 5*time.Second, "the focus in the user's page", func() bool {
		var focused bool
		p.eval(user, `document.hasFocus() && document.activeElement.id === 'text'`, &focused)
		return focused
	})
	front, window := frontOf(p), xFront(p)
	p.eval(user, `Object.assign(seen, {keys: '', blurs: 0, hidden: 0})`, new(any))

	end := time.Now().Add(during)
	worked := make(chan int)
	go func() {
		rounds := 0
		defer func() { worked <- rounds }()
		for time.Now().Before(end) {
			if !agentWorks(a, e, rounds) {
				return
			}
			rounds++
		}
	}()
	// Keys at the pace of a fast writer, for as long as the agent works.
	var typed strings.Builder
	pace := time.NewTicker(60 * time.Millisecond)
	defer pace.Stop()
	rounds, working := 0, true
	for working {
		select {
		case rounds = <-worked:
			working = false
		case <-pace.C:
			key := "abcdefghijklmnopqrstuvwxyz "[typed.Len()%27]
			write(string(key))
			typed.WriteByte(key)
		}
	}
	if rounds < 3 {
		t.Fatalf("the agent worked for %d rounds only", rounds)
	}

	var seen struct {
		Keys   string `json:"keys"`
		Blurs  int    `json:"blurs"`
		Hidden int    `json:"hidden"`
		Text   string `json:"text"`
	}
	eventually(t, 5*time.Second, "the last key", func() bool {
		p.eval(user, `({...seen, text: document.getElementById('text').value})`, &seen)
		return len(seen.Keys) >= typed.Len()
	})
	if seen.Keys != typed.String() || seen.Text != typed.String() {
		t.Errorf("the user typed %d keys, %d arrived and %d are in the text:\n%s\n%s", typed.Len(), len(seen.Keys), len(seen.Text), typed.String(), seen.Text)
	}
	if seen.Blurs != 0 || seen.Hidden != 0 {
		t.Errorf("the user's page lost the focus %d times and was hidden %d times", seen.Blurs, seen.Hidden)
	}
	if now := frontOf(p); now != front {
		t.Errorf("in front was %q, now it is %q", front, now)
	}
	if now := xFront(p); now != window {
		t.Errorf("the focus was in window %s, now it is in %s", window, now)
	}
	t.Logf("%d keys while the agent worked %d rounds", typed.Len(), rounds)
}

// agentWorks does a round of everything that could take the focus.
func agentWorks(a *agent, e *env, round int) bool {
	step := func(tool string, arguments args) (string, bool) {
		r, err := a.try(tool, arguments)
		if err != nil || r.isError {
			a.t.Errorf("round %d: %s %v: %v %s", round, tool, arguments, err, r.text)
			return "", false
		}
		return r.text, true
	}
	opened, ok := step("tabs", args{"action": "open", "url": e.site.page("counter.html")})
	if !ok {
		return false
	}
	tab := tabPattern.FindString(opened)
	outline, ok := step("read_page", args{"tab": tab})
	if !ok {
		return false
	}
	more, words := findRef(outline, "button", "More"), findRef(outline, "textbox", "Words")
	for i := range 5 {
		if _, ok := step("click", args{"ref": more}); !ok {
			return false
		}
		if _, ok := step("type_text", args{"ref": words, "text": fmt.Sprintf("w%d ", i)}); !ok {
			return false
		}
	}
	text, ok := step("read_page", args{"tab": tab, "mode": "text"})
	if !ok {
		return false
	}
	if !strings.Contains(text, "Count: 5") || !strings.Contains(text, "Said: w0 w1 w2 w3 w4") {
		a.t.Errorf("round %d: the agent's own input did not arrive: %s", round, text)
		return false
	}
	if _, ok := step("screenshot", args{"tab": tab}); !ok {
		return false
	}
	if _, ok := step("tabs", args{"action": "switch", "tab": tab}); !ok {
		return false
	}
	_, ok = step("tabs", args{"action": "close", "tab": tab})
	return ok
}

// frontOf says which window has the focus and which tab is in front in each.
func frontOf(p *probe) string {
	var windows []struct {
		ID      int  `json:"id"`
		Focused bool `json:"focused"`
		Tabs    []struct {
			URL    string `json:"url"`
			Active bool   `json:"active"`
		} `json:"tabs"`
	}
	p.worker(`chrome.windows.getAll({populate: true})`, &windows)
	var s strings.Builder
	for _, w := range windows {
		for _, t := range w.Tabs {
			if t.Active {
				fmt.Fprintf(&s, "window %d (focused %v): %s; ", w.ID, w.Focused, t.URL)
			}
		}
	}
	return s.String()
}

// xFront is the window that has the focus on the display.
func xFront(p *probe) string {
	if display == "" {
		return ""
	}
	return p.xdotool("getwindowfocus")
}

// userKeys returns what presses a key as the user does: on a display through
// the X server, else as the browser's own input to the tab in front.
func (p *probe) userKeys(session string) func(key string) {
	if display != "" {
		// No window manager runs on the virtual display, so nobody gives the
		// window the focus but this.
		p.xdotool("search", "--onlyvisible", "--name", "The user writes here", "windowfocus", "--sync")
		return func(key string) {
			if key == " " {
				key = "space"
			}
			p.xdotool("key", key)
		}
	}
	return func(key string) {
		code := "Key" + strings.ToUpper(key)
		if key == " " {
			code = "Space"
		}
		down := map[string]any{
			"type": "keyDown", "key": key, "text": key, "code": code,
			"windowsVirtualKeyCode": int(strings.ToUpper(key)[0]),
		}
		p.must(session, "Input.dispatchKeyEvent", down, nil)
		up := map[string]any{"type": "keyUp", "key": key, "code": code, "windowsVirtualKeyCode": int(strings.ToUpper(key)[0])}
		p.must(session, "Input.dispatchKeyEvent", up, nil)
	}
}

// xdotool does something on the virtual display as a user does.
func (p *probe) xdotool(arg ...string) string {
	p.t.Helper()
	c := exec.Command("xdotool", arg...)
	c.Env = append(c.Environ(), "DISPLAY="+display)
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("xdotool %v: %v %s", arg, err, out)
	}
	return strings.TrimSpace(string(out))
}
