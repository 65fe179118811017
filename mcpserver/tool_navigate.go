package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type navigateArgs struct {
	URL    string `json:"url"`
	Action string `json:"action"`
	Tab    string `json:"tab"`
}

func (a navigateArgs) check() error {
	switch {
	case a.URL == "" && a.Action == "":
		return errors.New(`give "url", or "action" (back, forward, reload)`)
	case a.URL != "" && a.Action != "":
		return errors.New(`give "url" or "action", not both`)
	}
	return nil
}

func navigateTool() *tool {
	return define(tool{
		name:        "navigate",
		title:       "Navigate",
		description: "Go to a URL, or back, forward, reload. Opens a tab if you have none. Returns when the page is loaded; then use read_page.",
		schema: `{"type":"object","properties":{` +
			`"url":{"type":"string"},` +
			`"action":{"type":"string","enum":["back","forward","reload"]},` +
			tabProperty + `}}`,
	}, func(ctx context.Context, b browser.API, a navigateArgs) *mcp.CallToolResult {
		o, err := b.Navigate(ctx, browser.NavigateArgs{Tab: a.Tab, URL: a.URL, Action: a.Action})
		return outcome(o, err, alwaysPage)
	})
}
