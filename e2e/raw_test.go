//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// rawAgent is sidekick-mcp with lines at its stdio, for what no MCP client of
// good manners would send.
type rawAgent struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	stderr *lockedBuffer
	exited chan error
}

// raw starts sidekick-mcp with a token; an empty one leaves SIDEKICK_TOKEN out.
func (e *env) raw(token string) *rawAgent {
	e.t.Helper()
	r := &rawAgent{t: e.t, cmd: exec.Command(binary), lines: make(chan string, 100), stderr: &lockedBuffer{}, exited: make(chan error, 1)}
	r.cmd.Env = e.environ()
	if token != "" {
		r.cmd.Env = append(r.cmd.Env, "SIDEKICK_TOKEN="+token)
	}
	r.cmd.Stderr = r.stderr
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		e.t.Fatal(err)
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	go func() {
		scan := bufio.NewScanner(stdout)
		scan.Buffer(nil, 64<<20)
		for scan.Scan() {
			r.lines <- scan.Text()
		}
		close(r.lines)
		r.exited <- r.cmd.Wait()
	}()
	e.t.Cleanup(func() {
		_ = r.stdin.Close()
		_ = r.cmd.Process.Kill()
		for range r.lines { // until the reader is done
		}
	})
	return r
}

func (r *rawAgent) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.stdin, line+"\n"); err != nil {
		r.t.Fatalf("writing to sidekick-mcp: %v", err)
	}
}

// response is a JSON-RPC response.
type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// receive waits for the next line, which must be JSON-RPC.
func (r *rawAgent) receive(within time.Duration) response {
	r.t.Helper()
	select {
	case line, ok := <-r.lines:
		if !ok {
			r.t.Fatalf("sidekick-mcp ended without an answer; stderr: %s", r.stderr)
		}
		var m struct {
			Version string `json:"jsonrpc"`
			response
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
			r.t.Fatalf("something else than MCP on stdout: %q", line)
		}
		return m.response
	case <-time.After(within):
		r.t.Fatalf("no answer in %v; stderr: %s", within, r.stderr)
	}
	panic("unreachable")
}

// exit waits for the end of the process and returns its exit code.
func (r *rawAgent) exit(within time.Duration) int {
	r.t.Helper()
	select {
	case <-r.exited:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		r.t.Fatalf("sidekick-mcp still runs %v later; stderr: %s", within, r.stderr)
	}
	panic("unreachable")
}

// handshake is the first request of either generation of MCP.
var handshake = map[string]string{
	"initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"researcher","version":"1"}}}`,
	"discover":   `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"researcher","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
}

func (r *rawAgent) initialize() {
	r.t.Helper()
	r.send(handshake["initialize"])
	if m := r.receive(10 * time.Second); m.Error != nil {
		r.t.Fatalf("initialize: %+v", m.Error)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func stderrLines(s string) []string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}
