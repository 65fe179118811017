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

type evaluateArgs struct {
	Function string `json:"function"`
	Ref      string `json:"ref"`
	Tab      string `json:"tab"`
}

func (a evaluateArgs) check() error {
	if strings.TrimSpace(a.Function) == "" {
		return errors.New(`"function" is empty; it must be JavaScript like "() => document.title"`)
	}
	return nil
}

func evaluateTool() *tool {
	return define(tool{
		name:        "evaluate",
		title:       "Evaluate",
		description: "Run a JavaScript function in the page, for what no other tool does; ref: its argument. The result must be JSON.",
		schema: `{"type":"object","properties":{` +
			`"function":{"type":"string","description":"function(el) { return el.id }"},` +
			refProperty + `,` +
			tabProperty + `},"required":["function"]}`,
		barred: func(l Limits) bool { return l.NoEvaluate },
		output: outEvaluate,
		hints:  hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a evaluateArgs) *mcp.CallToolResult {
		return evaluation(b.Evaluate(ctx, browser.EvaluateArgs{Tab: a.Tab, Function: a.Function, Ref: a.Ref}))
	})
}

// evaluation makes the result of evaluate. What the function returned is the
// page's word.
func evaluation(e *browser.Evaluation, err error) *mcp.CallToolResult {
	if e == nil {
		return failure(err)
	}
	res := outcomeOf(&e.Outcome, err)
	if err != nil {
		return res
	}
	text := res.Content[0].(*mcp.TextContent)
	notes, cut := text.Text, ""
	if n := utf8.RuneCountInString(e.JSON); n < e.Total {
		cut = fmt.Sprintf("\nCut: this was the first %d of %d characters. Have the function return less.", n, e.Total)
	}
	if e.Total > 0 {
		text.Text += "\nIt returned:\n" + pageContent(e.JSON) + cut
	}
	return structured(res, evaluationOf(e, cut != "", notes+cut))
}
