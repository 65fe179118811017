package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type dragArgs struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	X    *float64 `json:"x"`
	Y    *float64 `json:"y"`
	Tab  string   `json:"tab"`
}

func (a dragArgs) check() error {
	switch {
	case a.From == "":
		return errors.New(`"from" is empty; it must be an element's ref from read_page, like "e9"`)
	case a.To == "" && a.X == nil && a.Y == nil:
		return errors.New(`give "to", or "x" and "y" for how far`)
	case a.To != "" && (a.X == nil) != (a.Y == nil):
		return errors.New(`"x" and "y" go together`)
	}
	return nil
}

func dragTool() *tool {
	return define(tool{
		name:        "drag",
		title:       "Drag",
		description: "Drag one element onto another (to; x,y: a point from its top left), or by x,y pixels, as a slider.",
		schema: `{"type":"object","properties":{` +
			`"from":{"type":"string"},"to":{"type":"string"},` +
			`"x":{"type":"number"},"y":{"type":"number"},` +
			tabProperty + `},"required":["from"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a dragArgs) *mcp.CallToolResult {
		return outcomeOf(b.Drag(ctx, browser.DragArgs{Tab: a.Tab, From: a.From, To: a.To, At: point(a.X, a.Y)}))
	})
}
