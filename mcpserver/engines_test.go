package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// names is an Options.Connect that gives every name a browser of its own.
type names struct{ made chan string }

func (n *names) connect(_ context.Context, id Identity, name string) (browser.API, error) {
	n.made <- id.ID + "/" + name
	return &fakeBrowser{give: browser.Outcome{Did: "as " + name}}, nil
}

func modernCall(id, name, tool, args string) string {
	client := ""
	if name != "" {
		client = fmt.Sprintf(`,"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"1"}`, name)
	}
	return mcptest.Request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}}`, tool, args, client))
}

func TestEachClientNameHasABrowserOfItsOwn(t *testing.T) {
	n := &names{made: make(chan string, 10)}
	s := start(t, nil, func(o *Options) { o.Connect = n.connect })
	expect := func(line, want string) {
		t.Helper()
		s.Send(line)
		if text, _ := s.text(s.Receive(hang)); text != want {
			t.Errorf("%.120s: %q, want %q", line, text, want)
		}
	}
	click := `{"ref":"e1"}`
	expect(callLine("1", "click", click), "as agent") // before any greeting
	s.greet("researcher")
	expect(callLine("2", "click", click), "as researcher")
	expect(modernCall("3", "writer", "click", click), "as writer")
	expect(modernCall("4", "", "click", click), "as agent")
	expect(callLine("5", "click", click), "as researcher")
	expect(modernCall("6", "two\nlines", "click", click), "as two lines")
	close(n.made)
	var got []string
	for m := range n.made {
		got = append(got, m)
	}
	if fmt.Sprint(got) != "[p1/agent p1/researcher p1/writer p1/two lines]" {
		t.Errorf("connected: %v", got)
	}
	s.end()
}

func TestTooManyNames(t *testing.T) {
	n := &names{made: make(chan string, 100)}
	s := start(t, nil, func(o *Options) { o.Connect = n.connect })
	for i := range maxEngines + 1 {
		s.Send(modernCall("1", fmt.Sprint("n", i), "click", `{"ref":"e1"}`))
		if _, isError := s.text(s.Receive(hang)); isError != (i == maxEngines) {
			t.Errorf("name %d: isError %v", i, isError)
		}
	}
	s.Send(modernCall("1", "n3", "click", `{"ref":"e1"}`))
	if text, _ := s.text(s.Receive(hang)); text != "as n3" {
		t.Errorf("a name that is known: %q", text)
	}
	s.end()
}

func TestFailedConnectIsTriedAgain(t *testing.T) {
	var tries atomic.Int32
	s := start(t, nil, func(o *Options) {
		o.Connect = func(context.Context, Identity, string) (browser.API, error) {
			if tries.Add(1) < 3 {
				return nil, fmt.Errorf("no browser, try %d", tries.Load())
			}
			return &fakeBrowser{}, nil
		}
	})
	for i, want := range []string{"no browser, try 1", "no browser, try 2", "did Click", "did Click"} {
		text, isError := s.call(fmt.Sprint(i), "click", `{"ref":"e1"}`)
		if text != want || isError != (i < 2) {
			t.Errorf("call %d: %q, isError %v", i, text, isError)
		}
	}
	if tries.Load() != 3 {
		t.Errorf("%d tries", tries.Load())
	}
	s.end()
}

func TestCallsAtOnceConnectOnce(t *testing.T) {
	var tries atomic.Int32
	release := make(chan struct{})
	s := start(t, nil, func(o *Options) {
		o.Connect = func(context.Context, Identity, string) (browser.API, error) {
			tries.Add(1)
			<-release
			return &fakeBrowser{}, nil
		}
	})
	for i := range 10 {
		s.Send(callLine(fmt.Sprint(i), "click", `{"ref":"e1"}`))
	}
	close(release)
	for range 10 {
		if text, _ := s.text(s.Receive(hang)); text != "did Click" {
			t.Errorf("got %q", text)
		}
	}
	if tries.Load() != 1 {
		t.Errorf("connected %d times", tries.Load())
	}
	s.end()
}

func TestLostEngineIsReplaced(t *testing.T) {
	first, second := &fakeBrowser{done: make(chan struct{})}, &fakeBrowser{}
	all := make(chan *fakeBrowser, 2)
	all <- first
	all <- second
	s := start(t, nil, func(o *Options) {
		o.Connect = func(context.Context, Identity, string) (browser.API, error) { return <-all, nil }
	})
	s.call("1", "click", `{"ref":"e1"}`)
	s.call("2", "click", `{"ref":"e1"}`)
	close(first.done)
	s.call("3", "click", `{"ref":"e1"}`)
	if a, b := len(first.seen()), len(second.seen()); a != 2 || b != 1 {
		t.Errorf("%d calls to the first, %d to the second", a, b)
	}
	s.end()
	if first.closed != 1 || second.closed != 1 {
		t.Errorf("closed %d and %d times", first.closed, second.closed)
	}
}

func TestConnectIsCancelledWithItsLastCaller(t *testing.T) {
	synctest.Test(t, connectIsCancelledWithItsLastCaller)
}

func connectIsCancelledWithItsLastCaller(t *testing.T) {
	started, ended := make(chan struct{}, 2), make(chan error, 2)
	var tries, alive atomic.Int32
	s := start(t, nil, func(o *Options) {
		o.Connect = func(ctx context.Context, _ Identity, _ string) (browser.API, error) {
			if alive.Add(1) != 1 {
				t.Error("two connects of one name at once")
			}
			defer alive.Add(-1)
			if tries.Add(1) > 1 {
				return &fakeBrowser{}, nil
			}
			started <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}
	})
	s.Send(callLine("1", "click", `{"ref":"e1"}`), callLine("2", "click", `{"ref":"e1"}`))
	receive(t, started, "connect")
	synctest.Wait() // both calls wait for it
	s.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	s.ask("3", "ping", "{}")
	synctest.Wait()
	select {
	case <-ended:
		t.Error("the connect was cancelled while a call waited for it")
	default:
	}
	s.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if err := receive(t, ended, "end of the connect"); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if text, _ := s.call("4", "click", `{"ref":"e1"}`); text != "did Click" {
		t.Errorf("the next call: %q", text)
	}
	s.end()
}

func TestWrongArgumentsDoNotConnect(t *testing.T) {
	s := start(t, nil, func(o *Options) {
		o.Connect = func(context.Context, Identity, string) (browser.API, error) {
			t.Error("connected")
			return nil, errors.New("no")
		}
	})
	if _, isError := s.call("1", "click", `{}`); !isError {
		t.Error("no error")
	}
	s.Send(callLine("2", "nope", `{}`))
	if r := s.Receive(hang); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("unknown tool: %+v", r)
	}
	s.ask("3", "tools/list", "{}")
	s.end()
}
