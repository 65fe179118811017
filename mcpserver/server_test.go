package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/cache"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

func TestInitializeOfEachVersion(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25", "zzz": "2025-11-25",
	} {
		s := start(t, &fakeBrowser{})
		r := s.ask("1", "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"Re  searcher!","version":"1"}}`, asked))
		var res struct {
			ProtocolVersion, Instructions string
			Capabilities                  map[string]json.RawMessage
			ServerInfo                    struct{ Name, Version string }
			ResultType                    string
		}
		if err := json.Unmarshal(r.Result, &res); err != nil {
			t.Fatal(err)
		}
		if res.ProtocolVersion != want || res.ServerInfo.Name != "sidekick" || res.ServerInfo.Version != "1.2.3" || res.Capabilities["tools"] == nil || len(res.Capabilities) != 1 {
			t.Errorf("%s: %s", asked, r.Result)
		}
		if !strings.Contains(res.Instructions, `"FrogBot · re-searcher"`) || strings.Contains(res.Instructions, groupPlaceholder) {
			t.Errorf("%s: instructions %q", asked, res.Instructions)
		}
		s.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		r = s.ask("2", "tools/call", `{"name":"click","arguments":{"ref":"e1"}}`)
		if text, isError := s.text(r); isError || text != "did Click" || strings.Contains(string(r.Result), "resultType") {
			t.Errorf("%s: a call gives %s", asked, r.Result)
		}
		s.end()
	}
}

func TestInitializeAgain(t *testing.T) {
	s := start(t, &fakeBrowser{})
	for i, name := range []string{"one", "two", "two"} {
		r := s.greet(name)
		if r.Error != nil || !strings.Contains(string(r.Result), "FrogBot · "+name) || !strings.Contains(string(r.Result), `"protocolVersion":"2025-11-25"`) {
			t.Errorf("initialize %d: %s %+v", i+1, r.Result, r.Error)
		}
	}
	// Sent together, before either is answered.
	s.Send(mcptest.Initialize("8", "x"),
		mcptest.Initialize("9", "x"))
	for range 2 {
		if r := s.Receive(hang); r.Error != nil {
			t.Errorf("got %+v", r.Error)
		}
	}
	s.end()
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"writer","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestStatelessVersion(t *testing.T) {
	changed := make(chan struct{})
	s := start(t, &fakeBrowser{}, func(o *Options) { o.LimitsChanged = changed })
	r := s.ask(`"probe"`, "server/discover", `{`+modernMeta+`}`)
	var d struct {
		ResultType, CacheScope, Instructions string
		TTLMs                                int `json:"ttlMs"`
		SupportedVersions                    []string
		Capabilities                         map[string]json.RawMessage
		Meta                                 map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(r.Result, &d); err != nil {
		t.Fatal(err)
	}
	if d.ResultType != "complete" || d.CacheScope != "private" || d.TTLMs <= 0 || len(d.SupportedVersions) != 5 || d.SupportedVersions[0] != "2026-07-28" ||
		d.Capabilities["tools"] == nil || !strings.Contains(d.Instructions, "FrogBot · writer") || d.Meta["io.modelcontextprotocol/serverInfo"] == nil {
		t.Errorf("discover: %s", r.Result)
	}
	r = s.ask("2", "tools/list", `{`+modernMeta+`}`)
	if !strings.Contains(string(r.Result), `"resultType":"complete"`) || !strings.Contains(string(r.Result), `"cacheScope":"private"`) {
		t.Errorf("tools/list: %.300s", r.Result)
	}
	r = s.ask("3", "tools/call", `{"name":"click","arguments":{"ref":"e1"},`+modernMeta+`}`)
	if text, _ := s.text(r); text != "did Click" || !strings.Contains(string(r.Result), `"resultType":"complete"`) {
		t.Errorf("tools/call: %s", r.Result)
	}
	r = s.ask("4", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`)
	if r.Error == nil || r.Error.Code != -32022 {
		t.Errorf("a version of the future: %+v", r.Error)
	}
	r = s.ask("5", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)
	if r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("without capabilities: %+v", r.Error)
	}
	// A listen is acknowledged under its own id, whatever ours is.
	s.Send(mcptest.Request(`"listen:0"`, "subscriptions/listen", `{"notifications":{"toolsListChanged":true},`+modernMeta+`}`))
	ack := s.Receive(hang)
	if ack.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(string(ack.Params), `"io.modelcontextprotocol/subscriptionId":"listen:0"`) {
		t.Errorf("acknowledged: %s %s", ack.Method, ack.Params)
	}
	changed <- struct{}{}
	if told := s.Receive(hang); told.Method != "notifications/tools/list_changed" || !strings.Contains(string(told.Params), `"io.modelcontextprotocol/subscriptionId":"listen:0"`) {
		t.Errorf("of a change: %s %s", told.Method, told.Params)
	}
	s.end()
}

// Clients probe for the newer version and then use the older one.
func TestInitializeAfterDiscover(t *testing.T) {
	s := start(t, &fakeBrowser{})
	s.ask("1", "server/discover", `{`+modernMeta+`}`)
	s.greet("researcher")
	r := s.ask("2", "tools/list", `{}`)
	if r.Error != nil || strings.Contains(string(r.Result), "resultType") {
		t.Errorf("tools/list: %.200s %+v", r.Result, r.Error)
	}
	s.end()

	s = start(t, &fakeBrowser{})
	s.ask("1", "tools/list", `{`+modernMeta+`}`)
	if r := s.greet("researcher"); r.Error != nil || !strings.Contains(string(r.Result), "FrogBot · researcher") || !strings.Contains(string(r.Result), `"name":"sidekick"`) {
		t.Errorf("initialize after a stateless request: %s %+v", r.Result, r.Error)
	}
	if r := s.ask("2", "tools/list", `{}`); r.Error != nil {
		t.Errorf("tools/list: %+v", r.Error)
	}
	s.end()
}

func TestToolsBeforeAnything(t *testing.T) {
	s := start(t, &fakeBrowser{})
	if _, byName := listed(t, s); len(byName) != len(catalogue()) {
		t.Errorf("%d tools", len(byName))
	}
	if r := s.greet("late"); r.Error != nil || !strings.Contains(string(r.Result), "FrogBot · late") {
		t.Errorf("initialize: %s %+v", r.Result, r.Error)
	}
	s.end()
}

func store(dir string) *cache.Store {
	return cache.New(func(id string) string { return filepath.Join(dir, id+".json") })
}

func TestCacheIsWrittenAfterTheFirstConnect(t *testing.T) {
	dir := t.TempDir()
	c := store(dir)
	use := func(o *Options) { o.Cache = c }

	s := start(t, &fakeBrowser{}, use)
	s.greet("x")
	raw, _ := listed(t, s)
	if _, ok := c.Load("p1", "1.2.3"); ok {
		t.Error("written before anything was learnt")
	}
	s.call("1", "click", `{"ref":"e1"}`)
	s.end()
	e, ok := c.Load("p1", "1.2.3")
	if !ok || e.Pairing != "FrogBot" || e.Instructions != instructions {
		t.Fatalf("entry %+v, %v", e, ok)
	}

	// The next process answers the same from it, and does not write it again.
	before, err := os.ReadFile(filepath.Join(dir, "p1.json"))
	if err != nil {
		t.Fatal(err)
	}
	s = start(t, &fakeBrowser{}, use)
	again, _ := listed(t, s)
	if string(again) != string(raw) {
		t.Errorf("the list from the cache differs:\n%s\n%s", again, raw)
	}
	s.call("1", "click", `{"ref":"e1"}`)
	s.end()
	after, err := os.ReadFile(filepath.Join(dir, "p1.json"))
	if err != nil || string(before) != string(after) {
		t.Errorf("written again (%v)", err)
	}
}

func TestCacheAnswersTheHandshakeAndTheList(t *testing.T) {
	c := store(t.TempDir())
	save := func(pairing, tools string) {
		t.Helper()
		if err := c.Save("p1", cache.Entry{Version: "1.2.3", Pairing: pairing, Instructions: "Learnt, group {group}.", Tools: json.RawMessage(tools)}); err != nil {
			t.Fatal(err)
		}
	}
	use := func(o *Options) { o.Cache = c }
	learntTools := `[
		{"name":"click","description":"Learnt.","inputSchema":{"type":"object","properties":{"ref":{"type":"string"}}},"annotations":{"title":"C","readOnlyHint":false,"idempotentHint":false}},
		{"name":"navigate","description":"Without a usable schema.","inputSchema":{"type":"array"},"annotations":{"title":"N"}},
		{"name":"fill","description":"Without a schema.","annotations":{"title":"N"}},
		{"name":"launch_missiles","description":"Unknown.","inputSchema":{"type":"object"},"annotations":{"title":"M"}}]`

	save("FrogBot", learntTools)
	s := start(t, &fakeBrowser{}, use)
	if r := s.greet("x"); !strings.Contains(string(r.Result), `"instructions":"Learnt, group FrogBot · x."`) {
		t.Errorf("initialize: %s", r.Result)
	}
	_, byName := listed(t, s)
	if len(byName) != len(catalogue()) || byName["launch_missiles"] != nil || !strings.Contains(string(byName["click"]), `"description":"Learnt."`) ||
		strings.Contains(string(byName["navigate"]), "usable") || strings.Contains(string(byName["fill"]), "Without") {
		t.Errorf("tools: %s", byName)
	}
	if text, isError := s.call("1", "click", `{}`); !isError || !strings.Contains(text, `give "ref"`) {
		t.Errorf("arguments are checked by the learnt schema: %q", text)
	}
	s.end()

	// Of a pairing with another name: the user renamed it since.
	save("Old name", learntTools)
	s = start(t, &fakeBrowser{}, use)
	if r := s.greet("x"); strings.Contains(string(r.Result), "Learnt") {
		t.Errorf("initialize: %s", r.Result)
	}
	s.end()
}

func TestCacheThatCannotBeWrittenIsNoFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, &fakeBrowser{}, func(o *Options) { o.Cache = store(filepath.Join(file, "in a file")) })
	if text, isError := s.call("1", "click", `{"ref":"e1"}`); isError {
		t.Errorf("got %q", text)
	}
	s.end()
}

func BenchmarkStartToToolList(b *testing.B) {
	lines := mcptest.Initialize("1", "x") + "\n" + mcptest.Request("2", "tools/list", "{}") + "\n"
	benchmarkSession(b, lines)
}
