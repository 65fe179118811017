package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type findArgs struct {
	Query string `json:"query"`
	Role  string `json:"role"`
	Tab   string `json:"tab"`
}

func (a findArgs) check() error {
	if strings.TrimSpace(a.Query) == "" {
		return errors.New(`"query" is empty; it must be a part of a text, name, label or placeholder`)
	}
	return nil
}

func findTool() *tool {
	return define(tool{
		name:        "find",
		title:       "Find",
		description: "Find elements by text, name, label, placeholder or value: up to 20, with refs and where they are, also what read_page left out. Cheaper than reading a long page.",
		schema: `{"type":"object","properties":{` +
			`"query":{"type":"string"},` +
			`"role":{"type":"string","description":"button, link, row"},` +
			tabProperty + `},"required":["query"]}`,
		output: outFind,
		hints:  hints{readOnly: true, idempotent: true},
	}, func(ctx context.Context, b browser.API, a findArgs) *mcp.CallToolResult {
		f, err := b.Find(ctx, browser.FindArgs{Tab: a.Tab, Query: a.Query, Role: a.Role})
		return found(f, err, a)
	})
}

// found makes the result of find. What the page says stands between marks, as
// in a reading.
func found(f *browser.Found, err error, a findArgs) *mcp.CallToolResult {
	if err != nil || f == nil {
		return failure(err)
	}
	what := quote(a.Query, maxTitle)
	if a.Role != "" {
		what += " of role " + quote(a.Role, maxTitle)
	}
	head := fmt.Sprintf("Tab %s: %s\n", f.Tab.ID, describeTab(f.Tab))
	if len(f.Matches) == 0 {
		head += fmt.Sprintf("Nothing visible on the page has %s. Try fewer words, another role, or read_page.", what)
		if len(f.Near) > 0 {
			head += " Near it is:\n" + pageContent(strings.Join(f.Near, "\n"))
		}
		return structured(textResult(head, false), matchesOf(f, head))
	}
	if n := len(f.Matches); f.Total > n {
		head += fmt.Sprintf("The best %d of %d matches for %s; more words find fewer:", n, f.Total, what)
	} else {
		head += fmt.Sprintf("Matches for %s: %d", what, n)
	}
	return structured(textResult(head+"\n"+pageContent(f.Text()), false), matchesOf(f, head))
}
