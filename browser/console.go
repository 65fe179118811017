package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// Message is one that a page logged, or an error of its scripts.
type Message struct {
	Time   time.Time
	Level  string // log, info, warning, error and so on; uncaught
	Text   string // on one line
	Source string // the address and line that it comes from; may be empty
}

// Line tells the message on one line.
func (m Message) Line() string {
	line := fmt.Sprintf("%s %s: %s", m.Time.Format(time.TimeOnly), m.Level, m.Text)
	if m.Source != "" {
		line += " (" + m.Source + ")"
	}
	return line
}

// Bad says that it is an error or a warning.
func (m Message) Bad() bool {
	switch m.Level {
	case "error", "warning", "assert", "uncaught":
		return true
	}
	return false
}

// Console returns what the page and its frames logged, and their errors.
// Nothing is recorded before the first call: the browser itself keeps what was
// logged until then, and tells it when it is asked. Round trips: 1 for the
// first, one more with frames of other processes.
func (b *Browser) Console(ctx context.Context, a RecordArgs) (*Records[Message], error) {
	return recorded(ctx, b, a, func(t *tab) *recorder[Message] { return &t.console }, enableConsole, "")
}

func enableConsole(ctx context.Context, c *conn, session string) []*call {
	return []*call{
		send(ctx, c, session, runtime.Enable, cdp.Empty{}).call,
		send(ctx, c, session, log.Enable, cdp.Empty{}).call,
	}
}

// at names a place in a script.
func at(url string, line int) string {
	if url == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", clip(url, 120), line+1)
}

// milliseconds is a time stamp of CDP's Runtime and Log.
func milliseconds(ms float64) time.Time { return time.UnixMilli(int64(ms)) }

type consoleCalled struct {
	Type string `json:"type"`
	Args []struct {
		Type        string       `json:"type"`
		Value       jsonv2.Value `json:"value"`
		Description string       `json:"description"`
	} `json:"args"`
	Timestamp  float64 `json:"timestamp"`
	StackTrace struct {
		CallFrames []struct {
			URL  string `json:"url"`
			Line int    `json:"lineNumber"`
		} `json:"callFrames"`
	} `json:"stackTrace"`
}

func takeConsole(e *consoleCalled) *Message {
	var words []string
	for _, a := range e.Args {
		var s string
		switch {
		case a.Type == "string" && jsonv2.Unmarshal(a.Value, &s, jsonOptions) == nil:
		case len(a.Value) > 0:
			s = string(a.Value)
		case a.Description != "":
			s = a.Description
		default:
			s = a.Type
		}
		words = append(words, s)
	}
	m := &Message{Time: milliseconds(e.Timestamp), Level: e.Type, Text: oneLine(strings.Join(words, " "))}
	if f := e.StackTrace.CallFrames; len(f) > 0 {
		m.Source = at(f[0].URL, f[0].Line)
	}
	return m
}

type exceptionThrown struct {
	Timestamp float64                  `json:"timestamp"`
	Details   runtime.ExceptionDetails `json:"exceptionDetails"`
}

func takeException(e *exceptionThrown) *Message {
	text := e.Details.Text
	if x := e.Details.Exception; x != nil && x.Description != "" {
		text, _, _ = strings.Cut(x.Description, "\n")
	}
	return &Message{
		Time: milliseconds(e.Timestamp), Level: "uncaught", Text: oneLine(text),
		Source: at(e.Details.URL, int(e.Details.LineNumber)),
	}
}

type logAdded struct {
	Entry struct {
		Level     string  `json:"level"`
		Text      string  `json:"text"`
		URL       string  `json:"url"`
		Timestamp float64 `json:"timestamp"`
	} `json:"entry"`
}

func takeLog(e *logAdded) *Message {
	return &Message{
		Time: milliseconds(e.Entry.Timestamp), Level: e.Entry.Level, Text: oneLine(e.Entry.Text),
		Source: clip(e.Entry.URL, 120),
	}
}
