package browser

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// What a page asks its server for when it is acted on comes back after the
// action, and only then does the page show what the action was for. The browser
// is asked to tell of requests from the input on until the call is over: a page
// that asks for nothing costs a command on the way that nobody waits for, and
// the many requests of a page that loads are not told at all.
//
// What cannot be seen is a timer. A search box that waits until a person stops
// typing asks its server after the call is over; to wait for that, every call
// would have to be as slow as the slowest of such boxes. wait_for is for them.
// Nor are the requests of workers seen, which are targets of their own.
const (
	// answerWait bounds the wait for all that an action asked for. Most servers
	// answer well within it, and a person, too, begins to wonder after it.
	answerWait = 2 * time.Second
	// bodyWait is how long an answer that has begun may take to be told as
	// ended. It never is where the page does not read it to its end.
	bodyWait = 500 * time.Millisecond
	// chainWait is how soon after the answer to one request the next must come
	// to be taken for one that follows from it, and not from a timer.
	chainWait = 400 * time.Millisecond
	// quietFor is for how long a page must have changed nothing to be taken to
	// have drawn an answer: some frames.
	quietFor = 100 * time.Millisecond
	// quietWait bounds the wait for that: there are pages that never rest.
	quietWait = 500 * time.Millisecond
	// tellFor is for how long after a call the browser goes on to tell.
	tellFor = 5 * time.Second
	// maxEndless is how many addresses are kept that are not waited for.
	maxEndless = 100
)

// setOff is what an action set off. Browser.mu guards it.
type setOff struct {
	open  map[string]*openRequest // by the browser's id for them
	begun []float64               // when each began, in ms
	// late is set when the action is over: from then on a request counts only
	// if it follows from another one, whose end was at last.
	late bool
	last time.Time
	left bool // another document took the place of the one acted on
}

// openRequest is a request that has not ended.
type openRequest struct {
	key      string    // what it is asked again by
	begun    float64   // when, in ms
	answered time.Time // when the answer began
}

// awaited are the kinds of requests whose answers pages show. Pictures and
// fonts show themselves; beacons, event sources and sockets are not answered.
const awaited wordSet = "|Fetch|XHR|Script|Document|"

// listen has the browser tell of requests in a sequence's session, by a step of
// it. Input and commands reach a page on different ways: only what was sent
// before an answer of the page that came before the input is sure to be there
// by then.
func (o *operation) listen(s *sequence) {
	if o.listening(s.session) {
		add(s, network.Enable, network.EnableParams{})
	}
}

// listenIn has the browser tell of requests in a session; nobody waits for it.
func (o *operation) listenIn(session string) {
	if o.listening(session) {
		o.c.tell(context.Background(), session, network.CommandEnable, network.EnableParams{})
	}
}

// listening notes that somebody listens in a session, and says whether the
// browser must be asked to tell.
func (o *operation) listening(session string) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if o.t.setOff == nil {
		o.t.setOff = &setOff{open: map[string]*openRequest{}}
	}
	// Asked anew, the browser forgets what it keeps of the requests that are
	// recorded, and it tells of those already.
	if o.t.told[session] || o.t.requests.on {
		return false
	}
	if o.t.told == nil {
		o.t.told = map[string]bool{}
	}
	o.t.told[session] = true
	return true
}

// listened ends what listen began. The browser goes on to tell for a while: the
// next call mostly follows soon, and need not ask then. (While a dialog is open
// it could not ask: what the page asks for once that is handled would be missed,
// since the page takes no commands until then.)
func (o *operation) listened() {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	o.t.setOff = nil
	if len(o.t.told) == 0 || o.t.gone {
		return
	}
	if o.t.deaf != nil {
		o.t.deaf.Stop()
	}
	o.t.deaf = time.AfterFunc(tellFor, func() {
		select {
		case <-o.t.turn:
			defer o.t.unlock()
			if o.dialog() == nil {
				o.deafen()
			}
		default: // a call is under way, at whose end this begins anew
		}
	})
}

// deafen has the browser tell of requests no more, but for those who read them
// with [Browser.Network]. A page that loads has many.
func (o *operation) deafen() {
	o.b.mu.Lock()
	told := o.t.told
	o.t.told = nil
	if o.t.gone || !o.t.attached || o.t.requests.on {
		told = nil
	}
	o.b.mu.Unlock()
	for s := range told {
		o.c.tell(context.Background(), s, network.CommandDisable, cdp.Empty{})
	}
}

// noteRequest takes in an event that is about a request, while somebody
// listens. b.mu is held.
func (b *Browser) noteRequest(t *tab, method string, params jsonv2.Value) {
	f := t.setOff
	if f == nil || f.left || !strings.HasPrefix(method, "Network.") {
		return
	}
	var e struct {
		RequestID string      `json:"requestId"`
		Type      string      `json:"type"`
		FrameID   cdp.FrameID `json:"frameId"`
		WallTime  float64     `json:"wallTime"`
		Request   struct {
			URL    string `json:"url"`
			Method string `json:"method"`
		} `json:"request"`
		Response struct {
			MimeType string `json:"mimeType"`
		} `json:"response"`
	}
	if !b.decode(method, params, &e) {
		return
	}
	switch r := f.open[e.RequestID]; cdproto.MethodType(method) {
	case cdproto.EventNetworkRequestWillBeSent:
		// The document of the tab itself is waited for as a navigation.
		if r != nil || !awaited.has(e.Type) || e.Type == "Document" && e.FrameID == t.mainFrame ||
			f.late && time.Since(f.last) > chainWait {
			return
		}
		address, _, _ := strings.Cut(e.Request.URL, "?")
		key := e.Request.Method + " " + address
		if !t.endless[key] {
			f.open[e.RequestID] = &openRequest{key: key, begun: e.WallTime * 1000}
			f.begun = append(f.begun, e.WallTime*1000)
		}
	case cdproto.EventNetworkResponseReceived:
		switch {
		case r == nil:
		case streams(e.Response.MimeType):
			t.noteEndless(r.key)
			delete(f.open, e.RequestID)
		default:
			r.answered = time.Now()
		}
	case cdproto.EventNetworkLoadingFinished, cdproto.EventNetworkLoadingFailed:
		if r != nil {
			delete(f.open, e.RequestID)
			f.last = time.Now()
		}
	}
}

// streams reports whether an answer of that type comes bit by bit, as it
// happens.
func streams(mime string) bool {
	switch mime {
	case "text/event-stream", "multipart/x-mixed-replace", "application/x-ndjson", "application/stream+json":
		return true
	}
	return false
}

// noteEndless remembers that requests of a kind are not answered in time, so
// that they are waited for once. b.mu is held.
func (t *tab) noteEndless(key string) {
	if t.endless == nil || len(t.endless) >= maxEndless {
		t.endless = map[string]bool{}
	}
	t.endless[key] = true
}

// answered waits until what the action asked for is answered and the page has
// drawn it. Where it asked for nothing it costs nothing. It returns a note for
// the result if not all was answered.
func (o *operation) answered(ctx context.Context, m mark) (note string, err error) {
	o.b.mu.Lock()
	f := o.t.setOff
	none := f == nil || o.t.load.committed != m.load.committed || !f.after(o.since)
	o.b.mu.Unlock()
	if none {
		return "", nil
	}
	end := time.Now().Add(answerWait)
	for {
		unanswered, err := o.requestsEnd(ctx, m, f, end)
		if err != nil {
			return "", err
		}
		if unanswered > 0 {
			note = "The page still waits for an answer to what it asked its server for. Call wait_for, or read_page later, if what you look for is not there."
		}
		o.b.mu.Lock()
		over := o.t.dialog != nil || o.t.gone || o.t.crashed || o.t.load.pending || o.t.load.committed != m.load.committed
		o.b.mu.Unlock()
		if over {
			return note, nil
		}
		o.drawn(ctx)
		if err := context.Cause(ctx); err != nil {
			return note, err
		}
		o.b.mu.Lock()
		open := len(f.open)
		o.b.mu.Unlock()
		if open == 0 || time.Now().After(end) {
			return note, nil
		}
	}
}

// after has only those requests count that began after a time, and says whether
// there were some. From here on only those count that follow from them.
func (f *setOff) after(since float64) bool {
	f.late, f.last = true, time.Now()
	for id, r := range f.open {
		if r.begun < since {
			delete(f.open, id)
		}
	}
	return slices.ContainsFunc(f.begun, func(at float64) bool { return at >= since })
}

// requestsEnd waits until no request is open, and returns how many were when
// the time was up. It ends early where the page is being left.
func (o *operation) requestsEnd(ctx context.Context, m mark, f *setOff, end time.Time) (unanswered int, err error) {
	for {
		// An answer that has begun long ago counts as one.
		next := end
		o.b.mu.Lock()
		for id, r := range f.open {
			if r.answered.IsZero() {
				continue
			}
			if over := r.answered.Add(bodyWait); !over.After(time.Now()) {
				delete(f.open, id)
			} else if over.Before(next) {
				next = over
			}
		}
		if len(f.open) > 0 && !time.Now().Before(end) {
			unanswered = len(f.open)
			for id, r := range f.open {
				o.t.noteEndless(r.key)
				delete(f.open, id)
			}
		}
		open := len(f.open)
		leaving := o.t.dialog != nil || o.t.gone || o.t.crashed || o.t.load.pending || o.t.load.committed != m.load.committed
		answered := answersIn(f)
		o.b.mu.Unlock()
		if open == 0 || leaving {
			return unanswered, nil
		}
		if err := o.waitWhile(ctx, time.Until(next), func() bool {
			return len(f.open) > 0 && answersIn(f) == answered && !o.t.load.pending && o.t.load.committed == m.load.committed
		}); err != nil {
			return 0, err
		}
	}
}

// answersIn counts the open requests whose answers have begun. b.mu is held.
func answersIn(f *setOff) (n int) {
	for _, r := range f.open {
		if !r.answered.IsZero() {
			n++
		}
	}
	return n
}

// drawn waits until the document that was acted on changes no more, and takes in
// what it says then: whether the action changed something after all, and with
// that what.
func (o *operation) drawn(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, quietWait+shortWait, errTimedOut)
	defer cancel()
	d := o.elementDocument()
	if d == nil {
		d = o.known(o.mainKey())
	}
	if d == nil {
		return
	}
	o.b.mu.Lock()
	gone := d.gone
	o.b.mu.Unlock()
	if gone {
		return
	}
	s, wait := newSequence(o.c, d.session), o.b.nextWait()
	quiet := add(s, runtime.CallFunctionOn, inDocument(d, "quiet", []any{quietFor.Milliseconds(), quietWait.Milliseconds(), false, wait}))
	before := o.news
	o.bringNews(ctx, s, d, quiet)
	brought := o.news
	o.news = before
	// Whatever goes wrong here, the action was done and is told.
	if err := o.wait(ctx, s); err != nil {
		if context.Cause(ctx) != nil {
			o.cancelInPage(ctx, d, wait)
		}
		return
	}
	res, err := quiet.of(s)
	var r reply
	if err != nil || returned(res, &r) != nil || r.Stale {
		return
	}
	if r.Page.Touched != nil && *r.Page.Touched {
		o.touched, o.news = r.Page.Touched, brought
	}
	if d.docKey == o.mainKey() {
		o.notePage(r.Page)
	}
}

// stable waits until a new document whose content is there has loaded the rest
// too, or changes no more: what still loads then are pictures, advertisements or
// answers that never end.
func (o *operation) stable(ctx context.Context, m mark) error {
	loading := func() bool { return o.t.load.committed != m.load.committed && o.t.load.loading }
	if err := o.waitWhile(ctx, stableAfter, loading); err != nil {
		return err
	}
	o.b.mu.Lock()
	ask := loading() && !o.t.load.pending && o.t.dialog == nil && !o.t.gone && !o.t.crashed
	o.b.mu.Unlock()
	if !ask {
		return nil
	}
	lctx, cancel := context.WithTimeoutCause(ctx, loadWait, errTimedOut)
	defer cancel()
	// A page that cannot be asked is taken as it is, as one that is too slow.
	if d, err := o.mainWorld(lctx); err == nil {
		wait := o.b.nextWait()
		f := o.startInDocument(lctx, d, "quiet", stableFor.Milliseconds(), loadWait.Milliseconds(), true, wait)
		_ = o.orDialog(lctx, func(ctx context.Context) error { return f.call.wait(ctx, nil) })
		if context.Cause(lctx) != nil {
			o.cancelInPage(ctx, d, wait)
		}
	}
	return context.Cause(ctx)
}
