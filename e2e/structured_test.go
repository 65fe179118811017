//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// structures are the output schemas of the tools that have one, by the tool's
// name, as clients are told them.
var structures = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	files, err := filepath.Glob("../mcpserver/testdata/tools/*.json")
	if err != nil {
		return nil, err
	}
	byName := map[string]*jsonschema.Resolved{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var tool struct {
			Name   string
			Output *jsonschema.Schema `json:"outputSchema"`
		}
		if err := json.Unmarshal(b, &tool); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if tool.Output == nil {
			continue
		}
		closed(tool.Output)
		if byName[tool.Name], err = tool.Output.Resolve(nil); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
	}
	return byName, nil
})

// closed has a schema take nothing that it does not name.
func closed(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, p := range s.Properties {
		closed(p)
	}
	closed(s.Items)
}

// conforms checks the structure of a tool's result: it is there where the tool
// says that it has one, and an error has none. Every call of these tests passes
// here.
func conforms(tool string, r *mcp.CallToolResult) error {
	schemas, err := structures()
	if err != nil {
		return err
	}
	schema := schemas[tool]
	switch {
	case r.IsError || schema == nil:
		if r.StructuredContent != nil {
			return fmt.Errorf("%s gave a structure that it does not announce: %v", tool, r.StructuredContent)
		}
		return nil
	case r.StructuredContent == nil:
		return fmt.Errorf("%s gave no structure", tool)
	}
	if err := schema.Validate(r.StructuredContent); err != nil {
		return fmt.Errorf("the structure of %s: %w: %v", tool, err, r.StructuredContent)
	}
	return nil
}

func TestStructures(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	a.open(e.site.page("form.html"))
	// structure calls a tool, and returns what a program reads.
	structure := func(tool string, arguments args) map[string]any {
		t.Helper()
		r, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if err := conforms(tool, r); err != nil {
			t.Fatal(err)
		}
		m, _ := r.StructuredContent.(map[string]any)
		return m
	}
	one := func(list any) map[string]any {
		t.Helper()
		l, _ := list.([]any)
		if len(l) != 1 {
			t.Fatalf("%v", list)
		}
		m, _ := l[0].(map[string]any)
		return m
	}
	if tab := one(structure("tabs", args{"action": "list"})["tabs"]); tab["url"] != e.site.page("form.html") || tab["current"] != true {
		t.Errorf("%v", tab)
	}
	found := one(structure("find", args{"query": "Name", "role": "textbox"})["matches"])
	value, _ := structure("evaluate", args{"function": "(el) => ({name: el.name, list: [1, null]})", "ref": found["ref"]})["value"].(map[string]any)
	if value["name"] != "name" || fmt.Sprint(value["list"]) != "[1 <nil>]" {
		t.Errorf("%v", value)
	}
	structure("console", args{})
	structure("network", args{})
	structure("evaluate", args{"function": "async () => { console.warn('careful'); await (await fetch('/form.html')).text(); }"})
	if m := one(structure("console", args{"filter": "careful"})["messages"]); m["level"] != "warning" {
		t.Errorf("%v", m)
	}
	request := one(structure("network", args{})["requests"])
	if request["status"] != 200.0 {
		t.Errorf("%v", request)
	}
	if got, _ := structure("network", args{"request": request["id"]})["got"].(map[string]any); got["mime"] != "text/html" {
		t.Errorf("%v", got)
	}
}
