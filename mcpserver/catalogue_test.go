package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// listed is the tool list as a client gets it.
func listed(t *testing.T, s *session) (raw []byte, byName map[string]json.RawMessage) {
	t.Helper()
	r := s.ask(`"list"`, "tools/list", "{}")
	var res struct{ Tools json.RawMessage }
	if err := json.Unmarshal(r.Result, &res); err != nil {
		t.Fatal(err)
	}
	var tools []json.RawMessage
	if err := json.Unmarshal(res.Tools, &tools); err != nil {
		t.Fatal(err)
	}
	byName = map[string]json.RawMessage{}
	for _, tool := range tools {
		var name struct{ Name string }
		if err := json.Unmarshal(tool, &name); err != nil {
			t.Fatal(err)
		}
		byName[name.Name] = tool
	}
	if len(byName) != len(tools) {
		t.Errorf("two tools have one name")
	}
	return res.Tools, byName
}

// A change of what models are told is a change of behaviour: it has to be seen
// in a diff. UPDATE_SNAPSHOTS=1 writes the files anew.
func TestToolSnapshots(t *testing.T) {
	s := start(t, &fakeBrowser{})
	_, byName := listed(t, s)
	s.end()
	dir := filepath.Join("testdata", "tools")
	update := os.Getenv("UPDATE_SNAPSHOTS") == "1"
	if update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, tool := range byName {
		var got bytes.Buffer
		if err := json.Indent(&got, tool, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		path := filepath.Join(dir, name+".json")
		if update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), got.Bytes()) {
			t.Errorf("%s is not as in %s (%v). If that is meant: UPDATE_SNAPSHOTS=1 go test ./mcpserver. Now:\n%s", name, path, err, got.Bytes())
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if byName[strings.TrimSuffix(f.Name(), ".json")] == nil {
			t.Errorf("there is a snapshot %s but no such tool", f.Name())
		}
	}
}

func TestToolListIsSmall(t *testing.T) {
	s := start(t, &fakeBrowser{})
	raw, byName := listed(t, s)
	s.end()
	if len(raw) >= 12_000 {
		t.Errorf("the tool list has %d bytes", len(raw))
	}
	want := []string{"click", "console", "drag", "evaluate", "fill", "fill_form", "find", "handle_dialog", "hover", "navigate", "network", "press_key", "read_page", "save_pdf", "screenshot", "scroll", "select_option", "tabs", "type_text", "upload_file", "wait_for"}
	if got := sortedKeys(byName); !slices.Equal(got, want) {
		t.Errorf("tools: %v", got)
	}
	t.Logf("%d tools, %d bytes", len(byName), len(raw))
}

// The schema that clients see and the struct that handlers read are written
// apart; here they are held together.
func TestSchemasFitTheirStructs(t *testing.T) {
	structs := map[string]any{
		"navigate": navigateArgs{}, "read_page": readPageArgs{}, "screenshot": screenshotArgs{}, "click": clickArgs{},
		"hover": hoverArgs{}, "console": recordArgs{}, "network": networkArgs{}, "save_pdf": savePDFArgs{}, "evaluate": evaluateArgs{}, "drag": dragArgs{}, "scroll": scrollArgs{}, "fill": fillArgs{}, "fill_form": fillFormArgs{}, "select_option": selectOptionArgs{},
		"upload_file": uploadFileArgs{}, "type_text": typeTextArgs{}, "press_key": pressKeyArgs{}, "wait_for": waitForArgs{}, "tabs": tabsArgs{}, "handle_dialog": handleDialogArgs{},
		"find": findArgs{},
	}
	for _, tool := range catalogue() {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(tool.schema), &s); err != nil {
			t.Errorf("%s: %v", tool.name, err)
			continue
		}
		if _, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
			t.Errorf("%s: %v", tool.name, err)
		}
		inferred, err := jsonschema.ForType(reflect.TypeOf(structs[tool.name]), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sortedKeys(s.Properties), sortedKeys(inferred.Properties); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the struct %v", tool.name, got, want)
		}
		if s.Properties["tab"] == nil {
			t.Errorf("%s takes no tab", tool.name)
		}
		for name, p := range s.Properties {
			want := inferred.Properties[name].Type
			if want == "" { // jsonschema-go says ["null", "array"] of a slice, and so of a pointer
				want = inferred.Properties[name].Types[1]
			}
			if p.Type != want {
				t.Errorf("%s: %s is %s in the schema, %s in the struct", tool.name, name, p.Type, want)
			}
		}
		for _, r := range s.Required {
			if s.Properties[r] == nil {
				t.Errorf("%s: needs %s, which it does not have", tool.name, r)
			}
		}
	}
}

func TestToolsAskTheEngine(t *testing.T) {
	b := &fakeBrowser{}
	s := start(t, b)
	for _, c := range []struct{ tool, args, want string }{
		{"navigate", `{"url":"https://a.example/"}`, "Navigate{Tab: URL:https://a.example/ Action:}"},
		{"navigate", `{"action":"back","tab":"t2"}`, "Navigate{Tab:t2 URL: Action:back}"},
		{"read_page", `{}`, "ReadPage{Tab: Mode: Ref: Offset:0 MaxChars:0}"},
		{"read_page", `{"mode":"text","ref":"e9","offset":20000,"max_chars":5.0e3,"tab":"t1"}`, "ReadPage{Tab:t1 Mode:text Ref:e9 Offset:20000 MaxChars:5000}"},
		{"click", `{"ref":"e9"}`, "Click{Tab: Ref:e9 Button: Count:0 Modifiers:[] At:<nil>}"},
		{"click", `{"ref":"e9","button":"right","count":2,"modifiers":["Shift","Alt"],"tab":"t3"}`, "Click{Tab:t3 Ref:e9 Button:right Count:2 Modifiers:[Shift Alt] At:<nil>}"},
		{"click", `{"x":10,"y":20.5}`, "Click{Tab: Ref: Button: Count:0 Modifiers:[] At:10,20.5}"},
		{"click", `{"ref":"e9","x":0,"y":0}`, "Click{Tab: Ref:e9 Button: Count:0 Modifiers:[] At:0,0}"},
		{"drag", `{"from":"e1","to":"e2"}`, "Drag{Tab: From:e1 To:e2 At:<nil> Path:[] Text:}"},
		{"drag", `{"from":"e1","x":-40}`, "Drag{Tab: From:e1 To: At:-40,0 Path:[] Text:}"},
		{"fill", `{"ref":"e1","value":""}`, "Fill{Tab: Ref:e1 Value:}"},
		{"fill", `{"ref":"e1","value":"\ud800 \"x\" 😀","tab":null}`, "Fill{Tab: Ref:e1 Value:\uFFFD \"x\" 😀}"},
		{"fill_form", `{"fields":[{"ref":"e1","value":"x"},{"ref":"e2","value":true},{"ref":"e3","value":-1.5}]}`, "FillForm{Tab: Fields:[{Ref:e1 Value:x} {Ref:e2 Value:true} {Ref:e3 Value:-1.5}]}"},
		{"type_text", `{"text":"hi","ref":"e2","submit":true}`, "TypeText{Tab: Text:hi Ref:e2 Submit:true}"},
		{"press_key", `{"key":"Control+a"}`, "PressKey{Tab: Key:Control+a Ref:}"},
		{"select_option", `{"ref":"e3","values":["a","b"]}`, "SelectOption{Tab: Ref:e3 Values:[a b]}"},
		{"select_option", `{"ref":"e3","values":[]}`, "SelectOption{Tab: Ref:e3 Values:[]}"},
		{"upload_file", `{"ref":"e3","paths":["/a b","/c"]}`, "UploadFile{Tab: Ref:e3 Paths:[/a b /c]}"},
		{"evaluate", `{"function":"(el) => 1","ref":"e3"}`, "Evaluate{Tab: Function:(el) => 1 Ref:e3}"},
		{"hover", `{"ref":"e4"}`, "Hover{Tab: Ref:e4 At:<nil>}"},
		{"hover", `{"ref":"e4","x":5,"y":6}`, "Hover{Tab: Ref:e4 At:5,6}"},
		{"drag", `{"from":"e1","path":[[1,2],[3,4.5]]}`, "Drag{Tab: From:e1 To: At:<nil> Path:[1,2 3,4.5] Text:}"},
		{"drag", `{"from":"e1","text":"two words"}`, "Drag{Tab: From:e1 To: At:<nil> Path:[] Text:two words}"},
		{"scroll", `{}`, "Scroll{Tab: Ref: Direction:down Pages:0}"},
		{"scroll", `{"ref":"e5"}`, "Scroll{Tab: Ref:e5 Direction: Pages:0}"},
		{"scroll", `{"direction":"bottom","pages":0.5}`, "Scroll{Tab: Ref: Direction:bottom Pages:0.5}"},
		{"find", `{"query":"Buy","role":"button"}`, "Find{Tab: Query:Buy Role:button}"},
		{"wait_for", `{"text":"done"}`, "WaitFor{Tab: Text:done TextGone: Ref: Idle:false URL: For:0s Timeout:0s}"},
		{"wait_for", `{"text_gone":"x","timeout_ms":1500}`, "WaitFor{Tab: Text: TextGone:x Ref: Idle:false URL: For:0s Timeout:1.5s}"},
		{"wait_for", `{"url":"*/ok"}`, "WaitFor{Tab: Text: TextGone: Ref: Idle:false URL:*/ok For:0s Timeout:0s}"},
		{"wait_for", `{"ms":250}`, "WaitFor{Tab: Text: TextGone: Ref: Idle:false URL: For:250ms Timeout:0s}"},
		{"wait_for", `{"ref":"e4"}`, "WaitFor{Tab: Text: TextGone: Ref:e4 Idle:false URL: For:0s Timeout:0s}"},
		{"wait_for", `{"idle":true}`, "WaitFor{Tab: Text: TextGone: Ref: Idle:true URL: For:0s Timeout:0s}"},
		{"save_pdf", `{"path":"/x/y.pdf"}`, "SavePDF{Tab: Path:/x/y.pdf}"},
		{"console", `{"filter":"x","errors":true}`, "Console{Tab: Filter:x Errors:true Limit:0}"},
		{"network", `{"limit":5}`, "Network{Tab: Filter: Errors:false Limit:5}"},
		{"network", `{"request":"n3"}`, "Exchange{Tab: Request:n3}"},
		{"screenshot", `{"full_page":true}`, "Screenshot{Tab: Ref: FullPage:true Format: Annotate:false FullSize:false}"},
		{"screenshot", `{"annotate":true,"format":"jpeg","full_size":true}`, "Screenshot{Tab: Ref: FullPage:false Format:jpeg Annotate:true FullSize:true}"},
		{"tabs", `{"action":"list"}`, "Tabs"},
		{"tabs", `{"action":"open","url":"https://b.example/"}`, "OpenTab[https://b.example/]"},
		{"tabs", `{"action":"open"}`, "OpenTab[about:blank]"},
		{"tabs", `{"action":"switch","tab":"t2"}`, "SwitchTab[t2]"},
		{"tabs", `{"action":"close","tab":"t2"}`, "CloseTab[t2]"},
		{"handle_dialog", `{"accept":false}`, "HandleDialog{Tab: Accept:false Text:}"},
		{"handle_dialog", `{"accept":true,"text":"me"}`, "HandleDialog{Tab: Accept:true Text:me}"},
	} {
		before := len(b.seen())
		if text, isError := s.call("1", c.tool, c.args); isError {
			t.Errorf("%s %s: %s", c.tool, c.args, text)
			continue
		}
		if got := b.seen()[before:]; len(got) != 1 || got[0] != c.want {
			t.Errorf("%s %s: asked %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	s.end()
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	b := &fakeBrowser{}
	s := start(t, b)
	for _, c := range []struct{ tool, args, want string }{
		{"navigate", `{"url":5}`, `navigate: "url" must be a string, got a number`},
		{"navigate", `{}`, `navigate: give "url", or "action" (back, forward, reload)`},
		{"navigate", `{"url":null}`, `navigate: give "url", or "action" (back, forward, reload)`},
		{"navigate", `{"url":"x","action":"back"}`, `navigate: give "url" or "action", not both`},
		{"navigate", `{"action":"home"}`, `navigate: "action" must be one of "back", "forward", "reload", got "home"`},
		{"navigate", `{"URL":"x"}`, `navigate: unknown argument "URL"; it takes action, tab, url`},
		{"navigate", `["x"]`, `navigate: the arguments must be an object, got an array`},
		{"navigate", `"x"`, `navigate: the arguments must be an object, got a string`},
		{"click", `{}`, `click: give "ref", or "x" and "y"`},
		{"click", `{"ref":null,"x":1}`, `click: "x" and "y" go together`},
		{"click", `{"ref":""}`, `click: give "ref", or "x" and "y"`},
		{"click", `{"selector":"#a","ref":"e1"}`, `click: unknown argument "selector"; it takes button, changes, count, modifiers, ref, tab, x, y`},
		{"click", `{"ref":"e1","count":1.5}`, `click: "count" must be a whole number from 1 to 3, got 1.5`},
		{"click", `{"ref":"e1","count":"2"}`, `click: "count" must be a whole number from 1 to 3, got a string`},
		{"click", `{"ref":"e1","count":1e300}`, `click: "count" must be a whole number from 1 to 3, got 1e+300`},
		{"click", `{"ref":"e1","modifiers":"Shift"}`, `click: "modifiers" must be an array of "Alt", "Control", "Meta", "Shift", got a string`},
		{"click", `{"ref":"e1","modifiers":["Shift","Ctrl"]}`, `click: "modifiers" is wrong at item 2, which must be one of "Alt", "Control", "Meta", "Shift", got "Ctrl"`},
		{"fill", `{"ref":"e1"}`, `fill: "value" is missing; it must be a string`},
		{"fill", `{"ref":"e1","value":true}`, `fill: "value" must be a string, got a boolean`},
		{"drag", `{"from":"e1"}`, `drag: give "to", or "x" and "y" for how far`},
		{"drag", `{"from":"e1","to":"e2","text":"x"}`, `drag: give "to", "x" and "y", "path" or "text", not several of them`},
		{"drag", `{"from":"e1","path":[[1,2],[3]]}`, `drag: each point of "path" is [x, y], from the element's top left`},
		{"hover", `{"ref":"e4","x":5}`, `hover: "x" and "y" go together`},
		{"drag", `{"from":"","to":"e2"}`, `drag: "from" is empty; it must be an element's ref from read_page, like "e9"`},
		{"evaluate", `{"function":" "}`, `evaluate: "function" is empty; it must be JavaScript like "() => document.title"`},
		{"fill_form", `{"fields":[]}`, `fill_form: "fields" is empty; it must name the fields to fill, each with "ref" and "value"`},
		{"fill_form", `{"fields":"e1"}`, `fill_form: "fields" must be an array of objects, got a string`},
		{"fill_form", `{"fields":[{"ref":"e1"}]}`, `fill_form: "fields" is wrong at item 1, which is wrong: "value" is missing; it must be a string`},
		{"fill_form", `{"fields":[{"ref":"e1","value":"x"},{"ref":"","value":"x"}]}`, `fill_form: "fields" is wrong at item 2: "ref" is empty; it must be an element's ref from read_page, like "e9"`},
		{"select_option", `{"ref":"e1","values":[1]}`, `select_option: "values" is wrong at item 1, which must be a string, got a number`},
		{"select_option", `{"ref":"e1","values":{}}`, `select_option: "values" must be an array of strings, got an object`},
		{"read_page", `{"offset":-1}`, `read_page: "offset" must be a whole number not under 0, got -1`},
		{"read_page", `{"offset":1e300}`, `read_page: "offset" is too large`},
		{"scroll", `{"pages":0}`, `scroll: "pages" must be a number over 0 and not over 100, got 0`},
		{"screenshot", `{"full_page":"yes"}`, `screenshot: "full_page" must be true or false, got a string`},
		{"screenshot", `{"format":"gif"}`, `screenshot: "format" must be one of "png", "jpeg", "webp", got "gif"`},
		{"press_key", `{"key":""}`, `press_key: "key" is empty; it must be a key like "Enter"`},
		{"find", `{"query":" "}`, `find: "query" is empty; it must be a part of a text, name, label or placeholder`},
		{"network", `{"request":"n1","errors":true}`, `network: "request" goes with "tab" only: it shows the bodies of that one request`},
		{"wait_for", `{}`, `wait_for: give exactly one of "text", "text_gone", "ref", "idle", "url", "ms"`},
		{"wait_for", `{"text":"a","ms":5}`, `wait_for: give exactly one of "text", "text_gone", "ref", "idle", "url", "ms"`},
		{"wait_for", `{"ms":999999}`, `wait_for: "ms" must be a whole number from 1 to 120000, got 999999`},
		{"tabs", `{}`, `tabs: "action" is missing; it must be one of "list", "open", "switch", "close"`},
		{"tabs", `{"action":"close"}`, `tabs: action "close" needs "tab", like "t1"; action "list" shows your tabs`},
		{"tabs", `{"action":"open","tab":"t1"}`, `tabs: action "open" takes no "tab": the new tab gets an id of its own`},
		{"tabs", `{"action":"switch","tab":"t1","url":"x"}`, `tabs: "url" goes with action "open" only; to go somewhere in a tab that is open use navigate`},
		{"handle_dialog", `{"text":"x"}`, `handle_dialog: "accept" is missing; it must be true or false`},
		{"handle_dialog", `{"accept":false,"text":"x"}`, `handle_dialog: "text" answers a prompt, so it goes with "accept": true`},
	} {
		text, isError := s.call("1", c.tool, c.args)
		if text != c.want || !isError {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, text, c.want)
		}
	}
	if calls := b.seen(); len(calls) > 0 {
		t.Errorf("calls were made: %v", calls)
	}
	s.end()
}

func TestNoArgumentsAtAll(t *testing.T) {
	b := &fakeBrowser{}
	s := start(t, b)
	for _, params := range []string{`{"name":"read_page"}`, `{"name":"read_page","arguments":null}`} {
		s.Send(mcptest.Request("1", "tools/call", params))
		if text, isError := s.text(s.Receive(hang)); isError {
			t.Errorf("%s: %s", params, text)
		}
	}
	s.end()
}

func TestEngineErrorsAreResults(t *testing.T) {
	b := &fakeBrowser{on: func(_ context.Context, call string) error {
		if strings.HasPrefix(call, "Click") {
			panic("oops")
		}
		return errors.New("e9 is gone: read the page again")
	}}
	s := start(t, b)
	for _, c := range []struct{ tool, args string }{
		{"fill", `{"ref":"e9","value":"x"}`}, {"read_page", `{}`}, {"screenshot", `{}`}, {"tabs", `{"action":"list"}`},
	} {
		if text, isError := s.call("1", c.tool, c.args); !isError || text != "e9 is gone: read the page again" {
			t.Errorf("%s: %q, isError %v", c.tool, text, isError)
		}
	}
	if text, isError := s.call("2", "click", `{"ref":"e9"}`); !isError || !strings.HasPrefix(text, "click: internal error, a bug in Sidekick: oops") {
		t.Errorf("a panic: %q, isError %v", text, isError)
	}
	if r := s.ask("3", "ping", "{}"); r.Error != nil {
		t.Errorf("after a panic: %+v", r.Error)
	}
	s.end()
}

func TestScreenshotIsAnImage(t *testing.T) {
	s := start(t, &fakeBrowser{})
	r := s.ask("1", "tools/call", `{"name":"screenshot","arguments":{}}`)
	var res struct {
		Content []struct{ Type, Text, Data, MimeType string }
	}
	if err := json.Unmarshal(r.Result, &res); err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 2 || res.Content[0].Text != "Screenshot of tab t1, 3 × 2 pixels: https://a.example/" ||
		res.Content[1].Type != "image" || res.Content[1].Data != "cG5n" || res.Content[1].MimeType != "image/png" {
		t.Errorf("got %+v", res.Content)
	}
	s.end()
}
