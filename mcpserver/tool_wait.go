package mcpserver

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type waitForArgs struct {
	Text      string `json:"text"`
	TextGone  string `json:"text_gone"`
	Ref       string `json:"ref"`
	Idle      bool   `json:"idle"`
	URL       string `json:"url"`
	MS        int    `json:"ms"`
	TimeoutMS int    `json:"timeout_ms"`
	Tab       string `json:"tab"`
	changesArg
}

func (a waitForArgs) check() error {
	given := 0
	for _, is := range []bool{a.Text != "", a.TextGone != "", a.Ref != "", a.Idle, a.URL != "", a.MS != 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		return errors.New(`give exactly one of "text", "text_gone", "ref", "idle", "url", "ms"`)
	}
	return nil
}

func waitForTool() *tool {
	return define(tool{
		name:        "wait_for",
		title:       "Wait for",
		description: "Wait for text to appear, for text to go, for an element (ref) to be visible and enabled, for the page to be idle, for a URL (a part of it, or a pattern with *), or for ms. Exactly one of them.",
		schema: `{"type":"object","properties":{` +
			`"text":{"type":"string"},` +
			`"text_gone":{"type":"string"},` +
			refProperty + `,"idle":{"type":"boolean"},` +
			`"url":{"type":"string"},` +
			`"ms":{"type":"integer","minimum":1,"maximum":120000},` +
			`"timeout_ms":{"type":"integer","minimum":1,"maximum":120000,"description":"default 10000"},` +
			changesProperty + `,` +
			tabProperty + `}}`,
		hints: hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a waitForArgs) *mcp.CallToolResult {
		return outcomeOf(b.WaitFor(ctx, browser.WaitArgs{
			Tab: a.Tab, Text: a.Text, TextGone: a.TextGone, Ref: a.Ref, Idle: a.Idle, URL: a.URL,
			For:     time.Duration(a.MS) * time.Millisecond,
			Timeout: time.Duration(a.TimeoutMS) * time.Millisecond,
		}))
	})
}
