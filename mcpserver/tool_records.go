package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type recordArgs struct {
	Filter string `json:"filter"`
	Errors bool   `json:"errors"`
	Limit  int    `json:"limit"`
	Tab    string `json:"tab"`
}

func (a recordArgs) args() browser.RecordArgs {
	return browser.RecordArgs{Tab: a.Tab, Filter: a.Filter, Errors: a.Errors, Limit: a.Limit}
}

const recordSchema = `{"type":"object","properties":{` +
	`"filter":{"type":"string"},` +
	`"errors":{"type":"boolean"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":500,"description":"default 50"},` +
	tabProperty + `}}`

func consoleTool() *tool {
	return define(tool{
		name:        "console",
		title:       "Console",
		description: "The page's latest console messages and script errors. filter: a part of the text; errors: only errors and warnings.",
		schema:      recordSchema,
		hints:       hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a recordArgs) *mcp.CallToolResult {
		r, err := b.Console(ctx, a.args())
		return recordsOf(r, err, "console messages")
	})
}

func networkTool() *tool {
	return define(tool{
		name:        "network",
		title:       "Network",
		description: "The page's requests, recorded from the first call on. filter: a part of the URL; errors: only failed ones.",
		schema:      recordSchema,
		hints:       hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a recordArgs) *mcp.CallToolResult {
		r, err := b.Network(ctx, a.args())
		return recordsOf(r, err, "requests")
	})
}

// recordsOf makes the result of console and network, whose lines are the
// page's word.
func recordsOf(r *browser.Records, err error, what string) *mcp.CallToolResult {
	if err != nil || r == nil {
		return failure(err)
	}
	lines := []string{fmt.Sprintf("Tab %s, %d of %d %s:", r.Tab.ID, len(r.Lines), r.Total, what)}
	if len(r.Lines) == 0 {
		lines[0] = fmt.Sprintf("Tab %s has no %s that fit.", r.Tab.ID, what)
	} else {
		lines = append(lines, pageContent(strings.Join(r.Lines, "\n")))
	}
	for _, n := range r.Notes {
		lines = append(lines, "Note: "+oneLine(n, maxDid))
	}
	return textResult(strings.Join(lines, "\n"), false)
}
