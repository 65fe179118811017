package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// RecordArgs are the arguments of [Browser.Console] and [Browser.Network].
type RecordArgs struct {
	Tab    string
	Filter string // a part of the message, or of the address
	Errors bool   // only errors and warnings; requests that failed
	Limit  int    // 0 is 50, the latest
}

// Records are what a page logged or asked for, the oldest first. They are the
// page's word.
type Records[E Record] struct {
	Tab   Tab
	List  []E
	Total int // of those that fit the filters
	Notes []string
}

// Record is a [Message] or a [Request].
type Record interface {
	// Line tells it on one line.
	Line() string
	// Bad says that it is an error or a warning, or that the request failed.
	Bad() bool
}

const (
	// keptRecords is how many are kept of each kind, for each tab.
	keptRecords = 500
	// recordLimit is how many are told if nothing else is asked.
	recordLimit = 50
	// maxRecord is how long the text of one may be.
	maxRecord = 500
)

// recorder is the latest records of a tab. Browser.mu guards it.
type recorder[E Record] struct {
	on   bool // the browser tells of them
	list []*E
}

func (r *recorder[E]) add(e *E) {
	if len(r.list) >= keptRecords {
		r.list = append(r.list[:0], r.list[len(r.list)-keptRecords+1:]...)
	}
	r.list = append(r.list, e)
}

// last returns the latest record that fits, or nil.
func (r *recorder[E]) last(fits func(*E) bool) *E {
	for i := len(r.list) - 1; i >= 0; i-- {
		if fits(r.list[i]) {
			return r.list[i]
		}
	}
	return nil
}

// recorded returns the records of a tab that fit. The first call begins to
// record, with the commands that enable sends to each session of the tab, and then after:
// nothing is recorded before, since that costs the page. begun is told then.
func recorded[E Record](ctx context.Context, b *Browser, a RecordArgs, of func(*tab) *recorder[E],
	enable func(ctx context.Context, c *conn, session string) []*call, after func(*operation, context.Context), begun string,
) (*Records[E], error) {
	var out *Records[E]
	err := b.do(ctx, a.Tab, "", 0, func(ctx context.Context, o *operation) error {
		b.mu.Lock()
		r := of(o.t)
		on := r.on
		if !on {
			r.on, r.list = true, nil
		}
		b.mu.Unlock()
		out = &Records[E]{}
		if !on {
			if err := o.beginRecords(ctx, enable); err != nil {
				b.mu.Lock()
				r.on = false
				b.mu.Unlock()
				return err
			}
			if after != nil {
				after(o, ctx)
			}
			if begun != "" {
				out.Notes = append(out.Notes, begun)
			}
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		out.Tab = b.tabOf(o.t)
		filter := strings.ToLower(a.Filter)
		for _, e := range r.list {
			if a.Errors && !(*e).Bad() || !strings.Contains(strings.ToLower((*e).Line()), filter) {
				continue
			}
			out.List = append(out.List, *e)
		}
		out.Total = len(out.List)
		limit := a.Limit
		if limit <= 0 {
			limit = recordLimit
		}
		out.List = out.List[max(0, out.Total-limit):]
		return nil
	})
	return out, err
}

// beginRecords sends the commands that make the browser tell of records, to the
// tab's own session and to those of its frames in other processes; frames that
// come later get them in frameAttached.
func (o *operation) beginRecords(ctx context.Context, enable func(context.Context, *conn, string) []*call) error {
	main := o.mainKey().session
	calls := enable(ctx, o.c, main)
	done := map[string]bool{main: true}
	for more := true; more; {
		more = false
		o.b.mu.Lock()
		var list []*child
		for _, c := range o.t.children {
			if !done[c.session] {
				list = append(list, c)
			}
		}
		o.b.mu.Unlock()
		for _, c := range list {
			done[c.session], more = true, true
			for _, p := range enable(ctx, o.c, c.session) {
				// A frame that goes away meanwhile has nothing to tell.
				if err := p.wait(ctx, nil); err != nil && protocolCode(err) == 0 {
					return err
				}
			}
		}
	}
	for _, p := range calls {
		if err := p.wait(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// frameAttached has a frame of another process, which came just now, tell of
// its records too. It runs on the connection's reader. b.mu is held.
func (b *Browser) frameAttached(t *tab, session string) {
	if b.conn == nil || !t.console.on && !t.requests.on {
		return
	}
	console, requests := t.console.on, t.requests.on
	b.conn.aside(func(ctx context.Context, c *conn) {
		// What lies in it in turn is known only if somebody asks.
		send(ctx, c, session, page.Enable, page.EnableParams{})
		send(ctx, c, session, target.SetAutoAttach, autoAttachParams)
		if console {
			enableConsole(ctx, c, session)
		}
		if requests {
			enableNetwork(ctx, c, session)
		}
	})
}

// oneLine makes one short line of what a page says.
func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " "), maxRecord) }

// recordEvents are the events that are records, or parts of one, with what
// takes them in. b.mu is held then.
var recordEvents = map[string]func(b *Browser, t *tab, session, method string, params jsonv2.Value){
	string(cdproto.EventRuntimeConsoleAPICalled):  onMessage(takeConsole),
	string(cdproto.EventRuntimeExceptionThrown):   onMessage(takeException),
	string(cdproto.EventLogEntryAdded):            onMessage(takeLog),
	string(cdproto.EventNetworkRequestWillBeSent): onRequest(takeSent),
	string(cdproto.EventNetworkResponseReceived):  onRequest(takeResponse),
	string(cdproto.EventNetworkLoadingFinished):   onRequest(takeFinished),
	string(cdproto.EventNetworkLoadingFailed):     onRequest(takeFailed),
}

// onMessage decodes an event that is a message.
func onMessage[V any](take func(*V) *Message) func(*Browser, *tab, string, string, jsonv2.Value) {
	return func(b *Browser, t *tab, session, method string, params jsonv2.Value) {
		var e V
		if !t.console.on || !b.decode(method, params, &e) {
			return
		}
		if m := take(&e); m != nil {
			m.session = session
			t.console.add(m)
		}
	}
}

// onRequest decodes an event of a request.
func onRequest[V any](take func(r *requestRecorder, session string, e *V)) func(*Browser, *tab, string, string, jsonv2.Value) {
	return func(b *Browser, t *tab, session, method string, params jsonv2.Value) {
		var e V
		if t.requests.on && b.decode(method, params, &e) {
			take(&t.requests, session, &e)
		}
	}
}

// recordEvent takes in an event of the tab or of a frame of it that is a record.
// b.mu is held.
func (b *Browser) recordEvent(t *tab, session, method string, params jsonv2.Value) {
	if take := recordEvents[method]; take != nil {
		take(b, t, session, method, params)
	}
}
