//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// However its host ends, the agent's process is gone within 3 s; its tabs and
// the helper are not touched.
func TestHostEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(e *env, host *os.Process, agent int) error
	}{
		{"SIGKILL of the host", func(_ *env, host *os.Process, _ int) error { return host.Kill() }},
		{"SIGTERM of the agent", func(_ *env, _ *os.Process, agent int) error { return syscall.Kill(agent, syscall.SIGTERM) }},
		{"SIGINT of the agent", func(_ *env, _ *os.Process, agent int) error { return syscall.Kill(agent, syscall.SIGINT) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t)
			host, agent := e.host(e.pair("FrogBot"), e.site.page("wait.html"))
			if err := c.end(e, host.Process, agent); err != nil {
				t.Fatal(err)
			}
			e.gone(agent, 3*time.Second)
			eventually(t, 5*time.Second, "the helper to know of no agent", func() bool { return len(e.status().Agents) == 0 })
			if tabs := e.probe().tabsOf(e.probe().groupOf(researcherTitle)); len(tabs) != 1 {
				t.Errorf("the group's tabs are %+v, want the one", tabs)
			}
		})
	}
}

// The end of stdin in the middle of a call.
func TestStdinEnds(t *testing.T) {
	e := newEnv(t)
	r := e.raw(e.pair("FrogBot"))
	r.initialize()
	held := e.site.hold("stdin")
	r.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"` + e.site.page("hold/stdin") + `"}}}`)
	<-held.asked
	if err := r.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := r.exit(3 * time.Second); code != 0 {
		t.Errorf("exit code %d, want 0; stderr: %s", code, r.Stderr)
	}
}

// A call that the host cancels ends in the page at once and is not answered.
func TestCancelledCall(t *testing.T) {
	e := newEnv(t)
	r := e.raw(e.pair("FrogBot"))
	r.initialize()
	held := e.site.hold("cancel")
	r.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"` + e.site.page("hold/cancel") + `"}}}`)
	<-held.asked
	r.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"changed my mind"}}`)
	r.Send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"` + e.site.page("start.html") + `"}}}`)
	m := r.Receive(20 * time.Second)
	if string(m.ID) != "3" || m.Error != nil {
		t.Fatalf("the next line answers request %s: %s %+v", m.ID, m.Result, m.Error)
	}
	contains(t, string(m.Result), "start.html")
}

// A line that is no message costs an error, not the process.
func TestBadLines(t *testing.T) {
	e := newEnv(t)
	r := e.raw(e.pair("FrogBot"))
	r.initialize()
	r.Send(`this is not JSON`)
	if m := r.Receive(5 * time.Second); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("a line that is not JSON: %+v", m.Error)
	}
	r.Send(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	if m := r.Receive(5 * time.Second); string(m.ID) != "7" || m.Error != nil {
		t.Errorf("after it: %s %+v", m.ID, m.Error)
	}
}

// One helper serves a user, also after it was killed and left its socket.
func TestHelperTakesOver(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html"))
	first := e.helper()
	e.kill(first)
	contains(t, a.ok("tabs", args{"action": "list"}), "start.html")
	if second := e.helper(); second.pid == first.pid {
		t.Error("the same helper")
	}
}

// A state folder whose path is too long for a socket still works.
func TestLongHome(t *testing.T) {
	e := newEnv(t)
	e.home = filepath.Join(e.home, strings.Repeat("long/", 20)+"home")
	e.vars["SIDEKICK_HOME"] = e.home
	if err := os.MkdirAll(e.home, 0o700); err != nil {
		t.Fatal(err)
	}
	a := e.agent("researcher", e.pair("FrogBot"))
	contains(t, a.ok("navigate", args{"url": e.site.page("start.html")}), "Start")
}

func TestStopLeavesNothing(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("start.html"))
	e.must("stop")
	a.close()
	e.nothingLeft()
	// Stopping what does not run is no error.
	e.must("stop")
}
