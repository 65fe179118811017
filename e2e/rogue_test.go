//go:build linux

package e2e

import (
	"encoding/json"
	"net"
	"os"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// rogue is a program with a token of its own that speaks to the helper by
// itself, without the agent role's manners.
type rogue struct {
	t    *testing.T
	conn net.Conn
	next int64
}

// rogue connects as an agent of a name.
func (e *env) rogue(name, token string) *rogue {
	e.t.Helper()
	conn, err := net.Dial("unix", e.dirs().Socket())
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = conn.Close() })
	r := &rogue{t: e.t, conn: conn}
	m := r.ask(wire.Message{Method: "helper.hello", Params: mustJSON(map[string]any{
		"role": "agent", "protocol": wire.ProtocolVersion, "version": "e2e", "pid": os.Getpid(), "token": token, "client": name,
	})})
	if m.Error != nil {
		e.t.Fatalf("hello: %v", m.Error)
	}
	return r
}

// ask sends a request and waits for its response.
func (r *rogue) ask(m wire.Message) wire.Message {
	r.t.Helper()
	r.next++
	m.ID = r.next
	if err := r.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		r.t.Fatal(err)
	}
	if err := wire.WriteFrame(r.conn, mustJSON(m), wire.MaxFrame); err != nil {
		r.t.Fatalf("%s: %v", m.Method, err)
	}
	for {
		frame, err := wire.ReadFrame(r.conn, wire.MaxFrame)
		if err != nil {
			r.t.Fatalf("%s: %v", m.Method, err)
		}
		var got wire.Message
		if err := json.Unmarshal(frame, &got); err != nil {
			r.t.Fatal(err)
		}
		if got.ID == m.ID && got.Method == "" {
			return got
		}
	}
}
