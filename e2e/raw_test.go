//go:build linux

package e2e

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// rawAgent is sidekick-mcp with lines at its stdio, for what no MCP client of
// good manners would send.
type rawAgent struct {
	*mcptest.Lines
	t    *testing.T
	cmd  *exec.Cmd
	wait func() // for the end of its stdout and of itself
}

// raw starts sidekick-mcp with a token; an empty one leaves SIDEKICK_TOKEN out.
func (e *env) raw(token string) *rawAgent {
	e.t.Helper()
	stderr := &mcptest.Buffer{}
	r := &rawAgent{t: e.t, cmd: exec.Command(binary)}
	r.cmd.Env = e.environ()
	if token != "" {
		r.cmd.Env = append(r.cmd.Env, "SIDEKICK_TOKEN="+token)
	}
	r.cmd.Stderr = stderr
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	r.Lines = mcptest.New(e.t, stdin, stdout, stderr)
	r.wait = sync.OnceFunc(func() {
		for range r.Stdout { // before the process is waited for, which closes the pipe
		}
		_ = r.cmd.Wait()
	})
	e.t.Cleanup(func() {
		_ = stdin.Close()
		_ = r.cmd.Process.Kill()
		r.wait()
	})
	return r
}

// exit waits for the end of the process and returns its exit code.
func (r *rawAgent) exit(within time.Duration) int {
	r.t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); r.wait() }()
	select {
	case <-ended:
	case <-time.After(within):
		r.t.Fatalf("sidekick-mcp still runs %v later; stderr: %s", within, r.Stderr)
	}
	return r.cmd.ProcessState.ExitCode()
}

// handshake is the first request of either generation of MCP.
var handshake = map[string]string{
	"initialize": mcptest.Initialize("1", "researcher"),
	"discover":   `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"researcher","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
}

func (r *rawAgent) initialize() {
	r.t.Helper()
	r.Send(handshake["initialize"])
	if m := r.Receive(10 * time.Second); m.Error != nil {
		r.t.Fatalf("initialize: %+v", m.Error)
	}
	r.Send(mcptest.Initialized)
}

func stderrLines(s string) []string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}
