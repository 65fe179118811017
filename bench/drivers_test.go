package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// driver is how a job's steps are done with one server.
type driver interface {
	name() string
	calls() *caller
	open(ctx context.Context, url string) error
	read(ctx context.Context) (string, error)
	// ref is the ref of an element in a reading, empty if it is not in it.
	ref(reading, role, name string) string
	// find is the ref of an element that the reading may not show.
	find(ctx context.Context, reading, role, name string) (string, error)
	click(ctx context.Context, ref string) error
	fill(ctx context.Context, ref, value string) error
	choose(ctx context.Context, ref, label string) error
	wait(ctx context.Context, text string) error
	down(ctx context.Context) error // to the end of the page
}

// caller calls the tools of one server and has its calls counted.
type caller struct {
	session *mcp.ClientSession
	tally   *tally
	tools   map[string]bool
}

func (c *caller) calls() *caller { return c }

// startServer starts an MCP server, which ends with the benchmark.
func startServer(b *testing.B, env []string, command ...string) *caller {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, cmd.Dir = env, b.TempDir() // Playwright keeps its readings where it runs
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.Fatalf("%v: %v", command, err)
	}
	b.Cleanup(func() { _ = session.Close() })
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		b.Fatalf("%v: %v", command, err)
	}
	c := &caller{session: session, tools: map[string]bool{}}
	for _, t := range list.Tools {
		c.tools[t.Name] = true
	}
	return c
}

// call calls a tool as an action of a kind and returns its text.
func (c *caller) call(ctx context.Context, kind, tool string, args map[string]any) (string, error) {
	if args == nil {
		args = map[string]any{} // Playwright takes no null
	}
	start := time.Now()
	r, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	took := time.Since(start)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, part := range r.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if c.tally != nil {
		c.tally.add(kind, took, text.Len())
	}
	if r.IsError {
		return "", fmt.Errorf("%s: %.300s", tool, text.String())
	}
	return text.String(), nil
}

func (c *caller) act(ctx context.Context, kind, tool string, args map[string]any) error {
	_, err := c.call(ctx, kind, tool, args)
	return err
}

// yamlRef finds an element in an outline such as ours and Playwright's.
func yamlRef(reading, role, name string) string {
	quoted, _ := json.Marshal(name)
	re := regexp.MustCompile(`(?m)^\s*- '?` + role + ` ` + regexp.QuoteMeta(string(quoted)) + `[^\n]*?\[ref=(\w+)\]`)
	if m := re.FindStringSubmatch(reading); m != nil {
		return m[1]
	}
	return ""
}

// ours is Sidekick: the built binary, the real extension, a managed browser.
type ours struct{ *caller }

func newOurs(b *testing.B) *ours {
	h := newHome(b)
	return &ours{startServer(b, h.env(), h.exe)}
}

func (*ours) name() string { return "Sidekick" }

func (o *ours) open(ctx context.Context, url string) error {
	return o.act(ctx, "open", "navigate", map[string]any{"url": url})
}

func (o *ours) read(ctx context.Context) (string, error) {
	return o.call(ctx, "read", "read_page", nil)
}

func (*ours) ref(reading, role, name string) string { return yamlRef(reading, role, name) }

// find asks for the element, or reads on to the end.
func (o *ours) find(ctx context.Context, reading, role, name string) (string, error) {
	if o.tools["find"] {
		found, err := o.call(ctx, "find", "find", map[string]any{"query": name, "role": role})
		if err != nil {
			return "", err
		}
		if ref := yamlRef(found, role, name); ref != "" {
			return ref, nil
		}
		return "", errors.New("not found")
	}
	more := regexp.MustCompile(`read_page with offset (\d+)`)
	for range 50 {
		if ref := yamlRef(reading, role, name); ref != "" {
			return ref, nil
		}
		m := more.FindStringSubmatch(reading)
		if m == nil {
			break
		}
		var err error
		if reading, err = o.call(ctx, "read on", "read_page", map[string]any{"offset": json.Number(m[1])}); err != nil {
			return "", err
		}
	}
	return "", errors.New("not found")
}

func (o *ours) click(ctx context.Context, ref string) error {
	return o.act(ctx, "click", "click", map[string]any{"ref": ref})
}

func (o *ours) fill(ctx context.Context, ref, value string) error {
	return o.act(ctx, "fill", "fill", map[string]any{"ref": ref, "value": value})
}

func (o *ours) choose(ctx context.Context, ref, label string) error {
	return o.act(ctx, "select", "select_option", map[string]any{"ref": ref, "values": []string{label}})
}

func (o *ours) wait(ctx context.Context, text string) error {
	return o.act(ctx, "wait", "wait_for", map[string]any{"text": text})
}

func (o *ours) down(ctx context.Context) error {
	return o.act(ctx, "scroll", "scroll", map[string]any{"direction": "bottom"})
}

// peers installs the peers from npm and returns the folder that they are in.
var peers = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs("peers")
	if err != nil {
		return "", err
	}
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return filepath.Join(dir, "node_modules"), nil
})

// peerBrowser is the browser that the peers are pointed at: the same as ours.
func peerBrowser(b *testing.B) string {
	b.Helper()
	for _, name := range []string{os.Getenv("SIDEKICK_BROWSER"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	b.Fatal("no browser for the peers")
	return ""
}

// playwright is @playwright/mcp.
type playwright struct{ *caller }

func newPlaywright(b *testing.B) *playwright {
	modules, err := peers()
	if err != nil {
		b.Fatal(err)
	}
	return &playwright{startServer(b, os.Environ(), "node", filepath.Join(modules, "@playwright/mcp/cli.js"),
		"--headless", "--isolated", "--no-sandbox", "--executable-path", peerBrowser(b))}
}

func (*playwright) name() string { return "Playwright MCP" }

func (p *playwright) open(ctx context.Context, url string) error {
	return p.act(ctx, "open", "browser_navigate", map[string]any{"url": url})
}

func (p *playwright) read(ctx context.Context) (string, error) {
	return p.call(ctx, "read", "browser_snapshot", nil)
}

func (*playwright) ref(reading, role, name string) string { return yamlRef(reading, role, name) }

func (p *playwright) find(_ context.Context, reading, role, name string) (string, error) {
	if ref := p.ref(reading, role, name); ref != "" { // its readings are whole
		return ref, nil
	}
	return "", errors.New("not found")
}

func (p *playwright) click(ctx context.Context, ref string) error {
	return p.act(ctx, "click", "browser_click", map[string]any{"target": ref})
}

func (p *playwright) fill(ctx context.Context, ref, value string) error {
	return p.act(ctx, "fill", "browser_type", map[string]any{"target": ref, "text": value})
}

func (p *playwright) choose(ctx context.Context, ref, label string) error {
	return p.act(ctx, "select", "browser_select_option", map[string]any{"target": ref, "values": []string{label}})
}

func (p *playwright) wait(ctx context.Context, text string) error {
	return p.act(ctx, "wait", "browser_wait_for", map[string]any{"text": text})
}

func (p *playwright) down(ctx context.Context) error {
	return p.act(ctx, "scroll", "browser_press_key", map[string]any{"key": "End"})
}

// devTools is chrome-devtools-mcp.
type devTools struct{ *caller }

func newDevTools(b *testing.B) *devTools {
	modules, err := peers()
	if err != nil {
		b.Fatal(err)
	}
	env := append(os.Environ(), "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1")
	return &devTools{startServer(b, env, "node", filepath.Join(modules, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
		"--headless", "--isolated", "--no-usage-statistics", "--no-performance-crux", "--executablePath", peerBrowser(b),
		"--chromeArg=--no-sandbox", "--chromeArg=--disable-background-networking", "--chromeArg=--disable-component-update")}
}

// page adds the only page, which its tools have to be told.
func (d *devTools) page(args map[string]any) map[string]any {
	if args == nil {
		args = map[string]any{}
	}
	args["pageId"] = 1
	return args
}

func (*devTools) name() string { return "chrome-devtools" }

func (d *devTools) open(ctx context.Context, url string) error {
	return d.act(ctx, "open", "navigate_page", d.page(map[string]any{"type": "url", "url": url}))
}

func (d *devTools) read(ctx context.Context) (string, error) {
	return d.call(ctx, "read", "take_snapshot", d.page(nil))
}

func (*devTools) ref(reading, role, name string) string {
	re := regexp.MustCompile(`(?m)^\s*uid=(\S+) ` + role + ` "` + regexp.QuoteMeta(name) + `"`)
	if m := re.FindStringSubmatch(reading); m != nil {
		return m[1]
	}
	return ""
}

func (d *devTools) find(_ context.Context, reading, role, name string) (string, error) {
	if ref := d.ref(reading, role, name); ref != "" {
		return ref, nil
	}
	return "", errors.New("not found")
}

func (d *devTools) click(ctx context.Context, ref string) error {
	return d.act(ctx, "click", "click", d.page(map[string]any{"uid": ref}))
}

func (d *devTools) fill(ctx context.Context, ref, value string) error {
	return d.act(ctx, "fill", "fill", d.page(map[string]any{"uid": ref, "value": value}))
}

func (d *devTools) choose(ctx context.Context, ref, label string) error {
	return d.act(ctx, "select", "fill", d.page(map[string]any{"uid": ref, "value": label}))
}

func (d *devTools) wait(ctx context.Context, text string) error {
	return d.act(ctx, "wait", "wait_for", d.page(map[string]any{"text": []string{text}}))
}

func (d *devTools) down(ctx context.Context) error {
	return d.act(ctx, "scroll", "press_key", d.page(map[string]any{"key": "End"}))
}
