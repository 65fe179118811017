package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// tool is one tool: what a client is told of it, and what it does.
type tool struct {
	name, title, description string
	// schema is the JSON Schema of the arguments. It is text, which costs
	// nothing at the start; it is read at the tool's first call. No schema has
	// "additionalProperties": false, which would be 400 bytes in every request
	// to a model; arguments that are not in it are refused all the same.
	schema string
	// output is the JSON Schema of what results have beside their text; empty
	// where that has no structure.
	output string
	hints  hints
	// barred says whether the user switched the tool off; nil for one that always
	// is there.
	barred func(Limits) bool
	// prepare checks a call's arguments, before anything happens.
	prepare func(raw json.RawMessage) (run, error)
}

// run is a call whose arguments were found right.
type run func(ctx context.Context, b browser.API) *mcp.CallToolResult

// hints say what a tool may do, for hosts that ask their user before some and
// run others side by side. Every tool is of an open world, the web, which is
// what a client assumes if it is not told otherwise.
type hints struct {
	readOnly    bool
	destructive bool // may undo or overwrite something, or set off what cannot be taken back
	idempotent  bool
}

// checker is what arguments have whose rules a schema cannot say (or not in a
// way that every model's host takes).
type checker interface{ check() error }

// needRef is the rule of tools that act on an element.
func needRef(ref string) error {
	if ref == "" {
		return errors.New(`"ref" is empty; it must be an element's ref from read_page, like "e9"`)
	}
	return nil
}

// define makes a tool of its description and what it does with its arguments,
// whose JSON names are the schema's.
func define[A any](t tool, do func(ctx context.Context, b browser.API, a A) *mcp.CallToolResult) *tool {
	args := newArguments(t.name, t.schema)
	t.prepare = func(raw json.RawMessage) (run, error) {
		var a A
		if err := args.decode(raw, &a); err != nil {
			return nil, err
		}
		if c, ok := any(a).(checker); ok {
			if err := c.check(); err != nil {
				return nil, &argumentError{tool: t.name, text: err.Error()}
			}
		}
		q, ok := any(a).(interface{ quiet() bool })
		quiet := ok && q.quiet()
		return func(ctx context.Context, b browser.API) *mcp.CallToolResult {
			if quiet {
				ctx = browser.WithoutChanges(ctx)
			}
			return do(ctx, b, a)
		}, nil
	}
	return &t
}

// catalogue is every tool that this binary has.
func catalogue() []*tool {
	return []*tool{
		navigateTool(),
		readPageTool(),
		findTool(),
		screenshotTool(),
		savePDFTool(),
		clickTool(),
		hoverTool(),
		dragTool(),
		scrollTool(),
		fillTool(),
		fillFormTool(),
		selectOptionTool(),
		uploadFileTool(),
		typeTextTool(),
		pressKeyTool(),
		waitForTool(),
		evaluateTool(),
		tabsTool(),
		handleDialogTool(),
		consoleTool(),
		networkTool(),
	}
}

// definition is what a client is told of the tool.
func (t *tool) definition() *mcp.Tool {
	a := &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.hints.readOnly, IdempotentHint: t.hints.idempotent}
	if !t.hints.readOnly { // of a tool that only reads it says nothing
		a.DestructiveHint = &t.hints.destructive
	}
	def := &mcp.Tool{Name: t.name, Description: t.description, InputSchema: json.RawMessage(t.schema), Annotations: a}
	if t.output != "" {
		def.OutputSchema = json.RawMessage(t.output)
	}
	return def
}

// encodeTools makes the JSON of a tool list, as the cache keeps it.
func encodeTools(tools []*tool) (json.RawMessage, error) {
	defs := make([]*mcp.Tool, len(tools))
	for i, t := range tools {
		defs[i] = t.definition()
	}
	return json.Marshal(defs)
}

// learnt takes over what a cached list says of the tools that this binary has.
// Others are of no use without a handler; what is not a usable definition is
// passed over.
func learnt(list json.RawMessage) map[string]*mcp.Tool {
	var defs []struct {
		mcp.Tool
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
	}
	if json.Unmarshal(list, &defs) != nil {
		return nil
	}
	byName := make(map[string]*mcp.Tool, len(defs))
	for _, d := range defs {
		var schema struct {
			Type string `json:"type"`
		}
		// MCP knows no schema of another type.
		if json.Unmarshal(d.InputSchema, &schema) != nil || schema.Type != "object" || d.Annotations == nil {
			continue
		}
		t := d.Tool
		t.InputSchema = d.InputSchema
		if len(d.OutputSchema) > 0 {
			t.OutputSchema = d.OutputSchema
		}
		byName[t.Name] = &t
	}
	return byName
}
