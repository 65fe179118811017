package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// strict is the schema of a tool's structure as its reader takes it: what is
// not in it is a mistake of ours.
func strict(t *testing.T, text string) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	var close func(*jsonschema.Schema)
	close = func(s *jsonschema.Schema) {
		if s == nil {
			return
		}
		if s.Properties != nil {
			s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		}
		for _, p := range s.Properties {
			close(p)
		}
		close(s.Items)
	}
	close(&s)
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStructures(t *testing.T) {
	outputs := map[string]*jsonschema.Resolved{}
	bytes := 0
	for _, tool := range catalogue() {
		if tool.output == "" {
			continue
		}
		outputs[tool.name] = strict(t, tool.output)
		bytes += len(`,"outputSchema":`) + len(tool.output)
	}
	if bytes > 1310 {
		t.Errorf("the output schemas have %d bytes", bytes)
	}
	s := start(t, &fakeBrowser{})
	seen := map[string]bool{}
	for _, c := range []struct{ tool, args, want string }{
		{"tabs", `{"action":"list"}`, `{"tabs":[{"id":"t1","url":"https://a.example/","title":"A","current":true},{"id":"t2","url":"about:blank","current":false,"dialog":"confirm \"Delete \\\"a\\\"? (sure)\""}]}`},
		{"tabs", `{"action":"open"}`, `{"notes":"did OpenTab"}`},
		{"tabs", `{"action":"close","tab":"t2"}`, `{"notes":"did CloseTab"}`},
		{"find", `{"query":"Buy"}`, `{"matches":[{"ref":"e1","role":"button","name":"Buy","place":"under \"Shop\""}],"total":30,` +
			`"notes":"Tab t1: https://a.example/\nThe best 1 of 30 matches for \"Buy\"; more words find fewer:"}`},
		{"evaluate", `{"function":"x"}`, `{"value":"{\"a\":1}","notes":"did Evaluate\nCut: this was the first 7 of 9 characters. Have the function return less."}`},
		{"console", `{}`, ``},
		{"network", `{}`, `{"requests":[],"total":0,"notes":"Tab t1 has no requests that fit.\nNote: from now on"}`},
		{"network", `{"filter":"api"}`, `{"requests":[{"id":"n2","method":"POST","type":"fetch","url":"https://a.example/api","status":200,"mime":"application/json","bytes":12,"ms":3}],` +
			`"total":1,"notes":"Tab t1, 1 of 1 requests:"}`},
		{"network", `{"request":"n2"}`, ``},
		{"network", `{"request":"n3"}`, ``},
		{"find", `{"query":"nothing"}`, ``},
		{"read_page", `{}`, `none`},
		{"click", `{"ref":"e1"}`, `none`},
		{"find", `{"query":""}`, `none`}, // an error
		{"tabs", `{}`, `none`},
	} {
		r := s.ask("1", "tools/call", `{"name":"`+c.tool+`","arguments":`+c.args+`}`)
		var res struct{ StructuredContent json.RawMessage }
		if err := json.Unmarshal(r.Result, &res); err != nil {
			t.Fatal(err)
		}
		got := string(res.StructuredContent)
		if c.want == "none" {
			if got != "" {
				t.Errorf("%s %s: %s", c.tool, c.args, got)
			}
			continue
		}
		seen[c.tool] = true
		if c.want != "" && !sameJSON(t, got, c.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, got, c.want)
		}
		var v any
		if err := json.Unmarshal(res.StructuredContent, &v); err != nil {
			t.Errorf("%s %s: %q: %v", c.tool, c.args, got, err)
		} else if err := outputs[c.tool].Validate(v); err != nil {
			t.Errorf("%s %s: %s: %v", c.tool, c.args, got, err)
		}
	}
	s.end()
	for name := range outputs {
		if !seen[name] {
			t.Errorf("nothing of %s was looked at", name)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%q: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// A value is the JSON that it is, not a text of it.
func TestEvaluateGivesValues(t *testing.T) {
	for _, c := range []struct {
		json  string
		total int
		want  string
	}{
		{`{"a":[1,"\ud800"]}`, 18, `{"value":{"a":[1,"\ud800"]},"notes":"Ran."}`},
		{`null`, 4, `{"value":null,"notes":"Ran."}`},
		{`0`, 1, `{"value":0,"notes":"Ran."}`},
		{``, 0, `{"notes":"Ran."}`},
		{`"half`, 10, `{"value":"\"half","notes":"Ran.\nCut: this was the first 5 of 10 characters. Have the function return less."}`},
	} {
		res := evaluation(&browser.Evaluation{Outcome: browser.Outcome{Did: "Ran."}, JSON: c.json, Total: c.total}, nil)
		got, err := json.Marshal(res.StructuredContent)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v", c.json, got, err)
		}
		if text := textOf(t, res); !strings.HasPrefix(text, "Ran.") || !strings.Contains(text, c.json) {
			t.Errorf("%s: %s", c.json, text)
		}
	}
}
