package mcpserver

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

func TestStdinEndEndsTheSession(t *testing.T) {
	s := start(t, &fakeBrowser{})
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out := s.Stderr.String(); out != "" {
		t.Errorf("stderr: %s", out)
	}
}

// As when a few lines are piped in: the stream has ended before the first is
// answered.
func TestWhatCameBeforeTheEndIsAnswered(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(mcptest.Initialize("1", "x") + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + mcptest.Request("2", "tools/list", "{}")) // and no line end
	code := Run(context.Background(), Options{
		Stdin: in, Stdout: &out, Stderr: io.Discard, Version: "1",
		Authenticate: func(context.Context, string) (Identity, error) { return Identity{ID: "p", Name: "F"}, nil },
		Connect: func(context.Context, Identity, string) (browser.API, error) {
			t.Error("connected without a tool call")
			return nil, errors.New("no")
		},
	})
	if code != 0 || strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), `"id":2,"result"`) {
		t.Errorf("code %d, stdout %.300s", code, out.String())
	}
}

func TestEndsCancelCallsUnderWay(t *testing.T) {
	for name, end := range map[string]func(*session){
		"stdin":  func(s *session) { s.Stdin.Close() },
		"signal": func(s *session) { s.signal() },
	} {
		t.Run(name, func(t *testing.T) {
			started, ended := make(chan string, 1), make(chan error, 1)
			b := &fakeBrowser{on: blockUntilCancelled(started, ended)}
			s := start(t, b)
			s.Send(callLine("1", "wait_for", `{"ms":30000}`))
			receive(t, started, "call")
			end(s)
			if err := receive(t, ended, "end of the call"); !errors.Is(err, context.Canceled) {
				t.Errorf("the call's context ended with %v", err)
			}
			// Whether the client still hears of it is left open.
			code := receive(t, s.code, "end of Run")
			for l := range s.Stdout {
				if r := s.Parse(l); string(r.ID) != "1" {
					t.Errorf("stdout: %s", l)
				}
			}
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			if b.closed != 1 {
				t.Errorf("the browser was closed %d times", b.closed)
			}
		})
	}
}

func TestEndCancelsConnecting(t *testing.T) {
	started := make(chan struct{})
	s := start(t, nil, func(o *Options) {
		o.Connect = func(ctx context.Context, _ Identity, _ string) (browser.API, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	s.Send(callLine("1", "tabs", `{"action":"list"}`))
	receive(t, started, "connecting")
	s.signal()
	if code := receive(t, s.code, "end of Run"); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestCallThatIgnoresItsEndEndsWithTheProcess(t *testing.T) {
	for name, end := range map[string]func(*session){
		"stdin":  func(s *session) { s.Stdin.Close() },
		"signal": func(s *session) { s.signal() },
	} {
		t.Run(name, func(t *testing.T) {
			started, release, exit := make(chan string, 1), make(chan struct{}), make(chan int, 1)
			b := &fakeBrowser{on: func(_ context.Context, call string) error { started <- call; <-release; return nil }}
			s := start(t, b, func(o *Options) {
				o.Exit = func(code int) { exit <- code }
				o.ExitAfter = time.Millisecond
			})
			s.Send(callLine("1", "click", `{"ref":"e1"}`))
			receive(t, started, "call")
			end(s)
			if code := receive(t, exit, "hard exit"); code != 1 {
				t.Errorf("exit code %d", code)
			}
			close(release) // os.Exit would not have come back
			receive(t, s.code, "end of Run")
		})
	}
}

// The issue wants the process gone 2 s after either end; what is left of that
// belongs to the process's own start and end.
func TestHardExitIsInTime(t *testing.T) {
	var o Options
	o.setDefaults()
	if o.ExitAfter >= 2*time.Second {
		t.Errorf("ExitAfter is %v", o.ExitAfter)
	}
}

func TestHostThatReadsNoMoreEndsTheSession(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	outR.Close()
	code := make(chan int, 1)
	var stderr mcptest.Buffer
	go func() {
		code <- Run(context.Background(), Options{
			Stdin: inR, Stdout: outW, Stderr: &stderr, Version: "1",
			Authenticate: func(context.Context, string) (Identity, error) { return Identity{ID: "p", Name: "F"}, nil },
			Connect:      func(context.Context, Identity, string) (browser.API, error) { return &fakeBrowser{}, nil },
			Exit:         func(int) { t.Error("hard exit") },
			ExitAfter:    hang,
		})
	}()
	if _, err := io.WriteString(inW, mcptest.Request("1", "tools/list", "{}")+"\n"); err != nil {
		t.Fatal(err)
	}
	if c := receive(t, code, "end of Run"); c != 1 {
		t.Errorf("exit code %d, stderr %q", c, stderr.String())
	}
}

// A person or host that pressed nothing for hours must not be cut off.
func TestIdleSessionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &fakeBrowser{})
		s.greet("x")
		time.Sleep(24 * time.Hour) // of the bubble's own clock
		if r := s.ask("1", "ping", "{}"); r.Error != nil {
			t.Errorf("after a day: %+v", r.Error)
		}
		s.end()
	})
}
