package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type fillFormArgs struct {
	Fields []struct {
		Ref   string `json:"ref"`
		Value string `json:"value"`
	} `json:"fields"`
	Tab string `json:"tab"`
}

func (a fillFormArgs) check() error {
	if len(a.Fields) == 0 {
		return fmt.Errorf(`"fields" is empty; it must name the fields to fill, each with "ref" and "value"`)
	}
	for i, f := range a.Fields {
		if f.Ref == "" {
			return fmt.Errorf(`"fields" is wrong at item %d: %w`, i+1, needRef(""))
		}
	}
	return nil
}

func fillFormTool() *tool {
	t := define(tool{
		name:        "fill_form",
		title:       "Fill form",
		description: "Fill several fields in one call: text, an option's label, or true and false for check boxes, radios and switches.",
		schema: `{"type":"object","properties":{` +
			`"fields":{"type":"array","items":{"type":"object","properties":{` + refProperty + `,"value":{"type":"string"}},"required":["ref","value"]}},` +
			tabProperty + `},"required":["fields"]}`,
		hints: hints{destructive: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a fillFormArgs) *mcp.CallToolResult {
		args := browser.FormArgs{Tab: a.Tab}
		for _, f := range a.Fields {
			args.Fields = append(args.Fields, browser.FormField{Ref: f.Ref, Value: f.Value})
		}
		return outcomeOf(b.FillForm(ctx, args))
	})
	prepare := t.prepare
	t.prepare = func(raw json.RawMessage) (run, error) { return prepare(plainValues(raw)) }
	return t
}

// plainValues writes the values true, 1 and so on of fields as text. The schema
// asks for text, since many hosts take no property of several types; a model
// that ticks a box says true all the same.
func plainValues(raw json.RawMessage) json.RawMessage {
	var a map[string]json.RawMessage
	var fields []map[string]json.RawMessage
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(a["fields"], &fields) != nil {
		return raw
	}
	for _, f := range fields {
		if v := f["value"]; len(v) > 0 && (v[0] == 't' || v[0] == 'f' || v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
			f["value"] = json.RawMessage(`"` + string(v) + `"`)
		}
	}
	var err error
	if a["fields"], err = json.Marshal(fields); err != nil {
		return raw
	}
	if plain, err := json.Marshal(a); err == nil {
		return plain
	}
	return raw
}
