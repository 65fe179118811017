// Package bench times what a user waits for, on the real thing: the built
// binary, started as an agent host starts it, and a real Chromium. It asserts
// nothing; run it with
//
//	go test ./bench -bench . -benchtime 20x
//
// Every figure is a median over the iterations. What is compared is measured in
// turn within one run, since machines drift.
package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// built is the binary, as a release has it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sidekick-bench-")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "sidekick-mcp")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", exe, "github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return exe, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if exe, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(exe))
	}
	os.Exit(code)
}

// home is a Sidekick of its own, with one managed pairing.
type home struct {
	b     *testing.B
	exe   string
	dir   string
	token string
}

func newHome(b *testing.B) *home {
	b.Helper()
	exe, err := built()
	if err != nil {
		b.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "sk")
	if err != nil {
		b.Fatal(err)
	}
	h := &home{b: b, exe: exe, dir: dir}
	b.Cleanup(func() {
		h.run("stop")
		os.RemoveAll(dir)
	})
	var p struct{ Token string }
	if err := json.Unmarshal(h.run("pair", "--name", "Bench", "--managed", "--json"), &p); err != nil {
		b.Fatal(err)
	}
	h.token = p.Token
	return h
}

func (h *home) env() []string {
	flags := "--headless=new --no-first-run --disable-background-networking --disable-component-update --disable-sync"
	if os.Getuid() == 0 {
		flags += " --no-sandbox"
	}
	return append(os.Environ(), "SIDEKICK_HOME="+h.dir, "SIDEKICK_TOKEN="+h.token, "SIDEKICK_BROWSER_ARGS="+flags)
}

func (h *home) run(arg ...string) []byte {
	h.b.Helper()
	cmd := exec.Command(h.exe, arg...)
	cmd.Env, cmd.Stderr = h.env(), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		h.b.Fatalf("%v: %v", arg, err)
	}
	return out
}

// agent is a running sidekick-mcp, spoken to in lines.
type agent struct {
	b     *testing.B
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	id    int
}

func (h *home) agent() *agent {
	h.b.Helper()
	cmd := exec.Command(h.exe)
	cmd.Env, cmd.Stderr = h.env(), os.Stderr
	return startAgent(h.b, cmd)
}

// startAgent starts an MCP server, to be spoken to in lines.
func startAgent(b *testing.B, cmd *exec.Cmd) *agent {
	b.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return &agent{b: b, cmd: cmd, in: in, lines: bufio.NewReaderSize(out, 1<<20)}
}

// request sends a request and returns the line that answers it.
func (a *agent) request(method string, params any) []byte {
	a.b.Helper()
	a.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if err != nil {
		a.b.Fatal(err)
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		a.b.Fatal(err)
	}
	answer, err := a.lines.ReadBytes('\n')
	if err != nil {
		a.b.Fatal(err)
	}
	if strings.Contains(string(answer), `"error":{"code"`) || strings.Contains(string(answer), `"isError":true`) {
		a.b.Fatalf("%s %s: %s", method, line, answer)
	}
	return answer
}

func (a *agent) initialize() {
	a.b.Helper()
	a.request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"},
	})
}

func (a *agent) tool(name string, args map[string]any) string {
	a.b.Helper()
	return string(a.request("tools/call", map[string]any{"name": name, "arguments": args}))
}

func (a *agent) end() {
	a.in.Close()
	a.cmd.Wait()
}

// memory returns the resident memory of a process, in MB.
func memory(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		return 0
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return float64(kb) / 1024
}

// times are durations of one kind.
type times []time.Duration

func (t times) report(b *testing.B, name string) {
	if len(t) == 0 {
		return
	}
	s := slices.Sorted(slices.Values(t))
	b.ReportMetric(float64(s[len(s)/2].Microseconds())/1000, name+"-ms")
}

// BenchmarkStart is what a host waits for on an agent's first run.
func BenchmarkStart(b *testing.B) {
	h := newHome(b)
	h.agentOnce() // the cache and the page cache
	var initialized, listed times
	var rss float64
	var list []byte
	for b.Loop() {
		start := time.Now()
		a := h.agent()
		a.initialize()
		initialized = append(initialized, time.Since(start))
		list = a.request("tools/list", map[string]any{})
		listed = append(listed, time.Since(start))
		rss = max(rss, memory(a.cmd.Process.Pid))
		a.end()
	}
	initialized.report(b, "initialize")
	listed.report(b, "tools/list")
	b.ReportMetric(rss, "RSS-MB")
	b.ReportMetric(float64(len(list)), "list-bytes")
}

func (h *home) agentOnce() {
	a := h.agent()
	a.initialize()
	a.end()
}

// BenchmarkColdWake sets the first tool call of an agent, with no helper and no
// browser, beside a bare start of the same browser with the same extension in
// the same profile, both up to the extension's connection.
func BenchmarkColdWake(b *testing.B) {
	h := newHome(b)
	a := h.agent()
	a.initialize()
	a.tool("tabs", map[string]any{"action": "list"}) // makes the profile
	a.end()
	browser := h.browser()
	h.run("stop")
	var bare, cold, coldTab times
	for b.Loop() {
		// Bare: the helper runs already, the browser is started by hand.
		helper := exec.Command(h.exe, "helper")
		helper.Env = h.env()
		if err := helper.Start(); err != nil {
			b.Fatal(err)
		}
		h.waitStatus(func(s status) bool { return s.Running })
		cmd := exec.Command(browser[0], browser[1:]...)
		cmd.Env = h.env()
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		h.waitStatus(func(s status) bool { return len(s.Browsers) > 0 })
		bare = append(bare, time.Since(start))
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		h.run("stop")
		helper.Wait()

		start = time.Now()
		a := h.agent()
		a.initialize()
		a.tool("tabs", map[string]any{"action": "list"})
		cold = append(cold, time.Since(start))
		a.tool("tabs", map[string]any{"action": "open"})
		coldTab = append(coldTab, time.Since(start))
		a.end()
		h.run("stop")
	}
	bare.report(b, "bare")
	cold.report(b, "cold-wake")
	coldTab.report(b, "cold-wake-with-tab")
}

type status struct {
	Running  bool
	PID      int
	Browsers []struct{ PID int }
}

// waitStatus asks the helper until met; the asking itself costs some
// milliseconds, which only make the bare start look longer by half of that.
func (h *home) waitStatus(met func(status) bool) status {
	h.b.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		var s status
		if err := json.Unmarshal(h.run("status", "--json"), &s); err != nil {
			h.b.Fatal(err)
		}
		if met(s) {
			return s
		}
	}
	h.b.Fatal("the helper's status did not become what was waited for")
	return status{}
}

// browser returns the command line of the running managed browser.
func (h *home) browser() []string {
	h.b.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range dirs {
		raw, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		args := strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
		line := strings.Join(args, " ")
		if strings.Contains(line, "--user-data-dir="+h.dir) && strings.Contains(line, "--load-extension") && !strings.Contains(line, "--type=") {
			// The pipe is the launcher's; by hand there is none.
			return slices.DeleteFunc(args, func(a string) bool { return a == "--remote-debugging-pipe" })
		}
	}
	h.b.Fatal("no managed browser runs")
	return nil
}

const form = `<!doctype html><meta charset=utf-8><title>Form</title><h1>Order</h1>
<form onsubmit="event.preventDefault()"><label>Name <input name=name></label><label>Mail <input name=mail></label>
<label><input type=checkbox> Newsletter</label><button type=button>Count</button><p id=n>0</p></form>
<script>let n=0;document.querySelector('button').onclick=()=>{document.getElementById('n').textContent=++n}</script>`

// agentOn is an agent with a tab on a page of a server of its own, at url.
func agentOn(b *testing.B, page string) (h *home, a *agent, url string) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	}))
	b.Cleanup(site.Close)
	h = newHome(b)
	a = h.agent()
	b.Cleanup(a.end)
	a.initialize()
	a.tool("tabs", map[string]any{"action": "open", "url": site.URL})
	return h, a, site.URL
}

// BenchmarkTools is each of the usual calls on a small form.
func BenchmarkTools(b *testing.B) {
	h, a, url := agentOn(b, form)
	ref := regexp.MustCompile(`button \\"Count\\" \[ref=(e\d+)\]`)
	field := regexp.MustCompile(`textbox \\"Name\\" \[ref=(e\d+)\]`)
	kinds := []string{"navigate", "read_page", "first-click", "click-with-changes", "click", "fill", "type_text", "screenshot"}
	took := map[string]times{}
	timed := func(name string, args map[string]any) string {
		start := time.Now()
		r := a.tool(name, args)
		took[name] = append(took[name], time.Since(start))
		return r
	}
	i := 0
	for b.Loop() {
		i++
		timed("navigate", map[string]any{"url": url + "/?" + strconv.Itoa(i)})
		page := timed("read_page", nil)
		button, name := ref.FindStringSubmatch(page), field.FindStringSubmatch(page)
		if button == nil || name == nil {
			b.Fatalf("no refs in %s", page)
		}
		// The first of a page, whose code is compiled and whose frames are still
		// being drawn; those that also tell what changed; those that do not.
		for n := range 6 {
			start := time.Now()
			a.tool("click", map[string]any{"ref": button[1], "changes": n < 3})
			kind := "click-with-changes"
			switch {
			case n == 0:
				kind = "first-click"
			case n >= 3:
				kind = "click"
			}
			took[kind] = append(took[kind], time.Since(start))
			timed("read_page", nil)
		}
		timed("fill", map[string]any{"ref": name[1], "value": "Ann"})
		timed("type_text", map[string]any{"ref": name[1], "text": " Bell"})
		timed("screenshot", nil)
	}
	for _, k := range kinds {
		took[k].report(b, k)
	}
	s := h.waitStatus(func(status) bool { return true })
	b.ReportMetric(memory(a.cmd.Process.Pid), "agent-MB")
	b.ReportMetric(memory(s.PID), "helper-MB")
	if len(s.Browsers) > 0 {
		b.ReportMetric(memory(s.Browsers[0].PID), "native-host-MB")
	}
}

// BenchmarkPeer times the same work on another MCP server, given by its command
// line in PEER, for figures side by side in one run:
//
//	PEER="npx @playwright/mcp --headless" go test ./bench -bench 'Start|Peer'
func BenchmarkPeer(b *testing.B) {
	peer := strings.Fields(os.Getenv("PEER"))
	if len(peer) == 0 {
		b.Skip("PEER is not set")
	}
	var initialized, listed times
	for b.Loop() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cmd := exec.CommandContext(ctx, peer[0], peer[1:]...)
		start := time.Now()
		a := startAgent(b, cmd)
		a.initialize()
		initialized = append(initialized, time.Since(start))
		a.request("tools/list", map[string]any{})
		listed = append(listed, time.Since(start))
		a.end()
		cancel()
	}
	initialized.report(b, "initialize")
	listed.report(b, "tools/list")
}
