package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hang bounds every wait of a test.
const hang = 20 * time.Second

// fakeBrowser is a browser that only notes what is asked of it.
type fakeBrowser struct {
	// on, if set, is called within each call and may fail it or block.
	on func(ctx context.Context, call string) error
	// give is what actions return.
	give browser.Outcome

	mu     sync.Mutex
	calls  []string
	closed int
	done   chan struct{} // closed when the browser is lost; nil: it cannot tell
}

func (f *fakeBrowser) note(ctx context.Context, name string, args any) error {
	f.mu.Lock() // first of all, as an engine notes a call's place first of all
	call := name
	if args != nil {
		call += fmt.Sprintf("%+v", args)
	}
	f.calls = append(f.calls, call)
	f.mu.Unlock()
	if f.on != nil {
		return f.on(ctx, call)
	}
	return nil
}

func (f *fakeBrowser) act(ctx context.Context, name string, args any) (*browser.Outcome, error) {
	if err := f.note(ctx, name, args); err != nil {
		return nil, err
	}
	o := f.give
	if o.Did == "" {
		o.Did = "did " + name
	}
	return &o, nil
}

func (f *fakeBrowser) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.calls...)
}

func (f *fakeBrowser) Tabs(ctx context.Context) ([]browser.Tab, error) {
	return []browser.Tab{{ID: "t1", URL: "https://a.example/", Title: "A", Current: true}, {ID: "t2", URL: "about:blank", Dialog: &browser.Dialog{Type: "confirm", Message: "Delete \"a\"?\n(sure)"}}}, f.note(ctx, "Tabs", nil)
}
func (f *fakeBrowser) OpenTab(ctx context.Context, url string) (*browser.Outcome, error) {
	return f.act(ctx, "OpenTab", []string{url})
}
func (f *fakeBrowser) SwitchTab(ctx context.Context, tab string) (*browser.Outcome, error) {
	return f.act(ctx, "SwitchTab", []string{tab})
}
func (f *fakeBrowser) CloseTab(ctx context.Context, tab string) (*browser.Outcome, error) {
	return f.act(ctx, "CloseTab", []string{tab})
}
func (f *fakeBrowser) Navigate(ctx context.Context, a browser.NavigateArgs) (*browser.Outcome, error) {
	return f.act(ctx, "Navigate", a)
}
func (f *fakeBrowser) ReadPage(ctx context.Context, a browser.ReadArgs) (*browser.Reading, error) {
	if err := f.note(ctx, "ReadPage", a); err != nil {
		return nil, err
	}
	return &browser.Reading{Tab: browser.Tab{ID: "t1", URL: "https://a.example/", Title: "A"}, Text: `- button "Go" [ref=e9]`, Total: 22}, nil
}
func (f *fakeBrowser) Find(ctx context.Context, a browser.FindArgs) (*browser.Found, error) {
	if err := f.note(ctx, "Find", a); err != nil {
		return nil, err
	}
	if a.Query == "nothing" {
		return &browser.Found{Tab: browser.Tab{ID: "t1", URL: "https://a.example/"}, Near: []string{"something"}}, nil
	}
	return &browser.Found{Tab: browser.Tab{ID: "t1", URL: "https://a.example/"}, Total: 30, Matches: []browser.Match{
		{Line: `- button "Buy" [ref=e1] — under "Shop"`, Ref: "e1", Role: "button", Name: "Buy", Place: `under "Shop"`},
	}}, nil
}
func (f *fakeBrowser) Click(ctx context.Context, a browser.ClickArgs) (*browser.Outcome, error) {
	return f.act(ctx, "Click", a)
}
func (f *fakeBrowser) Fill(ctx context.Context, a browser.FillArgs) (*browser.Outcome, error) {
	if len(a.Value) > 100 {
		a.Value = fmt.Sprintf("%d bytes", len(a.Value))
	}
	return f.act(ctx, "Fill", a)
}
func (f *fakeBrowser) FillForm(ctx context.Context, a browser.FormArgs) (*browser.Outcome, error) {
	return f.act(ctx, "FillForm", a)
}
func (f *fakeBrowser) UploadFile(ctx context.Context, a browser.UploadArgs) (*browser.Outcome, error) {
	return f.act(ctx, "UploadFile", a)
}
func (f *fakeBrowser) Drag(ctx context.Context, a browser.DragArgs) (*browser.Outcome, error) {
	return f.act(ctx, "Drag", a)
}
func (f *fakeBrowser) Evaluate(ctx context.Context, a browser.EvaluateArgs) (*browser.Evaluation, error) {
	o, err := f.act(ctx, "Evaluate", a)
	if err != nil {
		return nil, err
	}
	return &browser.Evaluation{Outcome: *o, JSON: `{"a":1}`, Total: 9}, nil
}
func (f *fakeBrowser) SavePDF(ctx context.Context, a browser.PDFArgs) (*browser.Outcome, error) {
	return f.act(ctx, "SavePDF", a)
}
func (f *fakeBrowser) Console(ctx context.Context, a browser.RecordArgs) (*browser.Records[browser.Message], error) {
	return &browser.Records[browser.Message]{
		Tab: browser.Tab{ID: "t1"}, List: []browser.Message{{Time: time.Unix(0, 0), Level: "log", Text: "a line", Source: "https://a.example/x.js:3"}}, Total: 3,
	}, f.note(ctx, "Console", a)
}
func (f *fakeBrowser) Network(ctx context.Context, a browser.RecordArgs) (*browser.Records[browser.Request], error) {
	r := &browser.Records[browser.Request]{Tab: browser.Tab{ID: "t1"}, Notes: []string{"from now on"}}
	if a.Filter == "api" {
		r.List, r.Total, r.Notes = []browser.Request{fakeRequest}, 1, nil
	}
	return r, f.note(ctx, "Network", a)
}

var fakeRequest = browser.Request{ID: "n2", Method: "POST", Type: "fetch", URL: "https://a.example/api", Status: 200, MIMEType: "application/json", Finished: true, Bytes: 12, Milliseconds: 3}

func (f *fakeBrowser) Exchange(ctx context.Context, a browser.ExchangeArgs) (*browser.Exchange, error) {
	x := &browser.Exchange{Tab: browser.Tab{ID: "t1"}, Request: fakeRequest}
	switch a.Request {
	case "n2":
		x.Sent = &browser.Body{Type: "application/json", Text: `{"a":1}`, Total: 7}
		x.Got = &browser.Body{Type: "application/json", Text: `[1,2`, Total: 30_000}
	case "n3":
		x.Got = &browser.Body{Type: "image/png", Bytes: 1001}
		x.Notes = []string{"What it sent is not there."}
	}
	return x, f.note(ctx, "Exchange", a)
}
func (f *fakeBrowser) TypeText(ctx context.Context, a browser.TypeArgs) (*browser.Outcome, error) {
	return f.act(ctx, "TypeText", a)
}
func (f *fakeBrowser) PressKey(ctx context.Context, a browser.PressArgs) (*browser.Outcome, error) {
	return f.act(ctx, "PressKey", a)
}
func (f *fakeBrowser) SelectOption(ctx context.Context, a browser.SelectArgs) (*browser.Outcome, error) {
	return f.act(ctx, "SelectOption", a)
}
func (f *fakeBrowser) Hover(ctx context.Context, a browser.HoverArgs) (*browser.Outcome, error) {
	return f.act(ctx, "Hover", a)
}
func (f *fakeBrowser) Scroll(ctx context.Context, a browser.ScrollArgs) (*browser.Outcome, error) {
	return f.act(ctx, "Scroll", a)
}
func (f *fakeBrowser) WaitFor(ctx context.Context, a browser.WaitArgs) (*browser.Outcome, error) {
	return f.act(ctx, "WaitFor", a)
}
func (f *fakeBrowser) Screenshot(ctx context.Context, a browser.ScreenshotArgs) (*browser.Image, error) {
	if err := f.note(ctx, "Screenshot", a); err != nil {
		return nil, err
	}
	return &browser.Image{Tab: browser.Tab{ID: "t1", URL: "https://a.example/"}, Data: []byte("png"), MIMEType: "image/png", Width: 3, Height: 2}, nil
}
func (f *fakeBrowser) HandleDialog(ctx context.Context, a browser.DialogArgs) (*browser.Outcome, error) {
	return f.act(ctx, "HandleDialog", a)
}
func (f *fakeBrowser) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}
func (f *fakeBrowser) Done() <-chan struct{} { return f.done }

// blockUntilCancelled is a fakeBrowser.on that waits for the call's end.
func blockUntilCancelled(started chan<- string, ended chan<- error) func(context.Context, string) error {
	return func(ctx context.Context, call string) error {
		started <- call
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	}
}

// session is Run with a test at the other end of its pipes.
type session struct {
	*mcptest.Lines
	t      *testing.T
	signal context.CancelFunc // as SIGTERM does
	code   chan int
}

// start runs a session on b; set may change the options.
func start(t *testing.T, b browser.API, set ...func(*Options)) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{Lines: mcptest.New(t, inW, outR, &mcptest.Buffer{}), t: t, signal: cancel, code: make(chan int, 1)}
	o := Options{
		Stdin: inR, Stdout: outW, Stderr: s.Stderr,
		Token: "skt_test", Version: "1.2.3",
		Authenticate: func(_ context.Context, token string) (Identity, error) {
			if token != "skt_test" {
				return Identity{}, errors.New("another token than the test's")
			}
			return Identity{ID: "p1", Name: "FrogBot"}, nil
		},
		Connect: func(context.Context, Identity, string) (browser.API, error) { return b, nil },
		Exit:    func(code int) { t.Errorf("the process had to be ended the hard way, with code %d", code) },
		// Far more than any test needs, for a machine under load.
		ExitAfter: hang,
	}
	for _, f := range set {
		f(&o)
	}
	go func() {
		s.code <- Run(ctx, o)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		cancel()
		outR.Close()
	})
	return s
}

// ask sends a request and returns its answer, which must be the next line.
func (s *session) ask(id, method, params string) mcptest.Reply {
	s.t.Helper()
	s.Send(mcptest.Request(id, method, params))
	return s.answer(id)
}

// answer is the next line, which must answer the request with this id.
func (s *session) answer(id string) mcptest.Reply {
	s.t.Helper()
	r := s.Receive(hang)
	if string(r.ID) != id {
		s.t.Fatalf("asked with id %s, the next line has id %s", id, r.ID)
	}
	return r
}

func callLine(id, tool, args string) string {
	return mcptest.Request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

// call calls a tool and returns the text of the result.
func (s *session) call(id, tool, args string) (text string, isError bool) {
	s.t.Helper()
	s.Send(callLine(id, tool, args))
	return s.text(s.answer(id))
}

func (s *session) text(r mcptest.Reply) (string, bool) {
	s.t.Helper()
	if r.Error != nil {
		s.t.Fatalf("a JSON-RPC error: %d %s", r.Error.Code, r.Error.Message)
	}
	var res struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Content) == 0 {
		s.t.Fatalf("no content in %s", r.Result)
	}
	return res.Content[0].Text, res.IsError
}

// greet does the handshake of a client with this name.
func (s *session) greet(name string) mcptest.Reply {
	s.t.Helper()
	s.Send(mcptest.Initialize(`"init"`, name))
	r := s.answer(`"init"`)
	s.Send(mcptest.Initialized)
	return r
}

// end closes stdin and returns the exit code; whatever is still on stdout
// must be none.
func (s *session) end() int {
	s.t.Helper()
	s.Stdin.Close()
	return s.wait()
}

func (s *session) wait() int {
	s.t.Helper()
	code := receive(s.t, s.code, "the end of Run")
	for l := range s.Stdout {
		s.t.Errorf("an answer to nothing: %s", l)
	}
	return code
}

func receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(hang):
		t.Fatalf("no %s", what)
	}
	panic("unreachable")
}
