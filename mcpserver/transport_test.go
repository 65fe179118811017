package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

func TestBadLinesAreAnsweredAndTheSessionGoesOn(t *testing.T) {
	s := start(t, &fakeBrowser{})
	for _, c := range []struct {
		line string
		code int64
		id   string
	}{
		{`{bad`, -32700, "null"},
		{`hello`, -32700, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} trailing`, -32700, "null"},
		{"\xff\xfe{}", -32700, "null"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "null"},
		{`[]`, -32600, "null"},
		{`"text"`, -32600, "null"},
		{`null`, -32600, "null"},
		{`{"foo":1}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"1.0","id":4,"method":"ping"}`, -32600, "4"},
		{`{"id":5,"method":"ping"}`, -32600, "5"},
		{`{"jsonrpc":"2.0","id":"x","method":7}`, -32600, `"x"`},
		{`{"jsonrpc":"2.0","id":6,"METHOD":"ping"}`, -32600, "6"},
		{`{"jsonrpc":"2.0","id":7}`, -32600, "7"},
		{`{"jsonrpc":"2.0","id":8,"method":"no/such"}`, -32601, "8"},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}`, -32602, "9"},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"nope"}}`, -32602, "10"},
	} {
		s.Send(c.line)
		r := s.Receive(hang)
		if r.Error == nil || r.Error.Code != c.code || string(r.ID) != c.id {
			t.Errorf("%q: got id %s, error %+v; want id %s, code %d", c.line, r.ID, r.Error, c.id, c.code)
		}
	}
	// Neither of these is answered.
	s.Send(``, `   `, "\r", `{"jsonrpc":"2.0","method":"notifications/nonsense"}`, `{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":"y","error":{"code":1,"message":"no"}}`)
	if r := s.ask("11", "ping", "{}"); r.Error != nil {
		t.Errorf("the session does not go on: %+v", r.Error)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestLineEndsOfWindows(t *testing.T) {
	s := start(t, &fakeBrowser{})
	s.Send(mcptest.Request("1", "ping", "{}") + "\r")
	if r := s.Receive(hang); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("got %+v", r)
	}
	s.end()
}

func TestLongLineFailsItsOwnCallOnly(t *testing.T) {
	b := &fakeBrowser{}
	s := start(t, b)
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct{ line, id string }{
		// The Go SDK's order of fields, and the TypeScript SDK's.
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fill","arguments":{"ref":"e1","value":"` + long + `"}}}`, "1"},
		{`{"method":"tools/call","params":{"id":"no","name":"fill","arguments":{"value":"\"id\":5` + long + `"}},"jsonrpc":"2.0","id":"two"}`, `"two"`},
		{`[{"jsonrpc":"2.0","id":3,"method":"` + long + `"}]`, "null"},
		{long + "x", "null"},
	} {
		s.Send(c.line)
		r := s.Receive(hang)
		if r.Error == nil || r.Error.Code != -32600 || string(r.ID) != c.id || !strings.Contains(r.Error.Message, "over the limit") {
			t.Errorf("%.60s: got id %s, error %+v; want id %s", c.line, r.ID, r.Error, c.id)
		}
	}
	if calls := b.seen(); len(calls) > 0 {
		t.Errorf("a call was made: %v", calls)
	}
	// The longest that is needed fits.
	text, isError := s.call("5", "fill", `{"ref":"e1","value":"`+strings.Repeat("y", 5_000_000)+`"}`)
	if isError || text != "did Fill" {
		t.Errorf("a fill of 5 MB: %q", text)
	}
	if got := b.seen(); len(got) != 1 || got[0] != "Fill{Tab: Ref:e1 Value:5000000 bytes}" {
		t.Errorf("calls: %v", got)
	}
	s.end()
}

func TestIDsComeBackAsTheyWere(t *testing.T) {
	s := start(t, &fakeBrowser{})
	for _, id := range []string{`0`, `-7`, `9007199254740993`, `"a\u0041\n\""`, `""`, `"1"`, `"` + strings.Repeat("i", 3000) + `"`} {
		if r := s.ask(id, "tools/list", "{}"); r.Error != nil {
			t.Errorf("id %.40s: %+v", id, r.Error)
		}
	}
	s.end()
}

func TestCancelledCallIsNotAnsweredAndItsIDIsFree(t *testing.T) {
	started, ended := make(chan string, 1), make(chan error, 1)
	b := &fakeBrowser{on: blockUntilCancelled(started, ended)}
	s := start(t, b)
	s.greet("researcher")
	for range 3 {
		s.Send(callLine(`"c"`, "wait_for", `{"ms":30000}`))
		receive(t, started, "call")
		// However the id is spelled.
		s.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0063","reason":"enough"}}`)
		if err := receive(t, ended, "end of the call"); !errors.Is(err, context.Canceled) {
			t.Errorf("the engine's context ended with %v", err)
		}
		// An answer to the call would come before this one, or with its id.
		if r := s.ask(`"c"`, "ping", "{}"); r.Error != nil {
			t.Errorf("ping: %+v", r.Error)
		}
	}
	// Cancelling what is unknown, finished, or cannot be cancelled is nothing.
	s.Send(
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":"nonsense"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
	)
	s.ask("9", "ping", "{}")
	s.end()
}

func TestSameIDTwiceAtOnceIsRefused(t *testing.T) {
	started, release := make(chan string, 1), make(chan struct{})
	b := &fakeBrowser{on: func(_ context.Context, call string) error { started <- call; <-release; return nil }}
	s := start(t, b)
	s.Send(callLine("1", "click", `{"ref":"e1"}`))
	receive(t, started, "call")
	s.Send(callLine("1", "click", `{"ref":"e2"}`))
	if r := s.Receive(hang); r.Error == nil || r.Error.Code != -32600 || string(r.ID) != "null" {
		t.Errorf("the second: %+v", r)
	}
	close(release)
	if text, _ := s.text(s.Receive(hang)); text != "did Click" {
		t.Errorf("the first: %q", text)
	}
	if got := b.seen(); len(got) != 1 {
		t.Errorf("calls: %v", got)
	}
	s.end()
}

// A second call must not overtake the first because that took longer to read
// or because both waited for the browser.
func TestCallsEnterInTheOrderTheyCame(t *testing.T) {
	b := &fakeBrowser{}
	release := make(chan struct{})
	s := start(t, b, func(o *Options) {
		o.Connect = func(context.Context, Identity, string) (browser.API, error) { <-release; return b, nil }
	})
	const n = 60
	var want []string
	for i := range n {
		pad := ""
		if i%3 == 0 {
			pad = strings.Repeat("x", 300_000)
		}
		s.Send(callLine(fmt.Sprint(i), "type_text", fmt.Sprintf(`{"text":"%d%s"}`, i, pad)))
		want = append(want, fmt.Sprintf("TypeText{Tab: Text:%d%s Ref: Submit:false}", i, pad))
	}
	close(release)
	for range n {
		s.Receive(hang)
	}
	got := b.seen()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("call %d was %.60s, want %.60s", i, got[i], want[i])
		}
	}
	s.end()
}

func TestCallsRunSideBySide(t *testing.T) {
	started, release := make(chan string, 2), make(chan struct{})
	b := &fakeBrowser{on: func(ctx context.Context, call string) error {
		if strings.HasPrefix(call, "Click") {
			started <- call
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return nil
	}}
	s := start(t, b)
	s.Send(callLine("1", "click", `{"ref":"e1"}`))
	receive(t, started, "click")
	// The click waits for a dialog's answer, say.
	if text, _ := s.call("2", "handle_dialog", `{"accept":true}`); text != "did HandleDialog" {
		t.Errorf("handle_dialog: %q", text)
	}
	close(release)
	if text, _ := s.text(s.Receive(hang)); text != "did Click" {
		t.Errorf("click: %q", text)
	}
	s.end()
}

func TestIDFinder(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1}`:                      "1",
		`{ "id" : "a,b}" , "x":1}`:      `"a,b}"`,
		`{"x":{"id":2},"id":3}`:         "3",
		`{"x":"\"id\":4","id":"\"q\""}`: `"\"q\""`,
		`{"x":["id",5],"y":"id","id":6`: "6",
		`{"id":{"a":1}}`:                "",
		`{"id":null}`:                   "",
		`{"idx":7}`:                     "",
		`}{"id":8}`:                     "",
		``:                              "",
		`{"id":"` + strings.Repeat("z", 1000) + `"}`:     "",
		`{"` + strings.Repeat("k", 1000) + `":1,"id":9}`: "9",
	} {
		var f idFinder
		for i := range len(text) { // in the smallest pieces there are
			f.feed([]byte{text[i]})
		}
		if got := string(f.found()); got != want {
			t.Errorf("%.60s: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`, `[1]`, `{`, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(strings.TrimSpace(string(line))) == 0 {
			return // never reaches parse
		}
		m, err := parse(line)
		if err != nil {
			var bad *badMessageError
			if !errors.As(err, &bad) || bad.code == 0 || bad.text == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if m.id != nil && !validID(m.id) {
			t.Fatalf("id %s", m.id)
		}
		_, _ = m.sdk(1) // must not panic
		// What reads the whole and what reads it in passing agree.
		var finder idFinder
		finder.feed(line)
		if id := finder.found(); id != nil && m.id != nil && idKey(id) != idKey(m.id) && strings.Count(string(line), `"id"`) == 1 {
			t.Fatalf("finder found %s, parse %s", id, m.id)
		}
	})
}
