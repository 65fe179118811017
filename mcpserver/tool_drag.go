package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type dragArgs struct {
	From string      `json:"from"`
	To   string      `json:"to"`
	X    *float64    `json:"x"`
	Y    *float64    `json:"y"`
	Path [][]float64 `json:"path"`
	Text string      `json:"text"`
	Tab  string      `json:"tab"`
}

func (a dragArgs) check() error {
	far := a.X != nil || a.Y != nil
	switch {
	case a.From == "":
		return errors.New(`"from" is empty; it must be an element's ref from read_page, like "e9"`)
	case a.Text != "" && (a.To != "" || far || a.Path != nil), a.Path != nil && (a.To != "" || far):
		return errors.New(`give "to", "x" and "y", "path" or "text", not several of them`)
	case a.Text == "" && a.To == "" && !far && a.Path == nil:
		return errors.New(`give "to", or "x" and "y" for how far`)
	case a.To != "" && (a.X == nil) != (a.Y == nil):
		return errors.New(`"x" and "y" go together`)
	}
	for _, p := range a.Path {
		if len(p) != 2 {
			return errors.New(`each point of "path" is [x, y], from the element's top left`)
		}
	}
	return nil
}

func (a dragArgs) path() []browser.Point {
	var list []browser.Point
	for _, p := range a.Path {
		list = append(list, browser.Point{X: p[0], Y: p[1]})
	}
	return list
}

func dragTool() *tool {
	return define(tool{
		name:        "drag",
		title:       "Drag",
		description: "Drag one element onto another (to; x,y: a point from its top left), or by x,y pixels, as a slider; along path, [x,y] from its top left, to draw or resize; over text to select it.",
		schema: `{"type":"object","properties":{` +
			`"from":{"type":"string"},"to":{"type":"string"},` +
			`"x":{"type":"number"},"y":{"type":"number"},` +
			`"path":{"type":"array","items":{"type":"array","items":{"type":"number"}}},"text":{"type":"string"},` +
			tabProperty + `},"required":["from"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a dragArgs) *mcp.CallToolResult {
		return outcomeOf(b.Drag(ctx, browser.DragArgs{Tab: a.Tab, From: a.From, To: a.To, At: point(a.X, a.Y), Path: a.path(), Text: a.Text}))
	})
}
