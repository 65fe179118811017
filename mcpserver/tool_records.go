package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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

const recordProperties = `"filter":{"type":"string"},` +
	`"errors":{"type":"boolean"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":500,"description":"default 50"},` +
	tabProperty

func consoleTool() *tool {
	return define(tool{
		name:        "console",
		title:       "Console",
		description: "The page's latest console messages and script errors. filter: a part of the text; errors: only errors and warnings.",
		schema:      `{"type":"object","properties":{` + recordProperties + `}}`,
		output:      outConsole,
		hints:       hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a recordArgs) *mcp.CallToolResult {
		r, err := b.Console(ctx, a.args())
		return recordsOf(r, err, "console messages", messagesOf)
	})
}

type networkArgs struct {
	Request string `json:"request"`
	recordArgs
}

func (a networkArgs) check() error {
	if a.Request != "" && (a.Filter != "" || a.Errors || a.Limit != 0) {
		return errors.New(`"request" goes with "tab" only: it shows the bodies of that one request`)
	}
	return nil
}

func networkTool() *tool {
	return define(tool{
		name:        "network",
		title:       "Network",
		description: "The page's requests, recorded from the first call on. filter: a part of the URL; errors: only failed ones; request: the bodies of one.",
		schema:      `{"type":"object","properties":{"request":{"type":"string","description":"n3"},` + recordProperties + `}}`,
		output:      outNetwork,
		hints:       hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a networkArgs) *mcp.CallToolResult {
		if a.Request != "" {
			x, err := b.Exchange(ctx, browser.ExchangeArgs{Tab: a.Tab, Request: a.Request})
			return exchange(x, err)
		}
		r, err := b.Network(ctx, a.args())
		return recordsOf(r, err, "requests", requestsOf)
	})
}

// recordsOf makes the result of console and network, whose lines are the
// page's word.
func recordsOf[E browser.Record](r *browser.Records[E], err error, what string, structure func(*browser.Records[E], string) any) *mcp.CallToolResult {
	if err != nil || r == nil {
		return failure(err)
	}
	head := fmt.Sprintf("Tab %s, %d of %d %s:", r.Tab.ID, len(r.List), r.Total, what)
	if len(r.List) == 0 {
		head = fmt.Sprintf("Tab %s has no %s that fit.", r.Tab.ID, what)
	}
	var lines []string
	for _, e := range r.List {
		lines = append(lines, e.Line())
	}
	parts, notes := []string{head}, []string{head}
	if len(lines) > 0 {
		parts = append(parts, pageContent(strings.Join(lines, "\n")))
	}
	for _, n := range r.Notes {
		n = "Note: " + oneLine(n, maxDid)
		parts, notes = append(parts, n), append(notes, n)
	}
	return structured(textResult(strings.Join(parts, "\n"), false), structure(r, strings.Join(notes, "\n")))
}

// exchange makes the result of network for one request.
func exchange(x *browser.Exchange, err error) *mcp.CallToolResult {
	if err != nil || x == nil {
		return failure(err)
	}
	head := fmt.Sprintf("Tab %s, request %s:", x.Tab.ID, x.Request.ID)
	parts, notes := []string{head, pageContent(x.Request.Line())}, []string{head}
	for _, b := range []struct {
		what string
		body *browser.Body
	}{{"It sent", x.Sent}, {"It got", x.Got}} {
		if b.body == nil {
			continue
		}
		line, cut := bodyLine(b.what, b.body)
		parts = append(parts, line)
		if b.body.Text != "" {
			parts = append(parts, pageContent(b.body.Text))
		}
		if cut != "" {
			parts, notes = append(parts, cut), append(notes, cut)
		}
	}
	if x.Sent == nil && x.Got == nil && len(x.Notes) == 0 {
		parts, notes = append(parts, "It has no body."), append(notes, "It has no body.")
	}
	for _, n := range x.Notes {
		n = "Note: " + oneLine(n, maxDid)
		parts, notes = append(parts, n), append(notes, n)
	}
	return structured(textResult(strings.Join(parts, "\n"), false), exchangeOf(x, strings.Join(notes, "\n")))
}

// bodyLine says what a body is and, where it is cut, how much of it is shown.
func bodyLine(what string, b *browser.Body) (line, cut string) {
	kind := ""
	if b.Type != "" {
		kind = " " + oneLine(b.Type, maxTitle)
	}
	shown := utf8.RuneCountInString(b.Text)
	switch {
	case b.Text == "" && b.Bytes > 0:
		return fmt.Sprintf("%s%s, %d bytes that are no text and so not shown.", what, kind, b.Bytes), ""
	case b.Text == "":
		return what + kind + " with nothing in it.", ""
	case shown < b.Total:
		cut = fmt.Sprintf("Cut: of what %s this was the first %d of %d characters.", strings.ToLower(what), shown, b.Total)
	}
	return what + kind + ":", cut
}
