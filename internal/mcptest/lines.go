// Package mcptest is the client's end of an MCP server's stdio in tests: single
// lines, for what no client of good manners would send, and for what one must
// never see.
package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// Lines are a server's stdin and stdout.
type Lines struct {
	Stdin  io.WriteCloser
	Stdout <-chan string // its lines; closed where it ends
	Stderr *Buffer

	t testing.TB
}

// New takes a server's ends of the pipes. It reads stdout until that ends.
func New(t testing.TB, stdin io.WriteCloser, stdout io.Reader, stderr *Buffer) *Lines {
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		r := bufio.NewReader(stdout)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return // what is no whole line is nothing
			}
			lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return &Lines{stdin, lines, stderr, t}
}

// Send sends lines.
func (l *Lines) Send(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(l.Stdin, line+"\n"); err != nil {
			l.t.Fatalf("sending %.80s: %v", line, err)
		}
	}
}

// Reply is a line that a server sent.
type Reply struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Params json.RawMessage
	Error  *struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
}

// Receive returns the next line, which must be JSON-RPC and come in time.
func (l *Lines) Receive(within time.Duration) Reply {
	l.t.Helper()
	select {
	case line, ok := <-l.Stdout:
		if !ok {
			l.t.Fatalf("stdout ended without an answer; stderr: %s", l.Stderr)
		}
		return l.Parse(line)
	case <-time.After(within):
		l.t.Fatalf("no answer in %v; stderr: %s", within, l.Stderr)
	}
	panic("unreachable")
}

// Parse reads a line, which must be JSON-RPC.
func (l *Lines) Parse(line string) Reply {
	l.t.Helper()
	var r struct {
		Version string `json:"jsonrpc"`
		Reply
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.Version != "2.0" {
		l.t.Fatalf("stdout has a line that is not JSON-RPC: %.200s, %v", line, err)
	}
	return r.Reply
}

// Request is the line of a request. Its id and parameters are JSON.
func Request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// Initialize is the first request of a client of that name.
func Initialize(id, name string) string {
	return Request(id, "initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}`, name))
}

// Initialized is what a client sends when its first request is answered.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// Buffer is what a process writes, and may be looked at meanwhile.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to it.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String is all of it so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
