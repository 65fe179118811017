//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// callBound is when a tool call counts as hung.
const callBound = 60 * time.Second

// args are the arguments of a tool call.
type args = map[string]any

// agent is one sidekick-mcp process with an MCP client at its stdio, as an
// agent's host runs it.
type agent struct {
	t       *testing.T
	name    string
	cmd     *exec.Cmd
	stderr  *mcptest.Buffer
	session *mcp.ClientSession
	closed  bool
}

// agent starts an agent. It ends with the test, if the test does not end it.
func (e *env) agent(name, token string, vars ...string) *agent {
	e.t.Helper()
	a, err := e.startAgent(name, token, vars...)
	if err != nil {
		e.t.Fatal(err)
	}
	return a
}

// startAgent is agent for other goroutines than the test's own.
func (e *env) startAgent(name, token string, vars ...string) (*agent, error) {
	a := &agent{t: e.t, name: name, cmd: exec.Command(e.exe), stderr: &mcptest.Buffer{}}
	a.cmd.Env = e.environ(append([]string{"SIDEKICK_TOKEN=" + token}, vars...)...)
	a.cmd.Stderr = a.stderr
	ctx, cancel := context.WithTimeout(context.Background(), callBound)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
	var err error
	a.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: a.cmd}, nil)
	if err != nil {
		return nil, err
	}
	e.t.Cleanup(func() {
		a.close()
		if e.t.Failed() && a.stderr.String() != "" {
			e.t.Logf("stderr of %s:\n%s", name, tail(a.stderr.String(), 40))
		}
	})
	return a, nil
}

// in is the same agent within a subtest.
func (a *agent) in(t *testing.T) *agent {
	return &agent{t: t, name: a.name, session: a.session}
}

// close ends the agent as a host does: it closes its stdin.
func (a *agent) close() {
	if a.closed {
		return
	}
	a.closed = true
	// The error says how the process ended, which the tests of lifetime look
	// at for themselves.
	_ = a.session.Close()
}

// result is what a tool call returned.
type result struct {
	text    string
	isError bool
	image   []byte
	mime    string
}

// try calls a tool; the error is a protocol error or a broken connection, never
// a tool's own.
func (a *agent) try(tool string, arguments args) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callBound)
	defer cancel()
	return a.tryContext(ctx, tool, arguments)
}

func (a *agent) tryContext(ctx context.Context, tool string, arguments args) (result, error) {
	r, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return result{}, err
	}
	if err := conforms(tool, r); err != nil {
		return result{}, err
	}
	out := result{isError: r.IsError}
	var texts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			out.image, out.mime = c.Data, c.MIMEType
		}
	}
	out.text = strings.Join(texts, "\n")
	return out, nil
}

// call calls a tool and ends the test for a protocol error.
func (a *agent) call(tool string, arguments args) result {
	a.t.Helper()
	r, err := a.try(tool, arguments)
	if err != nil {
		a.t.Fatalf("%s: %s %s: %v", a.name, tool, brief(arguments), err)
	}
	return r
}

// ok calls a tool that must succeed and returns its text.
func (a *agent) ok(tool string, arguments args) string {
	a.t.Helper()
	r := a.call(tool, arguments)
	if r.isError {
		a.t.Fatalf("%s: %s %s failed: %s", a.name, tool, brief(arguments), r.text)
	}
	return r.text
}

// fails calls a tool that must fail with each of the texts in its answer.
func (a *agent) fails(tool string, arguments args, want ...string) string {
	a.t.Helper()
	r := a.call(tool, arguments)
	if !r.isError {
		a.t.Fatalf("%s: %s %s succeeded, and should not have: %s", a.name, tool, brief(arguments), r.text)
	}
	contains(a.t, r.text, want...)
	return r.text
}

// open opens a tab and returns its id.
func (a *agent) open(url string) string {
	a.t.Helper()
	return tabID(a.t, a.ok("tabs", args{"action": "open", "url": url}))
}

// pending is a call that is under way.
type pending struct {
	agent *agent
	tool  string
	began time.Time
	done  chan struct{}
	r     result
	err   error
	took  time.Duration
}

// begin starts a call without waiting for it.
func (a *agent) begin(tool string, arguments args) *pending {
	p := &pending{agent: a, tool: tool, began: time.Now(), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.r, p.err = a.try(tool, arguments)
		p.took = time.Since(p.began)
	}()
	return p
}

// wait waits for the call's answer, and ends the test if none comes in time.
func (p *pending) wait(within time.Duration) result {
	p.agent.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		p.agent.t.Fatalf("%s: %s has not answered %v later", p.agent.name, p.tool, within)
	}
	if p.err != nil {
		p.agent.t.Fatalf("%s: %s: %v", p.agent.name, p.tool, p.err)
	}
	return p.r
}

var tabPattern = regexp.MustCompile(`\bt\d+\b`)

// tabID is the first tab id in a result.
func tabID(t *testing.T, text string) string {
	t.Helper()
	id := tabPattern.FindString(text)
	if id == "" {
		t.Fatalf("no tab id in %q", text)
	}
	return id
}

// tabIDs are the different tab ids in a result, in order.
func tabIDs(text string) []string {
	var ids []string
	seen := map[string]bool{}
	for _, id := range tabPattern.FindAllString(text, -1) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// outlineLine is an element with a ref: - button "Go" [ref=e9]
var outlineLine = regexp.MustCompile(`(?m)^\s*- ([\w-]+)(?: ("(?:[^"\\]|\\.)*"))?.*\[ref=(\w+)\]`)

// findRef finds the first element of a role and name in an outline; an empty
// string if there is none.
func findRef(outline, role, name string) string {
	for _, m := range outlineLine.FindAllStringSubmatch(outline, -1) {
		got := ""
		if m[2] != "" && json.Unmarshal([]byte(m[2]), &got) != nil {
			continue
		}
		if m[1] == role && got == name {
			return m[3]
		}
	}
	return ""
}

// ref reads a tab's outline and returns the ref of an element.
func (a *agent) ref(tab, role, name string) string {
	a.t.Helper()
	outline := a.ok("read_page", args{"tab": tab})
	ref := findRef(outline, role, name)
	if ref == "" {
		a.t.Fatalf("no %s %q in the outline of %s:\n%s", role, name, tab, outline)
	}
	return ref
}

// contains fails the test for each text that is not in got.
func contains(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in: %s", w, tail(got, 60))
		}
	}
}

func brief(arguments args) string {
	s := string(mustJSON(arguments))
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}

func tail(s string, lines int) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
