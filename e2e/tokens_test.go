//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// Each fault of the token answers the first request, of either generation of
// MCP, and ends the process: no host has to wait for a time-out to learn of it.
func TestTokenFaults(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	e.pair("Other")

	// A token of the right form that nobody has: one of another machine.
	elsewhere := newEnv(t).pair("Elsewhere")
	revoked := e.pair("Gone")
	e.must("revoke", "Gone")
	mistyped := []byte(token)
	i := len(mistyped) / 2
	if mistyped[i] == 'a' {
		mistyped[i] = 'b'
	} else {
		mistyped[i] = 'a'
	}

	said := map[string]string{}
	for _, fault := range []struct{ name, token string }{
		{"missing", ""},
		{"malformed", "my-password"},
		{"mistyped", string(mistyped)},
		{"unknown", elsewhere},
		{"revoked", revoked},
	} {
		for generation, request := range handshake {
			t.Run(fault.name+" "+generation, func(t *testing.T) {
				r := e.in(t).raw(fault.token)
				r.Send(request)
				m := r.Receive(5 * time.Second)
				if m.Error == nil || string(m.ID) != "1" {
					t.Fatalf("the answer is no error to request 1: %s %s", m.ID, m.Result)
				}
				if code := r.exit(5 * time.Second); code != 1 {
					t.Errorf("exit code %d, want 1", code)
				}
				lines := stderrLines(r.Stderr.String())
				if len(lines) != 1 {
					t.Errorf("%d lines on stderr, want one: %q", len(lines), lines)
				}
				for _, text := range append(lines, m.Error.Message) {
					if fault.token != "" && strings.Contains(text, fault.token) {
						t.Errorf("the token is shown: %s", text)
					}
				}
				if other, ok := said[m.Error.Message]; ok && other != fault.name {
					t.Errorf("%s says the same as %s: %s", fault.name, other, m.Error.Message)
				}
				said[m.Error.Message] = fault.name
				t.Log(m.Error.Message)
			})
		}
	}
	for _, p := range processes(e.base) {
		t.Errorf("a wrong token has started %v", p)
	}
}

func TestRevokeWhileConnected(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	a, other := e.agent("researcher", token), e.agent("keeper", e.pair("Keeper"))
	tab := a.open(e.site.page("start.html"))
	other.open(e.site.page("counter.html"))
	held := e.site.hold("revoke")
	call := a.begin("navigate", args{"tab": tab, "url": e.site.page("hold/revoke")})
	<-held.asked

	e.must("revoke", "FrogBot")
	select {
	case <-call.done:
	case <-time.After(5 * time.Second):
		t.Fatal("the call in flight has not ended 5 s after the pairing was revoked")
	}
	if call.err == nil && !call.r.isError {
		t.Errorf("the call in flight went through: %s", call.r.text)
	} else if call.err == nil {
		contains(t, call.r.text, "revoked")
	}
	// Whatever comes next is refused too, by an answer or by the process's end.
	if r, err := a.try("read_page", args{"mode": "text"}); err == nil {
		if !r.isError {
			t.Errorf("a revoked agent read a page: %s", r.text)
		}
		contains(t, r.text, "revoked")
	}
	contains(t, other.ok("read_page", args{"mode": "text"}), "Counter")
	r := e.raw(token)
	r.Send(handshake["initialize"])
	if m := r.Receive(5 * time.Second); m.Error == nil {
		t.Errorf("a new process got in with the revoked token: %s", m.Result)
	}
}

// Started by hand in a terminal, without a token, it says what it is and where
// to begin.
func TestByHandInATerminal(t *testing.T) {
	e := newEnv(t)
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = master.Close() }()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile("/dev/pts/"+string(mustJSON(n)), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary)
	c.Env = e.environ()
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	shown := &mcptest.Buffer{}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			_, _ = shown.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = c.Process.Kill()
		t.Fatalf("it waits; shown: %s", shown)
	}
	eventually(t, 5*time.Second, "words for a person", func() bool {
		return strings.Contains(shown.String(), "sidekick-mcp pair")
	})
	if s := shown.String(); strings.Contains(s, `"jsonrpc"`) {
		t.Errorf("it speaks MCP to a person: %s", s)
	}
}

// The tokens are in no file, log or command line of ours.
func TestTokenIsNowhere(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	a := e.agent("researcher", token)
	a.open(e.site.page("start.html"))
	for _, p := range processes(e.base) {
		if strings.Contains(strings.Join(p.args, " "), token) {
			t.Errorf("the token is on the command line of %v", p)
		}
	}
	out, err := exec.Command("grep", "-rlF", token, e.home).Output()
	if err == nil {
		t.Errorf("the token is in: %s", out)
	}
	var list json.RawMessage
	if err := json.Unmarshal([]byte(e.must("pairings", "--json")), &list); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(list)+a.stderr.String(), token) {
		t.Error("the token is in the list of pairings or in the agent's log")
	}
}
