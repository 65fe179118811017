package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type fillArgs struct {
	Ref   string `json:"ref"`
	Value string `json:"value"`
	Tab   string `json:"tab"`
	changesArg
}

func (a fillArgs) check() error { return needRef(a.Ref) }

func fillTool() *tool {
	return define(tool{
		name:        "fill",
		title:       "Fill",
		description: "Replace the value of a field; dates as YYYY-MM-DD. The result has the value read back. For check boxes and radios use click, for select lists select_option.",
		schema: `{"type":"object","properties":{` +
			refProperty + `,` +
			`"value":{"type":"string"},` +
			changesProperty + `,` +
			tabProperty + `},"required":["ref","value"]}`,
		hints: hints{destructive: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a fillArgs) *mcp.CallToolResult {
		return outcomeOf(b.Fill(ctx, browser.FillArgs{Tab: a.Tab, Ref: a.Ref, Value: a.Value}))
	})
}

type selectOptionArgs struct {
	Ref    string   `json:"ref"`
	Values []string `json:"values"`
	Tab    string   `json:"tab"`
	changesArg
}

func (a selectOptionArgs) check() error { return needRef(a.Ref) }

func selectOptionTool() *tool {
	return define(tool{
		name:        "select_option",
		title:       "Select option",
		description: "Choose in a select list, listbox or combobox, by value or label.",
		schema: `{"type":"object","properties":{` +
			refProperty + `,` +
			`"values":{"type":"array","items":{"type":"string"}},` +
			changesProperty + `,` +
			tabProperty + `},"required":["ref","values"]}`,
		hints: hints{destructive: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a selectOptionArgs) *mcp.CallToolResult {
		return outcomeOf(b.SelectOption(ctx, browser.SelectArgs{Tab: a.Tab, Ref: a.Ref, Values: a.Values}))
	})
}
