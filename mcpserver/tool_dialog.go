package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type handleDialogArgs struct {
	Accept bool   `json:"accept"`
	Text   string `json:"text"`
	Tab    string `json:"tab"`
}

func (a handleDialogArgs) check() error {
	if a.Text != "" && !a.Accept {
		return errors.New(`"text" answers a prompt, so it goes with "accept": true`)
	}
	return nil
}

func handleDialogTool() *tool {
	return define(tool{
		name:        "handle_dialog",
		title:       "Handle dialog",
		description: "Answer the open JavaScript dialog; until then its page answers nothing else. text: for a prompt.",
		schema: `{"type":"object","properties":{` +
			`"accept":{"type":"boolean"},` +
			`"text":{"type":"string"},` +
			tabProperty + `},"required":["accept"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a handleDialogArgs) *mcp.CallToolResult {
		return outcomeOf(b.HandleDialog(ctx, browser.DialogArgs{Tab: a.Tab, Accept: a.Accept, Text: a.Text}))
	})
}
