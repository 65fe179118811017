package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// RecordArgs are the arguments of [Browser.Console] and [Browser.Network].
type RecordArgs struct {
	Tab    string
	Filter string // a part of the message, or of the address
	Errors bool   // only errors and warnings; requests that failed
	Limit  int    // 0 is 50, the latest
}

// Records are lines of what a page logged or fetched, the oldest first. They
// are the page's word.
type Records struct {
	Tab   Tab
	Lines []string
	Total int // of those that fit the filters
	Notes []string
}

const (
	// keptRecords is how many are kept of each kind, for each tab.
	keptRecords = 500
	// recordLimit is how many are told if nothing else is asked.
	recordLimit = 50
	// maxRecord is how long a line may be.
	maxRecord = 500
)

// record is one message or one request.
type record struct {
	id   string // of a request
	text string
	bad  bool
	done bool
	at   float64 // when it was sent, on the browser's clock
}

// records are the latest ones of a tab. Browser.mu guards them.
type records struct {
	on   bool // the browser tells of them
	list []*record
}

func (r *records) add(e *record) {
	if len(r.list) >= keptRecords {
		r.list = append(r.list[:0], r.list[len(r.list)-keptRecords+1:]...)
	}
	r.list = append(r.list, e)
}

func (r *records) find(id string) *record {
	for i := len(r.list) - 1; i >= 0; i-- {
		if r.list[i].id == id {
			return r.list[i]
		}
	}
	return nil
}

// Console returns what the page logged, and its errors. Nothing is recorded
// before the first call: the browser itself keeps what the page has logged
// until then, and tells it when it is asked. Round trips: 1 for the first.
func (b *Browser) Console(ctx context.Context, a RecordArgs) (*Records, error) {
	return b.records(ctx, a, func(t *tab) *records { return &t.console }, func(ctx context.Context, o *operation) (string, error) {
		session := o.mainKey().session
		enabled := send(ctx, o.c, session, runtime.Enable, cdp.Empty{})
		if _, err := send(ctx, o.c, session, log.Enable, cdp.Empty{}).wait(ctx); err != nil {
			return "", err
		}
		_, err := enabled.wait(ctx)
		return "", err
	})
}

// Network returns the requests that the page made since the first call, which
// begins to record them: a page's requests cost nobody anything who does not
// ask. There are no headers in it.
func (b *Browser) Network(ctx context.Context, a RecordArgs) (*Records, error) {
	return b.records(ctx, a, func(t *tab) *records { return &t.requests }, func(ctx context.Context, o *operation) (string, error) {
		_, err := send(ctx, o.c, o.mainKey().session, network.Enable, network.EnableParams{}).wait(ctx)
		return "Requests are recorded from now on. Repeat the action, or reload the page with navigate, and ask again.", err
	})
}

func (b *Browser) records(ctx context.Context, a RecordArgs, of func(*tab) *records, begin func(context.Context, *operation) (string, error)) (*Records, error) {
	var out *Records
	err := b.do(ctx, a.Tab, "", 0, func(ctx context.Context, o *operation) error {
		b.mu.Lock()
		r := of(o.t)
		on := r.on
		if !on {
			r.on, r.list = true, nil
		}
		b.mu.Unlock()
		out = &Records{}
		if !on {
			note, err := begin(ctx, o)
			if err != nil {
				b.mu.Lock()
				r.on = false
				b.mu.Unlock()
				return err
			}
			if note != "" {
				out.Notes = append(out.Notes, note)
			}
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		out.Tab = b.tabOf(o.t)
		for _, e := range r.list {
			if a.Errors && !e.bad || !strings.Contains(strings.ToLower(e.text), strings.ToLower(a.Filter)) {
				continue
			}
			out.Lines = append(out.Lines, e.text)
		}
		out.Total = len(out.Lines)
		limit := a.Limit
		if limit <= 0 {
			limit = recordLimit
		}
		if n := len(out.Lines); n > limit {
			out.Lines = out.Lines[n-limit:]
		}
		return nil
	})
	return out, err
}

// oneLine makes one short line of what a page says.
func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " "), maxRecord) }

// recordEvent takes in an event that is a record, or part of one. b.mu is held.
func (b *Browser) recordEvent(t *tab, method string, params jsonv2.Value) {
	switch cdproto.MethodType(method) {
	case cdproto.EventRuntimeConsoleAPICalled:
		var e struct {
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
		if !t.console.on || !b.decode(method, params, &e) {
			return
		}
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
		where := ""
		if f := e.StackTrace.CallFrames; len(f) > 0 && f[0].URL != "" {
			where = fmt.Sprintf(" (%s:%d)", clip(f[0].URL, 120), f[0].Line+1)
		}
		kind := e.Type
		t.console.add(&record{
			text: fmt.Sprintf("%s %s: %s%s", clock(e.Timestamp), kind, oneLine(strings.Join(words, " ")), where),
			bad:  kind == "error" || kind == "warning" || kind == "assert",
		})
	case cdproto.EventRuntimeExceptionThrown:
		var e struct {
			Timestamp float64                  `json:"timestamp"`
			Details   runtime.ExceptionDetails `json:"exceptionDetails"`
		}
		if !t.console.on || !b.decode(method, params, &e) {
			return
		}
		text := e.Details.Text
		if x := e.Details.Exception; x != nil && x.Description != "" {
			text, _, _ = strings.Cut(x.Description, "\n")
		}
		where := ""
		if e.Details.URL != "" {
			where = fmt.Sprintf(" (%s:%d)", clip(e.Details.URL, 120), e.Details.LineNumber+1)
		}
		t.console.add(&record{text: fmt.Sprintf("%s uncaught: %s%s", clock(e.Timestamp), oneLine(text), where), bad: true})
	case cdproto.EventLogEntryAdded:
		var e struct {
			Entry struct {
				Level     string  `json:"level"`
				Text      string  `json:"text"`
				URL       string  `json:"url"`
				Timestamp float64 `json:"timestamp"`
			} `json:"entry"`
		}
		if !t.console.on || !b.decode(method, params, &e) {
			return
		}
		where := ""
		if e.Entry.URL != "" {
			where = " (" + clip(e.Entry.URL, 120) + ")"
		}
		t.console.add(&record{
			text: fmt.Sprintf("%s %s: %s%s", clock(e.Entry.Timestamp), e.Entry.Level, oneLine(e.Entry.Text), where),
			bad:  e.Entry.Level == "error" || e.Entry.Level == "warning",
		})
	case cdproto.EventNetworkRequestWillBeSent:
		var e struct {
			RequestID string  `json:"requestId"`
			Type      string  `json:"type"`
			Timestamp float64 `json:"timestamp"`
			Request   struct {
				URL    string `json:"url"`
				Method string `json:"method"`
			} `json:"request"`
			Redirect *struct {
				Status int `json:"status"`
			} `json:"redirectResponse"`
		}
		if !t.requests.on || !b.decode(method, params, &e) {
			return
		}
		if old := t.requests.find(e.RequestID); old != nil && e.Redirect != nil {
			old.text += fmt.Sprintf(" → %d, redirected", e.Redirect.Status)
			old.id = ""
		}
		t.requests.add(&record{id: e.RequestID, at: e.Timestamp, text: fmt.Sprintf("%s %s %s", e.Request.Method, strings.ToLower(e.Type), clip(e.Request.URL, 300))})
	case cdproto.EventNetworkResponseReceived:
		var e struct {
			RequestID string `json:"requestId"`
			Response  struct {
				Status   int    `json:"status"`
				MimeType string `json:"mimeType"`
			} `json:"response"`
		}
		if !t.requests.on || !b.decode(method, params, &e) {
			return
		}
		if r := t.requests.find(e.RequestID); r != nil {
			r.text += fmt.Sprintf(" → %d %s", e.Response.Status, oneLine(e.Response.MimeType))
			r.bad = e.Response.Status >= 400
		}
	case cdproto.EventNetworkLoadingFinished:
		var e struct {
			RequestID string  `json:"requestId"`
			Timestamp float64 `json:"timestamp"`
			Length    float64 `json:"encodedDataLength"`
		}
		if !t.requests.on || !b.decode(method, params, &e) {
			return
		}
		if r := t.requests.find(e.RequestID); r != nil && !r.done {
			r.done = true
			r.text += fmt.Sprintf(", %d bytes in %d ms", int(e.Length), int((e.Timestamp-r.at)*1000))
		}
	case cdproto.EventNetworkLoadingFailed:
		var e struct {
			RequestID string `json:"requestId"`
			ErrorText string `json:"errorText"`
			Blocked   string `json:"blockedReason"`
		}
		if !t.requests.on || !b.decode(method, params, &e) {
			return
		}
		if r := t.requests.find(e.RequestID); r != nil && !r.done {
			r.done, r.bad = true, true
			r.text += " → failed: " + strings.TrimSpace(e.ErrorText+" "+e.Blocked)
		}
	}
}

// clock is a CDP time stamp as the time of day.
func clock(ms float64) string {
	return time.UnixMilli(int64(ms)).Format("15:04:05")
}
