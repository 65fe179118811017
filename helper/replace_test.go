package helper

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// ancient is a helper of a version that speaks no protocol that this one does.
// It makes way when it is asked to.
func ancient(t *testing.T, opt Options, version string) (handedOver <-chan struct{}) {
	t.Helper()
	l, release, err := ipc.Listen(t.Context(), opt.Dirs)
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{})
	ended := make(chan struct{})
	serve := func(nc net.Conn) (leave bool) {
		conn := ipc.NewConn(nc)
		defer conn.Close()
		for {
			m, err := conn.Read()
			if err != nil {
				return false
			}
			var hello wire.Hello
			switch {
			case m.Method == wire.MethodHandOver:
				conn.Write(m.Reply(struct{}{}))
				return true
			case json.Unmarshal(m.Params, &hello) == nil && hello.Role == wire.RoleControl:
				conn.Write(m.Reply(wire.ControlWelcome{Version: version, PID: os.Getpid()}))
			default:
				conn.Write(m.Fail(wire.Errorf(wire.CodeVersion, "no common protocol")))
			}
		}
	}
	go func() {
		defer close(ended)
		defer release()
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			if serve(nc) {
				close(left)
				return
			}
		}
	}()
	t.Cleanup(func() {
		release()
		<-ended
	})
	return left
}

// An agent that a helper does not understand replaces it if that one is older,
// and else says what is wrong.
func TestReplacesAHelperOfAnotherProtocol(t *testing.T) {
	opt, launcher := newOptions(t)
	_, token, err := opt.Pairings.Add(t.Context(), "FrogBot", pairing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	left := ancient(t, opt, "0.9.0")
	d := Dialer{Dirs: opt.Dirs, Token: token.Reveal(), Client: "researcher", Version: "0.8.0", Start: func(context.Context) error { return nil }}
	if conn, _, err := d.Dial(t.Context()); err == nil || err.Error() != "no common protocol" {
		t.Fatalf("an older agent: got %v, %v", conn, err)
	}
	d.Version = "1.2.3"
	d.Start = func(context.Context) error {
		startWith(t, opt, launcher)
		return nil
	}
	conn, info, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	<-left
	if info.Slug != "researcher" {
		t.Errorf("the agent is %+v", info)
	}
}
