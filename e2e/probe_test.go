//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp/remote"
)

// probe is the tests' own door into a browser: its debugging port. It looks at
// the browser from outside, so that Sidekick is not its own witness, and it
// does what a user would do.
type probe struct {
	t    *testing.T
	conn *remote.Conn

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan *cdproto.Message
	ended   chan struct{}
}

// probe connects to the managed browser, waiting for it to be up.
func (e *env) probe() *probe {
	e.t.Helper()
	return e.probeAt(filepath.Join(e.dirs().ManagedProfile(), "DevToolsActivePort"))
}

func (e *env) probeAt(portFile string) *probe {
	e.t.Helper()
	p := &probe{t: e.t, waiting: map[int64]chan *cdproto.Message{}, ended: make(chan struct{})}
	var last error
	e.eventually(20*time.Second, "the browser's debugging port", func() bool {
		b, err := os.ReadFile(portFile)
		if err != nil {
			last = err
			return false
		}
		port, path, ok := strings.Cut(strings.TrimSpace(string(b)), "\n")
		if !ok {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		p.conn, last = remote.DialContext(ctx, "ws://127.0.0.1:"+port+path)
		return last == nil
	})
	go p.read()
	e.t.Cleanup(p.close)
	return p
}

func (p *probe) close() {
	_ = p.conn.Close()
	<-p.ended
}

func (p *probe) read() {
	defer close(p.ended)
	for {
		m := new(cdproto.Message)
		if err := p.conn.Read(context.Background(), m); err != nil {
			return
		}
		if m.ID == 0 {
			continue
		}
		p.mu.Lock()
		c := p.waiting[m.ID]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		if c != nil {
			c <- m
		}
	}
}

// send sends a command and returns its result.
func (p *probe) send(session, method string, params any) (json.RawMessage, error) {
	c := make(chan *cdproto.Message, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.waiting[id] = c
	p.mu.Unlock()
	m := &cdproto.Message{ID: id, SessionID: target.SessionID(session), Method: cdproto.MethodType(method)}
	if params != nil {
		m.Params = []byte(mustJSON(params))
	}
	if err := p.conn.Write(context.Background(), m); err != nil {
		return nil, err
	}
	select {
	case r := <-c:
		if r.Error != nil {
			return nil, fmt.Errorf("%s: %w", method, r.Error)
		}
		return json.RawMessage(r.Result), nil
	case <-p.ended:
		return nil, fmt.Errorf("%s: the browser is gone", method)
	case <-time.After(callBound):
		return nil, fmt.Errorf("%s: no answer in %v", method, callBound)
	}
}

// must sends a command that must succeed.
func (p *probe) must(session, method string, params, out any) {
	p.t.Helper()
	r, err := p.send(session, method, params)
	if err != nil {
		p.t.Fatal(err)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(r, out); err != nil {
		p.t.Fatalf("%s: %v in %s", method, err, r)
	}
}

type targetInfo struct {
	ID    string `json:"targetId"`
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func (p *probe) targets() []targetInfo {
	p.t.Helper()
	var r struct {
		TargetInfos []targetInfo `json:"targetInfos"`
	}
	// An empty entry takes every target, also those that CDP hides by default.
	p.must("", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &r)
	return r.TargetInfos
}

// pageAt is the page target whose address ends so.
func (p *probe) pageAt(end string) targetInfo {
	p.t.Helper()
	for _, t := range p.targets() {
		if t.Type == "page" && strings.HasSuffix(t.URL, end) {
			return t
		}
	}
	p.t.Fatalf("no page at …%s; there are %+v", end, p.targets())
	panic("unreachable")
}

// attach opens a session to a target; detach ends it. A debugger at a worker
// keeps it alive, so it must not stay longer than it is needed.
func (p *probe) attach(targetID string) (session string, err error) {
	r, err := p.send("", "Target.attachToTarget", map[string]any{"targetId": targetID, "flatten": true})
	if err != nil {
		return "", err
	}
	var a struct {
		SessionID string `json:"sessionId"`
	}
	return a.SessionID, json.Unmarshal(r, &a)
}

func (p *probe) detach(session string) {
	// It fails when the target is gone, and then nothing is attached either.
	_, _ = p.send("", "Target.detachFromTarget", map[string]any{"sessionId": session})
}

// evalIn evaluates an expression, awaiting its promise, and decodes the value.
func (p *probe) evalIn(session, expression string, out any) error {
	r, err := p.send(session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	})
	if err != nil {
		return err
	}
	var v struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(r, &v); err != nil {
		return err
	}
	if v.Exception != nil {
		return fmt.Errorf("%s: %s %s", expression, v.Exception.Text, v.Exception.Exception.Description)
	}
	if out == nil {
		return nil
	}
	if len(v.Result.Value) == 0 {
		return fmt.Errorf("%s: no value", expression)
	}
	return json.Unmarshal(v.Result.Value, out)
}

// extensionScheme begins every address of an extension.
const extensionScheme = "chrome-extension://"

// workerTarget is the extension's running worker.
func (p *probe) workerTarget() (targetInfo, bool) {
	p.t.Helper()
	for _, t := range p.targets() {
		if t.Type == "service_worker" && strings.HasPrefix(t.URL, extensionScheme+extensionID(p.t)) {
			return t, true
		}
	}
	return targetInfo{}, false
}

// worker evaluates an expression in the extension's worker, waiting for it to
// run.
func (p *probe) worker(expression string, out any) {
	p.t.Helper()
	var last error
	if !holds(10*time.Second, func() bool {
		w, ok := p.workerTarget()
		if !ok {
			last = errors.New("the worker does not run")
			return false
		}
		var session string
		if session, last = p.attach(w.ID); last != nil {
			return false
		}
		defer p.detach(session)
		last = p.evalIn(session, expression, out)
		return last == nil || strings.Contains(last.Error(), "Error:")
	}) || last != nil {
		p.t.Fatalf("in the extension's worker: %v", last)
	}
}

// stopWorker stops the extension's worker as Chrome does when it has been idle.
func (p *probe) stopWorker() {
	p.t.Helper()
	w, ok := p.workerTarget()
	if !ok {
		p.t.Fatal("the worker does not run, so it cannot be stopped")
	}
	p.must("", "Target.closeTarget", map[string]any{"targetId": w.ID}, nil)
	eventually(p.t, 10*time.Second, "end of the worker", func() bool {
		now, ok := p.workerTarget()
		return !ok || now.ID != w.ID
	})
}

// userTab opens a tab in front, as a user does, and returns a session with it.
func (p *probe) userTab(url string) (session string) {
	p.t.Helper()
	var r struct {
		TargetID string `json:"targetId"`
	}
	p.must("", "Target.createTarget", map[string]any{"url": url}, &r)
	session, err := p.attach(r.TargetID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.ready(session)
	return session
}

// ready waits until the page of a session has loaded.
func (p *probe) ready(session string) {
	p.t.Helper()
	eventually(p.t, 10*time.Second, "a loaded page", func() bool {
		var state string
		err := p.evalIn(session, `location.href === "about:blank" ? "" : document.readyState`, &state)
		return err == nil && state == "complete"
	})
}

// eval evaluates an expression in a session that must be able to.
func (p *probe) eval(session, expression string, out any) {
	p.t.Helper()
	if err := p.evalIn(session, expression, out); err != nil {
		p.t.Fatal(err)
	}
}

// group is a tab group as Chrome has it.
type group struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Color string `json:"color"`
}

// tab is a tab as Chrome has it.
type tab struct {
	ID     int    `json:"id"`
	Group  int    `json:"groupId"`
	Window int    `json:"windowId"`
	Active bool   `json:"active"`
	URL    string `json:"url"`
	Title  string `json:"title"`
}

func (p *probe) groups() []group {
	p.t.Helper()
	var g []group
	p.worker(`chrome.tabGroups.query({})`, &g)
	return g
}

func (p *probe) tabs() []tab {
	p.t.Helper()
	var t []tab
	p.worker(`chrome.tabs.query({})`, &t)
	return t
}

// groupOf is the only group of a title.
func (p *probe) groupOf(title string) group {
	p.t.Helper()
	var found []group
	all := p.groups()
	for _, g := range all {
		if g.Title == title {
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		p.t.Fatalf("%d groups are titled %q; there are %+v", len(found), title, all)
	}
	return found[0]
}

// tabsOf are the tabs of a group.
func (p *probe) tabsOf(g group) []tab {
	p.t.Helper()
	var in []tab
	for _, t := range p.tabs() {
		if t.Group == g.ID {
			in = append(in, t)
		}
	}
	return in
}
