package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Results that have a structure carry it beside their text, for programs. Some
// hosts show their model the one, some the other: so each says all of it, and
// Notes is what of the text is not the page's.

// structured adds the structure to a result. An error has none.
func structured(res *mcp.CallToolResult, v any) *mcp.CallToolResult {
	if !res.IsError {
		res.StructuredContent = v
	}
	return res
}

// resultText is the text of a result.
func resultText(res *mcp.CallToolResult) string { return res.Content[0].(*mcp.TextContent).Text }

// The output schemas. Names that say what they hold have no description: a
// client may send them with every request to a model.
const (
	outTabs = `{"type":"object","properties":{` +
		`"tabs":{"type":"array","items":{"properties":{` +
		`"id":{"type":"string"},"url":{"type":"string"},"title":{"type":"string"},"current":{"type":"boolean"},"dialog":{"type":"string"}}}},` +
		outNotes
	outFind = `{"type":"object","properties":{` +
		`"matches":{"type":"array","items":{"properties":{` +
		`"ref":{"type":"string"},"role":{"type":"string"},"name":{"type":"string"},"value":{"type":"string"},"state":{"type":"string"},"place":{"type":"string"}}}},` +
		outTotal
	outConsole = `{"type":"object","properties":{` +
		`"messages":{"type":"array","items":{"properties":{` +
		`"time":{"type":"string"},"level":{"type":"string"},"text":{"type":"string"},"source":{"type":"string"}}}},` +
		outTotal
	outNetwork = `{"type":"object","properties":{` +
		`"requests":{"type":"array","items":{"properties":{` +
		`"id":{"type":"string"},"method":{"type":"string"},"type":{"type":"string"},"url":{"type":"string"},"status":{"type":"integer"},` +
		`"mime":{"type":"string"},"bytes":{"type":"integer"},"ms":{"type":"integer"},"error":{"type":"string"}}}},` +
		`"sent":{},"got":{},` +
		outTotal
	outEvaluate = `{"type":"object","properties":{"value":{},` + outNotes

	outTotal = `"total":{"type":"integer"},` + outNotes
	outNotes = `"notes":{"type":"string"}}}`
)

type tabsOut struct {
	Tabs  []tabOut `json:"tabs,omitempty"`
	Notes string   `json:"notes,omitempty"`
}

type tabOut struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title,omitempty"`
	Current bool   `json:"current"`
	Dialog  string `json:"dialog,omitempty"`
}

// tabsOf is the structure of tabs.
func tabsOf(tabs []browser.Tab) tabsOut {
	out := tabsOut{Tabs: []tabOut{}}
	for _, t := range tabs {
		tab := tabOut{ID: t.ID, URL: oneLine(t.URL, maxURL), Title: oneLine(t.Title, maxTitle), Current: t.Current}
		if t.Dialog != nil {
			tab.Dialog = openDialog(t.Dialog)
		}
		out.Tabs = append(out.Tabs, tab)
	}
	return out
}

type findOut struct {
	Matches []matchOut `json:"matches"`
	Total   int        `json:"total"`
	Notes   string     `json:"notes,omitempty"`
}

type matchOut struct {
	Ref   string `json:"ref"`
	Role  string `json:"role"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	State string `json:"state,omitempty"`
	Place string `json:"place,omitempty"`
}

func matchesOf(f *browser.Found, notes string) findOut {
	out := findOut{Matches: []matchOut{}, Total: f.Total, Notes: notes}
	for _, m := range f.Matches {
		out.Matches = append(out.Matches, matchOut{m.Ref, m.Role, m.Name, m.Value, m.State, m.Place})
	}
	return out
}

type consoleOut struct {
	Messages []messageOut `json:"messages"`
	Total    int          `json:"total"`
	Notes    string       `json:"notes,omitempty"`
}

type messageOut struct {
	Time   string `json:"time"`
	Level  string `json:"level"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

func messagesOf(r *browser.Records[browser.Message], notes string) any {
	out := consoleOut{Messages: []messageOut{}, Total: r.Total, Notes: notes}
	for _, m := range r.List {
		out.Messages = append(out.Messages, messageOut{m.Time.Format(time.RFC3339), m.Level, m.Text, m.Source})
	}
	return out
}

type networkOut struct {
	Requests []requestOut `json:"requests"`
	Sent     *bodyOut     `json:"sent,omitempty"` // of the one that was asked for
	Got      *bodyOut     `json:"got,omitempty"`
	Total    int          `json:"total"`
	Notes    string       `json:"notes,omitempty"`
}

type requestOut struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	Type   string `json:"type"`
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"`
	MIME   string `json:"mime,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	MS     int    `json:"ms,omitempty"`
	Error  string `json:"error,omitempty"`
}

// bodyOut is a body: text with its length in characters, or what is no text
// with its size in bytes.
type bodyOut struct {
	MIME  string `json:"mime,omitempty"`
	Text  string `json:"text,omitempty"`
	Total int    `json:"total,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
}

func requestsOf(r *browser.Records[browser.Request], notes string) any {
	out := networkOut{Requests: []requestOut{}, Total: r.Total, Notes: notes}
	for _, q := range r.List {
		out.Requests = append(out.Requests, requestOf(q))
	}
	return out
}

func requestOf(q browser.Request) requestOut {
	return requestOut{q.ID, q.Method, q.Type, q.URL, q.Status, q.MIMEType, q.Bytes, q.Milliseconds, q.Failed}
}

func exchangeOf(x *browser.Exchange, notes string) networkOut {
	return networkOut{Requests: []requestOut{requestOf(x.Request)}, Sent: bodyOf(x.Sent), Got: bodyOf(x.Got), Total: 1, Notes: notes}
}

func bodyOf(b *browser.Body) *bodyOut {
	if b == nil {
		return nil
	}
	return &bodyOut{b.Type, b.Text, b.Total, b.Bytes}
}

type evaluateOut struct {
	Value any    `json:"value,omitempty"`
	Notes string `json:"notes,omitempty"`
}

// evaluationOf is the structure of evaluate: the value itself or, of one that is
// too long, the beginning of its JSON.
func evaluationOf(e *browser.Evaluation, cut bool, notes string) evaluateOut {
	switch {
	case e.Total == 0:
		return evaluateOut{Notes: notes}
	case cut || !json.Valid([]byte(e.JSON)):
		return evaluateOut{e.JSON, notes}
	}
	return evaluateOut{json.RawMessage(e.JSON), notes}
}
