package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// Message is one that a page logged, or an error of its scripts.
type Message struct {
	Time   time.Time
	Level  string // log, info, warning, error and so on; uncaught
	Text   string // on one line
	Source string // the address and line that it comes from; may be empty

	session string
	args    []remote // what tell makes the text of, where their members are not known yet
	tell    func([]remote) string
}

// say sets the text, and keeps what it is made of where that may say more later.
func (m *Message) say(args []remote, tell func([]remote) string) {
	m.Text = oneLine(tell(args))
	if slices.ContainsFunc(args, remote.closed) {
		m.args, m.tell = args, tell
	}
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
// logged until then, and tells it when it is asked, though not what is in the
// objects among it. Round trips: 1 for the first, one more with such objects and
// with frames of other processes.
func (b *Browser) Console(ctx context.Context, a RecordArgs) (*Records[Message], error) {
	return recorded(ctx, b, a, func(t *tab) *recorder[Message] { return &t.console }, enableConsole, (*operation).lookInto, "")
}

// maxLookedInto is how many objects of messages from before the first call are
// looked into.
const maxLookedInto = 50

// lookInto asks for the members of the objects in messages that came without
// them (CDP Runtime.callFunctionOn with a function that only returns its object).
func (o *operation) lookInto(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, shortWait, errTimedOut)
	defer cancel()
	o.b.mu.Lock()
	list := slices.Clone(o.t.console.list)
	o.b.mu.Unlock()
	type look struct {
		arg  *remote
		call future[lookedInto]
	}
	var looks []look
	for _, m := range slices.Backward(list) {
		for i := range m.args {
			if arg := &m.args[i]; arg.closed() && len(looks) < maxLookedInto {
				looks = append(looks, look{arg, future[lookedInto]{o.c.start(ctx, m.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
					FunctionDeclaration: "function () { return this; }", ObjectID: runtime.RemoteObjectID(arg.ID), GeneratePreview: &yes, Silent: &yes,
				})}})
			}
		}
	}
	for _, l := range looks {
		// An object that is gone, with its page, stays as it is.
		if r, err := l.call.wait(ctx); err == nil {
			l.arg.Preview = r.Result.Preview
		}
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	for _, m := range list {
		if m.args != nil {
			m.Text, m.args = oneLine(m.tell(m.args)), nil
		}
	}
}

type lookedInto struct {
	Result remote `json:"result"`
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
	Type       string   `json:"type"`
	Args       []remote `json:"args"`
	Timestamp  float64  `json:"timestamp"`
	StackTrace struct {
		CallFrames []struct {
			URL  string `json:"url"`
			Line int    `json:"lineNumber"`
		} `json:"callFrames"`
	} `json:"stackTrace"`
}

func takeConsole(e *consoleCalled) *Message {
	if e.Type == "endGroup" {
		return nil // it says nothing
	}
	m := &Message{Time: milliseconds(e.Timestamp), Level: e.Type}
	m.say(e.Args, formatted)
	if f := e.StackTrace.CallFrames; len(f) > 0 {
		m.Source = at(f[0].URL, f[0].Line)
	}
	return m
}

type exceptionThrown struct {
	Timestamp float64 `json:"timestamp"`
	Details   struct {
		Text      string  `json:"text"`
		URL       string  `json:"url"`
		Line      int     `json:"lineNumber"`
		Exception *remote `json:"exception"`
	} `json:"exceptionDetails"`
}

func takeException(e *exceptionThrown) *Message {
	m := &Message{Time: milliseconds(e.Timestamp), Level: "uncaught", Text: oneLine(e.Details.Text), Source: at(e.Details.URL, e.Details.Line)}
	if x := e.Details.Exception; x != nil {
		how := strings.TrimSpace(strings.TrimPrefix(e.Details.Text, "Uncaught")) // (in promise)
		m.say([]remote{*x}, func(args []remote) string {
			if x := &args[0]; x.Subtype != "error" {
				return how + " " + x.text()
			}
			return how + " " + errorLine(args[0].Description, false) // its place is said anyway
		})
	}
	return m
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
