package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type clickArgs struct {
	Ref       string   `json:"ref"`
	Button    string   `json:"button"`
	Count     int      `json:"count"`
	Modifiers []string `json:"modifiers"`
	X         *float64 `json:"x"`
	Y         *float64 `json:"y"`
	Tab       string   `json:"tab"`
	changesArg
}

func (a clickArgs) check() error {
	switch {
	case (a.X == nil) != (a.Y == nil):
		return errors.New(`"x" and "y" go together`)
	case a.Ref == "" && a.X == nil:
		return errors.New(`give "ref", or "x" and "y"`)
	}
	return nil
}

// point is what "x" and "y" say, if either is there.
func point(x, y *float64) *browser.Point {
	if x == nil && y == nil {
		return nil
	}
	p := &browser.Point{}
	if x != nil {
		p.X = *x
	}
	if y != nil {
		p.Y = *y
	}
	return p
}

func clickTool() *tool {
	return define(tool{
		name:        "click",
		title:       "Click",
		description: "Click an element, at x,y from its top left if given; without ref at x,y of the visible page, for canvases and maps. The result says what changed: URL, dialog, new tab, download, and the lines of the outline since the last read_page (+ new, - gone, ~ changed; changes: false leaves them out).",
		schema: `{"type":"object","properties":{` +
			refProperty + `,` +
			`"button":{"type":"string","enum":["left","right","middle"]},` +
			`"count":{"type":"integer","minimum":1,"maximum":3,"description":"2: double click"},` +
			`"modifiers":{"type":"array","items":{"type":"string","enum":["Alt","Control","Meta","Shift"]}},` +
			`"x":{"type":"number"},"y":{"type":"number"},` +
			changesProperty + `,` +
			tabProperty + `}}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a clickArgs) *mcp.CallToolResult {
		return outcomeOf(b.Click(ctx, browser.ClickArgs{Tab: a.Tab, Ref: a.Ref, Button: a.Button, Count: a.Count, Modifiers: a.Modifiers, At: point(a.X, a.Y)}))
	})
}

type hoverArgs struct {
	Ref string   `json:"ref"`
	X   *float64 `json:"x"`
	Y   *float64 `json:"y"`
	Tab string   `json:"tab"`
	changesArg
}

func (a hoverArgs) check() error {
	if (a.X == nil) != (a.Y == nil) {
		return errors.New(`"x" and "y" go together`)
	}
	return needRef(a.Ref)
}

func hoverTool() *tool {
	return define(tool{
		name:        "hover",
		title:       "Hover",
		description: "Move the pointer over an element (x,y: from its top left), as for a menu that opens on hover.",
		schema:      `{"type":"object","properties":{` + refProperty + `,"x":{"type":"number"},"y":{"type":"number"},` + changesProperty + `,` + tabProperty + `},"required":["ref"]}`,
		hints:       hints{idempotent: true},
	}, func(ctx context.Context, b browser.API, a hoverArgs) *mcp.CallToolResult {
		return outcomeOf(b.Hover(ctx, browser.HoverArgs{Tab: a.Tab, Ref: a.Ref, At: point(a.X, a.Y)}))
	})
}

type scrollArgs struct {
	Ref       string  `json:"ref"`
	Direction string  `json:"direction"`
	Pages     float64 `json:"pages"`
	Tab       string  `json:"tab"`
	changesArg
}

func scrollTool() *tool {
	return define(tool{
		name:        "scroll",
		title:       "Scroll",
		description: "Scroll the page, or the area at ref. With ref alone: bring it into view. Not needed before click or read_page.",
		schema: `{"type":"object","properties":{` +
			refProperty + `,` +
			`"direction":{"type":"string","enum":["up","down","left","right","top","bottom"]},` +
			`"pages":{"type":"number","exclusiveMinimum":0,"maximum":100,"description":"screenfuls, default 1"},` +
			changesProperty + `,` +
			tabProperty + `}}`,
	}, func(ctx context.Context, b browser.API, a scrollArgs) *mcp.CallToolResult {
		if a.Ref == "" && a.Direction == "" {
			a.Direction = "down"
		}
		return outcomeOf(b.Scroll(ctx, browser.ScrollArgs{Tab: a.Tab, Ref: a.Ref, Direction: a.Direction, Pages: a.Pages}))
	})
}
