package nativehost

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv("SIDEKICK_TEST_PARENT") != "" {
		// Stands for the native host that a browser has started.
		exe, line := parent()
		os.Stdout.WriteString(exe + "\n" + strings.Join(line, "\n"))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// rig is a native host between a Chrome and a helper that a test plays.
type rig struct {
	t      *testing.T
	chrome *ipc.Conn           // Chrome's side of the port
	dials  chan chan *ipc.Conn // each attempt to reach the helper
	result chan error          // of Run
	cancel context.CancelFunc
}

// stdio is a port as Chrome has it: what is written to one end is read at the
// other.
type stdio struct {
	io.Reader
	io.WriteCloser
	net.Conn // deadlines and the like, which are not used
}

func (s stdio) Read(b []byte) (int, error)  { return s.Reader.Read(b) }
func (s stdio) Write(b []byte) (int, error) { return s.WriteCloser.Write(b) }
func (s stdio) Close() error                { return s.WriteCloser.Close() }

func newRig(t *testing.T) *rig {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{
		t: t, chrome: ipc.NewConn(stdio{Reader: outR, WriteCloser: inW}),
		dials: make(chan chan *ipc.Conn), result: make(chan error, 1), cancel: cancel,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.result <- Run(ctx, Options{
			Stdin: inR, Stdout: outW, Hello: wire.Hello{Version: "1.2.3", Exe: "/opt/browser"},
			Dial: func(ctx context.Context) (*ipc.Conn, error) {
				answer := make(chan *ipc.Conn)
				select {
				case r.dials <- answer:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				if conn := <-answer; conn != nil {
					return conn, nil
				}
				return nil, errors.New("no helper")
			},
		})
		outW.Close()
	}()
	t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close()
		<-done
	})
	return r
}

// accept answers the next attempt to reach the helper and the hello.
func (r *rig) accept() *ipc.Conn {
	r.t.Helper()
	here, there := net.Pipe()
	(<-r.dials) <- ipc.NewConn(there)
	helper := ipc.NewConn(here)
	r.t.Cleanup(func() { helper.Close() })
	m := read(r.t, helper)
	if m.Method != wire.MethodHello || !bytes.Contains(m.Params, []byte(`"role":"browser"`)) || !bytes.Contains(m.Params, []byte(`"exe":"/opt/browser"`)) {
		r.t.Fatalf("the host's hello is %+v %s", m, m.Params)
	}
	write(r.t, helper, m.Reply(struct{}{}))
	if m := read(r.t, r.chrome); m.Method != wire.MethodHostConnected {
		r.t.Fatalf("Chrome got %+v, want %s", m, wire.MethodHostConnected)
	}
	return helper
}

func read(t *testing.T, c *ipc.Conn) *wire.Message {
	t.Helper()
	m, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t *testing.T, c *ipc.Conn, m *wire.Message) {
	t.Helper()
	if err := c.Write(m); err != nil {
		t.Fatal(err)
	}
}

func TestCopies(t *testing.T) {
	r := newRig(t)
	helper := r.accept()
	write(t, helper, &wire.Message{ID: 4, Agent: "p/x", Method: "Page.navigate", Params: []byte(`{"url":"<ü>"}`)})
	if m := read(t, r.chrome); m.ID != 4 || m.Agent != "p/x" || string(m.Params) != `{"url":"<ü>"}` {
		t.Errorf("Chrome got %+v %s", m, m.Params)
	}
	write(t, r.chrome, &wire.Message{ID: 4, Result: []byte(`{"a":1}`)})
	if m := read(t, helper); m.ID != 4 || string(m.Result) != `{"a":1}` {
		t.Errorf("the helper got %+v", m)
	}
	r.chrome.Close()
	if err := <-r.result; err != nil {
		t.Errorf("Chrome closed the port, and the host ended with %v", err)
	}
	if _, err := helper.Read(); err != io.EOF {
		t.Errorf("the helper's connection: %v, want its end", err)
	}
}

func TestLongMessageGoesInParts(t *testing.T) {
	r := newRig(t)
	helper := r.accept()
	params := append(append([]byte(`"`), bytes.Repeat([]byte("é"), 3<<20)...), '"')
	go func() {
		helper.Write(&wire.Message{ID: 4, Method: "DOM.setValue", Params: params})
		helper.Write(&wire.Message{ID: 5, Method: "Page.reload"})
	}()
	var whole []byte
	for i := 0; ; i++ {
		b, err := r.chrome.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > wire.MaxToBrowser {
			t.Fatalf("a frame of %d bytes kills Chrome's port", len(b))
		}
		m, err := ipc.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if m.Part == nil {
			if m.ID != 5 {
				t.Errorf("after the parts came %+v", m)
			}
			break
		}
		piece, err := base64.StdEncoding.DecodeString(m.Part.Data)
		if err != nil || m.Part.Index != i {
			t.Fatalf("part %d is %d, %v", i, m.Part.Index, err)
		}
		whole = append(whole, piece...)
	}
	m, err := ipc.Decode(whole)
	if err != nil || m.ID != 4 || !bytes.Equal(m.Params, params) {
		t.Errorf("the parts are no whole: %v", err)
	}
}

// A frame that cannot be passed on fails its own request, and the port goes on.
func TestBadFrames(t *testing.T) {
	r := newRig(t)
	helper := r.accept()

	// From the helper: Chrome would end the port.
	if err := helper.WriteFrame([]byte(`{"id":4,"agent":"p/x","sessionId":"t1","method":"Page.navigate","params":{]}`)); err != nil {
		t.Fatal(err)
	}
	if m := read(t, helper); m.ID != 4 || m.Agent != "p/x" || m.SessionID != "t1" || m.Error == nil || m.Error.Code != wire.CodeBadRequest {
		t.Errorf("the helper's broken request got %+v", m)
	}
	if err := helper.WriteFrame([]byte(`nonsense`)); err != nil {
		t.Fatal(err)
	}
	// From Chrome, over the limit: an answer fails the call that waits for it, a
	// request is answered.
	large := bytes.Repeat([]byte("x"), wire.MaxFrame)
	go func() {
		wire.WriteFrame(stdioOf(r.chrome), append([]byte(`{"id":5,"agent":"p/x","result":"`), large...), 1<<31)
		wire.WriteFrame(stdioOf(r.chrome), append([]byte(`{"id":6,"method":"pairings.add","params":"`), large...), 1<<31)
		wire.WriteFrame(stdioOf(r.chrome), append([]byte(`{"method":"x","params":"`), large...), 1<<31)
		r.chrome.Write(&wire.Message{ID: 7, Result: []byte("1")})
	}()
	if m := read(t, helper); m.ID != 5 || m.Agent != "p/x" || m.Error == nil || m.Error.Code != wire.CodeTooLarge {
		t.Errorf("the helper got %+v", m)
	}
	if m := read(t, r.chrome); m.ID != 6 || m.Error == nil || m.Error.Code != wire.CodeTooLarge {
		t.Errorf("Chrome got %+v", m)
	}
	if m := read(t, helper); m.ID != 7 {
		t.Errorf("then the helper got %+v", m)
	}
}

// stdioOf writes to c without its limit.
func stdioOf(c *ipc.Conn) io.Writer { return rawWriter{c} }

type rawWriter struct{ *ipc.Conn }

func (w rawWriter) Write(b []byte) (int, error) { return w.Conn.NetConn().Write(b) }

func TestComesBackToARestartedHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		// No helper: it tries again, ever more slowly.
		var pauses []time.Duration
		last := time.Now()
		for range 8 {
			answer := <-r.dials
			pauses = append(pauses, time.Since(last))
			last = time.Now()
			answer <- nil
		}
		for i, want := range []time.Duration{0, 50, 100, 200, 400, 800, 1600, 2000} {
			if pauses[i] != want*time.Millisecond {
				t.Errorf("attempt %d came after %v, want %v", i, pauses[i], want*time.Millisecond)
			}
		}
		// A request of the extension is answered meanwhile.
		write(t, r.chrome, &wire.Message{ID: 9, Method: wire.MethodPairingsList})
		if m := read(t, r.chrome); m.ID != 9 || m.Error == nil || m.Error.Code != wire.CodeHopLost {
			t.Errorf("a request without a helper got %+v", m)
		}
		write(t, r.chrome, &wire.Message{Method: wire.MethodPing})

		helper := r.accept()
		helper.Close()
		gone := time.Now()
		if m := read(t, r.chrome); m.Method != wire.MethodHostDisconnected || !strings.Contains(string(m.Params), "reason") {
			t.Errorf("Chrome got %+v, want %s", m, wire.MethodHostDisconnected)
		}
		helper = r.accept()
		if took := time.Since(gone); took != firstPause {
			t.Errorf("it came back after %v, want %v", took, firstPause)
		}
		write(t, r.chrome, &wire.Message{Method: wire.MethodPing})
		if m := read(t, helper); m.Method != wire.MethodPing {
			t.Errorf("the new helper got %+v", m)
		}
	})
}

func TestStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		helper := r.accept()
		write(t, helper, &wire.Message{Method: wire.MethodStopping})
		if m := read(t, r.chrome); m.Method != wire.MethodStopping {
			t.Errorf("Chrome got %+v", m)
		}
		helper.Close()
		gone := time.Now()
		select {
		case <-r.dials:
			t.Error("it started a helper that was stopped on purpose")
		case err := <-r.result:
			if err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(gone); took != stoppingBound {
			t.Errorf("it ended after %v, want %v", took, stoppingBound)
		}
	})
}

// A params text that names helper.stopping is not the helper stopping.
func TestStoppingIsTheMethodOnly(t *testing.T) {
	r := newRig(t)
	helper := r.accept()
	write(t, helper, &wire.Message{ID: 1, Method: "Runtime.evaluate", Params: []byte(`{"method":"helper.stopping"}`)})
	read(t, r.chrome)
	go helper.Close()
	if m := read(t, r.chrome); m.Method != wire.MethodHostDisconnected {
		t.Errorf("Chrome got %+v", m)
	}
	r.accept()
}

func TestRefusedHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		here, there := net.Pipe()
		(<-r.dials) <- ipc.NewConn(there)
		helper := ipc.NewConn(here)
		write(t, helper, read(t, helper).Fail(wire.Errorf(wire.CodeVersion, "update me")))
		begun := time.Now()
		r.accept()
		if took := time.Since(begun); took != firstPause {
			t.Errorf("after a refusal it came back after %v", took)
		}
	})
}

func TestEndsByContext(t *testing.T) {
	r := newRig(t)
	r.accept()
	r.cancel()
	if err := <-r.result; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestBrowser(t *testing.T) {
	wrapper, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHROME_WRAPPER", wrapper)
	t.Setenv(managedProfileEnv, "/state/browser")
	hello := Browser([]string{"chrome-extension://x/"})
	if hello.Exe != wrapper || hello.UserDataDir != "/state/browser" || len(hello.Args) != 1 {
		t.Errorf("got %+v", hello)
	}
	t.Setenv("CHROME_WRAPPER", "/no/such/wrapper")
	if hello := Browser(nil); hello.Exe == "/no/such/wrapper" {
		t.Error("a wrapper that is not there was taken for the browser")
	}
}

func TestParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "SIDEKICK_TEST_PARENT=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exe, line, _ := strings.Cut(string(out), "\n")
	if want := strings.Join(os.Args, "\n"); exe != self || line != want {
		t.Errorf("the parent is %q with %q, want %q with %q", exe, line, self, want)
	}
}
