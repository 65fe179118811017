package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// helperEnv makes the test binary a helper for the folder that it names.
const helperEnv = "SIDEKICK_TEST_HELPER"

func TestMain(m *testing.M) {
	if home := os.Getenv(helperEnv); home != "" {
		dirs := dirsIn(home)
		err := Run(context.Background(), Options{
			Dirs: dirs, Version: "1.2.3", Pairings: pairing.Open(dirs.Pairings()), Launcher: new(fakeLauncher),
			Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// hang bounds every wait of a test that should not take any time.
const hang = 20 * time.Second

func dirsIn(home string) paths.Dirs {
	return paths.Dirs{State: home, Run: filepath.Join(home, "run")}
}

// tempDirs are folders whose socket's path is short enough for every system.
func tempDirs(t *testing.T) paths.Dirs {
	t.Helper()
	home, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return dirsIn(home)
}

// fakeLauncher counts wakes. onWake, if set, is what a wake does.
type fakeLauncher struct {
	mu      sync.Mutex
	wakes   []launch.Target
	stopped int
	running bool
	onWake  func(ctx context.Context, t launch.Target, connected <-chan struct{}) ([]string, error)
}

func (f *fakeLauncher) Wake(ctx context.Context, t launch.Target, connected <-chan struct{}) ([]string, error) {
	f.mu.Lock()
	f.wakes = append(f.wakes, t)
	on := f.onWake
	f.mu.Unlock()
	if on == nil {
		return nil, errors.New("no browser on this machine has the extension")
	}
	return on(ctx, t, connected)
}

func (f *fakeLauncher) Running(context.Context, launch.Target) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running
}

func (f *fakeLauncher) StopManaged(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped++
	return nil
}

func (f *fakeLauncher) woken() []launch.Target {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]launch.Target(nil), f.wakes...)
}

// testHelper is a helper that serves in this process.
type testHelper struct {
	t        *testing.T
	opt      Options
	launcher *fakeLauncher
	dial     func() (net.Conn, error)
	end      func()
	ended    chan struct{}
	err      error // of the helper, after ended
}

func newOptions(t *testing.T) (Options, *fakeLauncher) {
	dirs := tempDirs(t)
	launcher := new(fakeLauncher)
	return Options{
		Dirs: dirs, Version: "1.2.3", Pairings: pairing.Open(dirs.Pairings()), Launcher: launcher,
		Log: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, launcher
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(string(b))
	return len(b), nil
}

// start runs a helper on its real socket until the test ends.
func start(t *testing.T) *testHelper {
	t.Helper()
	opt, launcher := newOptions(t)
	return startWith(t, opt, launcher)
}

func startWith(t *testing.T, opt Options, launcher *fakeLauncher) *testHelper {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h := &testHelper{t: t, opt: opt, launcher: launcher, ended: make(chan struct{})}
	go func() {
		defer close(h.ended)
		h.err = Run(ctx, opt)
	}()
	h.dial = func() (net.Conn, error) { return net.Dial("unix", opt.Dirs.Socket()) }
	h.end = func() {
		cancel()
		<-h.ended
	}
	t.Cleanup(h.end)
	waitFor(t, "the helper to listen", func() bool {
		conn, err := ipc.Dial(ctx, opt.Dirs)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
	return h
}

// waitFor waits for something that gives no notice.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hang); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// pipeListener hands out the ends of in-memory pipes, which a synctest bubble
// knows how to wait for.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case nc := <-l.conns:
		return nc, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

func (l *pipeListener) dial() (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// startFake runs a helper on in-memory connections, for tests in a synctest
// bubble.
func startFake(t *testing.T, change func(*Options)) *testHelper {
	t.Helper()
	opt, launcher := newOptions(t)
	if change != nil {
		change(&opt)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	h := &testHelper{t: t, opt: opt, launcher: launcher, ended: make(chan struct{}), dial: l.dial}
	go func() {
		defer close(h.ended)
		h.err = serve(ctx, opt, l)
	}()
	h.end = func() {
		cancel()
		<-h.ended
	}
	return h
}

// pair makes a pairing.
func (h *testHelper) pair(name string, opts pairing.Options) (pairing.Pairing, string) {
	h.t.Helper()
	p, token, err := h.opt.Pairings.Add(context.Background(), name, opts)
	if err != nil {
		h.t.Fatal(err)
	}
	return p, token.Reveal()
}

// client is one connection to the helper, whatever its role.
type client struct {
	t    *testing.T
	conn *ipc.Conn
	in   chan *wire.Message // closed at the connection's end
	next int64
}

func (h *testHelper) connect() *client {
	h.t.Helper()
	nc, err := h.dial()
	if err != nil {
		h.t.Fatal(err)
	}
	c := &client{t: h.t, conn: ipc.NewConn(nc), in: make(chan *wire.Message, 100_000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(c.in)
		for {
			m, err := c.conn.Read()
			if err != nil {
				return
			}
			c.in <- m
		}
	}()
	h.t.Cleanup(func() {
		c.conn.Close()
		<-done
	})
	return c
}

func (c *client) write(m *wire.Message) {
	c.t.Helper()
	if err := c.conn.Write(m); err != nil {
		c.t.Fatalf("writing %s: %v", m.Method, err)
	}
}

// send sends a request and returns its id.
func (c *client) send(method string, params any) int64 {
	c.t.Helper()
	c.next++
	c.write(&wire.Message{ID: c.next, Method: method, Params: raw(params)})
	return c.next
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// read returns the next message.
func (c *client) read() *wire.Message {
	c.t.Helper()
	select {
	case m, ok := <-c.in:
		if !ok {
			c.t.Fatal("the connection ended")
		}
		return m
	case <-time.After(time.Hour): // a synctest bubble's clock may run for long
		c.t.Fatal("no message came")
	}
	return nil
}

// answer returns the answer to the request id, and drops events before it.
func (c *client) answer(id int64) *wire.Message {
	c.t.Helper()
	for {
		m := c.read()
		if m.Method == "" && m.ID == id {
			return m
		}
		if m.Method == "" {
			c.t.Fatalf("got an answer to %d, want one to %d", m.ID, id)
		}
	}
}

// ask sends a request and decodes its result.
func (c *client) ask(method string, params, result any) {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %v", method, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
	}
}

// askErr sends a request that must fail.
func (c *client) askErr(method string, params any) *wire.Error {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m.Error == nil {
		c.t.Fatalf("%s got the result %s, want an error", method, m.Result)
	}
	return m.Error
}

// event waits for an event and decodes its params.
func (c *client) event(method string, params any) {
	c.t.Helper()
	m := c.read()
	if m.Method != method || m.ID != 0 {
		c.t.Fatalf("got %+v (params %s), want the event %s", m, m.Params, method)
	}
	if params != nil {
		if err := json.Unmarshal(m.Params, params); err != nil {
			c.t.Fatal(err)
		}
	}
}

// ends waits for the end of the connection and returns what came before it.
func (c *client) ends() []*wire.Message {
	c.t.Helper()
	var rest []*wire.Message
	for {
		select {
		case m, ok := <-c.in:
			if !ok {
				return rest
			}
			rest = append(rest, m)
		case <-time.After(time.Hour):
			c.t.Fatal("the connection does not end")
		}
	}
}

// testAgent is a connected agent.
type testAgent struct {
	*client
	info wire.Agent
}

func agentHello(token, name string) wire.Hello {
	return wire.Hello{Role: wire.RoleAgent, Protocol: wire.ProtocolVersion, Version: "1.2.3", PID: os.Getpid(), Token: token, Client: name}
}

func (h *testHelper) agent(token, name string) *testAgent {
	h.t.Helper()
	c := h.connect()
	var welcome wire.AgentWelcome
	c.ask(wire.MethodHello, agentHello(token, name), &welcome)
	return &testAgent{c, welcome.Agent}
}

// testBrowser is a connected browser profile.
type testBrowser struct {
	*client
	welcome wire.BrowserWelcome
}

func browserHello(userDataDir string) wire.Hello {
	return wire.Hello{
		Role: wire.RoleBrowser, Protocol: wire.ProtocolVersion, Version: "1.2.3", PID: os.Getpid(),
		Exe: "/opt/browser", UserDataDir: userDataDir,
	}
}

func (h *testHelper) browser(profile string) *testBrowser {
	h.t.Helper()
	return h.browserIn(profile, "/home/me/.config/browser")
}

func (h *testHelper) browserIn(profile, userDataDir string) *testBrowser {
	h.t.Helper()
	b := &testBrowser{client: h.connect()}
	b.ask(wire.MethodHello, browserHello(userDataDir), nil)
	b.ask(wire.MethodBrowserHello, wire.BrowserHello{
		Protocol: wire.ProtocolVersion, Version: "0.1.0", Profile: profile, Browser: "Chrome/156.0",
	}, &b.welcome)
	return b
}

// request returns the next request of an agent, and drops agent.opened and
// pairings.changed before it.
func (b *testBrowser) request() *wire.Message {
	b.t.Helper()
	for {
		m := b.read()
		if m.ID != 0 && m.Method != "" {
			return m
		}
		if m.Method != wire.MethodAgentOpened && m.Method != wire.MethodPairingsChanged && m.Method != wire.MethodAgentClosed {
			b.t.Fatalf("got %+v, want a request", m)
		}
	}
}

// echo answers every request with what came, until the connection ends.
func (b *testBrowser) echo() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range b.in {
			if m.ID != 0 && m.Method != "" {
				if b.conn.Write(m.Reply(echoed{m.Agent, m.Method, m.SessionID, m.Params})) != nil {
					return
				}
			}
		}
	}()
	b.t.Cleanup(func() {
		b.conn.Close()
		<-done
	})
}

// echoed is what a browser that echoes answers.
type echoed struct {
	Agent   string
	Method  string
	Session string
	Params  json.RawMessage
}

var _ io.Writer = testWriter{}
