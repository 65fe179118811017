//go:build linux

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// playHost makes this process an agent's host: it starts the binary that
// E2E_HOST names, with its own environment, opens the page E2E_URL, begins a
// long wait there, and then does nothing until it is ended. It prints the
// agent's process id when the page is open.
func playHost() {
	cmd := exec.Command(os.Getenv(hostRole))
	cmd.Stderr = os.Stderr
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "researcher", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "tabs", Arguments: args{"action": "open", "url": os.Getenv("E2E_URL")}})
	if err != nil || r.IsError {
		fmt.Fprintln(os.Stderr, "host: opening the page:", err, r)
		os.Exit(1)
	}
	fmt.Println(cmd.Process.Pid)
	// The test ends this process in the middle of it.
	_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for", Arguments: args{"text": "never", "timeout_ms": 60000}})
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// host starts an agent's host in a process of its own, waits until its agent
// has a page open, and returns both processes.
func (e *env) host(token, url string) (host *exec.Cmd, agentPID int) {
	e.t.Helper()
	self, err := os.Executable()
	if err != nil {
		e.t.Fatal(err)
	}
	host = exec.Command(self)
	host.Env = e.environ(hostRole+"="+binary, "E2E_URL="+url, "SIDEKICK_TOKEN="+token)
	stderr := &mcptest.Buffer{}
	host.Stderr = stderr
	stdin, err := host.StdinPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	out, err := host.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		_ = stdin.Close()
		_ = host.Process.Kill()
		_ = host.Wait()
	})
	line := make(chan string, 1)
	go func() {
		s, _ := bufio.NewReader(out).ReadString('\n')
		line <- strings.TrimSpace(s)
	}()
	select {
	case s := <-line:
		agentPID, err = strconv.Atoi(s)
		if err != nil {
			e.t.Fatalf("the host said %q; stderr: %s", s, stderr)
		}
	case <-time.After(callBound):
		e.t.Fatalf("the host's agent opened no page; stderr: %s", stderr)
	}
	return host, agentPID
}
