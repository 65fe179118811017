package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type tabsArgs struct {
	Action string `json:"action"`
	Tab    string `json:"tab"`
	URL    string `json:"url"`
}

func (a tabsArgs) check() error {
	switch a.Action {
	case "switch", "close":
		if a.Tab == "" {
			return fmt.Errorf(`action %q needs "tab", like "t1"; action "list" shows your tabs`, a.Action)
		}
	case "open":
		if a.Tab != "" {
			return errors.New(`action "open" takes no "tab": the new tab gets an id of its own`)
		}
	}
	if a.URL != "" && a.Action != "open" {
		return fmt.Errorf(`"url" goes with action "open" only; to go somewhere in a tab that is open use navigate`)
	}
	return nil
}

func tabsTool() *tool {
	return define(tool{
		name:        "tabs",
		title:       "Tabs",
		description: "List, open, switch to or close the tabs of your group; you see no others. Every tool takes a tab id (t1) as tab; the default is the current one.",
		schema: `{"type":"object","properties":{` +
			`"action":{"type":"string","enum":["list","open","switch","close"]},` +
			`"tab":{"type":"string","description":"for switch and close"},` +
			`"url":{"type":"string","description":"for open"}` +
			`},"required":["action"]}`,
		output: outTabs,
		hints:  hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a tabsArgs) *mcp.CallToolResult {
		switch a.Action {
		case "open":
			if a.URL == "" {
				a.URL = "about:blank"
			}
			return tabsOutcome(b.OpenTab(ctx, a.URL))
		case "switch":
			return tabsOutcome(b.SwitchTab(ctx, a.Tab))
		case "close":
			res := outcomeOf(b.CloseTab(ctx, a.Tab))
			return structured(res, tabsOut{Notes: resultText(res)})
		default:
			list, err := b.Tabs(ctx)
			return tabList(list, err)
		}
	})
}

// tabsOutcome makes the result of what makes a tab the current one.
func tabsOutcome(o *browser.Outcome, err error) *mcp.CallToolResult {
	res := outcome(o, err, alwaysPage)
	if o == nil {
		return res
	}
	out := tabsOut{Notes: resultText(res)}
	if o.Tab.ID != "" {
		out.Tabs = tabsOf([]browser.Tab{o.Tab}).Tabs
	}
	return structured(res, out)
}
