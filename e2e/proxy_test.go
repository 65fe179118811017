//go:build linux

package e2e

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// tap sits between agents and the helper and looks at the frames: how many
// round trips a tool call takes, and when a request is under way. The agents
// behind it are real ones, in a state folder whose socket is the tap's.
type tap struct {
	t    *testing.T
	home string

	listener net.Listener
	upstream string
	wg       sync.WaitGroup

	mu      sync.Mutex
	conns   []net.Conn
	open    map[int64]string // the methods of the requests that are not answered
	methods []string         // of all requests, in their order
	waits   int              // how often a request was sent while none was open
}

// tap starts a tap. One agent at a time is behind it.
func (e *env) tap() *tap {
	e.t.Helper()
	// The helper has to be there: nobody behind the tap can start it.
	if _, err := net.Dial("unix", e.dirs().Socket()); err != nil {
		e.t.Fatalf("a tap needs a running helper: %v", err)
	}
	home := filepath.Join(e.base, "p")
	d := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	if err := os.MkdirAll(d.Run, 0o700); err != nil {
		e.t.Fatal(err)
	}
	// The agent checks its token before it dials.
	for _, file := range []string{"pairings.json", "key"} {
		if err := os.Symlink(filepath.Join(e.home, file), filepath.Join(home, file)); err != nil {
			e.t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", d.Socket())
	if err != nil {
		e.t.Fatal(err)
	}
	if err := os.Chmod(d.Socket(), 0o600); err != nil {
		e.t.Fatal(err)
	}
	p := &tap{t: e.t, home: home, listener: l, upstream: e.dirs().Socket(), open: map[int64]string{}}
	p.wg.Add(1)
	go p.accept()
	e.t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *tap) accept() {
	defer p.wg.Done()
	for {
		down, err := p.listener.Accept()
		if err != nil {
			return
		}
		var up net.Conn
		// A helper that was killed is started again by a native host: nobody
		// behind the tap can do it.
		holds(10*time.Second, func() bool {
			up, err = net.Dial("unix", p.upstream)
			return err == nil
		})
		if err != nil {
			_ = down.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, down, up)
		p.mu.Unlock()
		p.wg.Add(2)
		go p.copy(down, up, p.request)
		go p.copy(up, down, p.response)
	}
}

func (p *tap) copy(from, to net.Conn, see func(*wire.Message)) {
	defer p.wg.Done()
	defer func() { _ = from.Close(); _ = to.Close() }()
	for {
		frame, err := wire.ReadFrame(from, wire.MaxFrame)
		if err != nil {
			return
		}
		var m wire.Message
		if json.Unmarshal(frame, &m) == nil {
			see(&m)
		}
		if wire.WriteFrame(to, frame, wire.MaxFrame) != nil {
			return
		}
	}
}

// notAwaited are the requests that no call waits for: the hello, what is cleaned
// up after a call, and that the tab is to draw meanwhile.
var notAwaited = map[string]bool{
	"helper.hello": true, "Runtime.releaseObjectGroup": true, "Page.startScreencast": true, "Page.stopScreencast": true,
}

func (p *tap) request(m *wire.Message) {
	if m.ID == 0 || notAwaited[m.Method] {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// Requests that are sent together cost one round trip. The one that is
	// sent when all the others are answered begins the next.
	if len(p.open) == 0 {
		p.waits++
	}
	p.open[m.ID] = m.Method
	p.methods = append(p.methods, m.Method)
}

func (p *tap) response(m *wire.Message) {
	if m.ID == 0 || m.Method != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, m.ID)
}

// reset forgets what was seen, once all of it is answered.
func (p *tap) reset() {
	p.t.Helper()
	eventually(p.t, 10*time.Second, "the answers to all requests", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.open) > 0 {
			return false
		}
		p.methods, p.waits = nil, 0
		return true
	})
}

// trips is how many round trips there were since reset, and the methods of all
// requests in their order.
func (p *tap) trips() (waits int, methods []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waits, slices.Clone(p.methods)
}

// underWay waits until the browser owes an answer to a request of a method.
func (p *tap) underWay(method string) {
	p.t.Helper()
	eventually(p.t, 10*time.Second, method+" under way", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, open := range p.open {
			if open == method {
				return true
			}
		}
		return false
	})
}

// agentBehind starts an agent whose frames go through the tap.
func (e *env) agentBehind(p *tap, name, token string) *agent {
	e.t.Helper()
	return e.agent(name, token, "SIDEKICK_HOME="+p.home)
}
