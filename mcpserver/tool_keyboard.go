package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type typeTextArgs struct {
	Text   string `json:"text"`
	Ref    string `json:"ref"`
	Submit bool   `json:"submit"`
	Tab    string `json:"tab"`
	changesArg
}

func typeTextTool() *tool {
	return define(tool{
		name:        "type_text",
		title:       "Type text",
		description: "Type at the cursor, in ref or where the focus is, keeping what is there; fill replaces it. submit: press Enter after it.",
		schema: `{"type":"object","properties":{` +
			`"text":{"type":"string"},` +
			refProperty + `,` +
			`"submit":{"type":"boolean"},` +
			changesProperty + `,` +
			tabProperty + `},"required":["text"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a typeTextArgs) *mcp.CallToolResult {
		return outcomeOf(b.TypeText(ctx, browser.TypeArgs{Tab: a.Tab, Text: a.Text, Ref: a.Ref, Submit: a.Submit}))
	})
}

type pressKeyArgs struct {
	Key string `json:"key"`
	Ref string `json:"ref"`
	Tab string `json:"tab"`
	changesArg
}

func (a pressKeyArgs) check() error {
	if a.Key == "" {
		return errors.New(`"key" is empty; it must be a key like "Enter"`)
	}
	return nil
}

func pressKeyTool() *tool {
	return define(tool{
		name:        "press_key",
		title:       "Press key",
		description: "Press a key or combination, in ref or where the focus is.",
		schema: `{"type":"object","properties":{` +
			`"key":{"type":"string","description":"Enter, a, Control+Shift+ArrowLeft"},` +
			refProperty + `,` +
			changesProperty + `,` +
			tabProperty + `},"required":["key"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a pressKeyArgs) *mcp.CallToolResult {
		return outcomeOf(b.PressKey(ctx, browser.PressArgs{Tab: a.Tab, Key: a.Key, Ref: a.Ref}))
	})
}
