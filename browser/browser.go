package browser

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// Options are the settings of a [Browser]; the zero value is fine.
type Options struct {
	Log *slog.Logger
	// Timeout bounds every call that sets no time of its own; 0 is 30 s.
	Timeout time.Duration
	// UploadDirs are the folders whose files may be given to pages; none are
	// all.
	UploadDirs []string
}

// Browser drives one browser. Its methods are safe for concurrent use: calls
// for different tabs run side by side, calls for one tab one after the other.
type Browser struct {
	dial func(ctx context.Context) (Transport, error)
	log  *slog.Logger
	// timeout bounds every call that sets no time of its own.
	timeout time.Duration

	uploadDirs []string

	// connecting holds a token: whoever has it may dial.
	connecting chan struct{}

	mu      sync.Mutex // guards the fields below and the state of every tab
	conn    *conn
	tabs    map[string]*tab
	session map[string]*tab // by the session that the tab, or a frame of it, answers in
	current string
	opened  []openedTab // tabs that came up by themselves, in order
	closed  []string    // tabs that went away, in order
	refs    refTable
	stop    *stopState    // replaced when the user lets the agent go on
	changed chan struct{} // closed and replaced whenever an event changed something
	waitSeq int
	// unsettled says that events may have been missed.
	unsettled bool
	busy      int  // calls under way
	leaving   bool // the other end asks for a new connection; see leave
}

// openedTab is a tab that a page opened.
type openedTab struct {
	id, opener string
	told       bool // a result named it
}

// stopState is whether the user has stopped this agent.
type stopState struct {
	ctx  context.Context
	stop context.CancelCauseFunc
}

func newStopState() *stopState {
	ctx, stop := context.WithCancelCause(context.Background())
	return &stopState{ctx, stop}
}

// New makes an engine for the browser that dial connects to. It dials at the
// first call that needs the browser, and again at the next call after a
// connection broke.
func New(dial func(ctx context.Context) (Transport, error), o Options) *Browser {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	b := &Browser{
		dial: dial, log: o.Log, timeout: o.Timeout, uploadDirs: o.UploadDirs, connecting: make(chan struct{}, 1),
		tabs: map[string]*tab{}, session: map[string]*tab{}, refs: newRefTable(), stop: newStopState(), changed: make(chan struct{}),
	}
	b.connecting <- struct{}{}
	return b
}

// Close ends the connection; the tabs stay as they are.
func (b *Browser) Close() error {
	b.mu.Lock()
	c := b.conn
	b.conn = nil
	for _, t := range b.tabs {
		if t.deaf != nil {
			t.deaf.Stop()
		}
	}
	b.mu.Unlock()
	if c != nil {
		c.close()
	}
	return nil
}

// RoundTrips returns how many CDP commands the engine has sent on its
// connection, and in how many batches it waited for answers: the price of what
// it did, for tests and benchmarks.
func (b *Browser) RoundTrips() (commands, trips int) {
	b.mu.Lock()
	c := b.conn
	b.mu.Unlock()
	if c == nil {
		return 0, 0
	}
	return c.roundTrips()
}

// connect returns the live connection, or makes one, and learns which tabs there
// are where that may have changed unseen.
func (b *Browser) connect(ctx context.Context) (*conn, error) {
	if c := b.settled(); c != nil {
		return c, nil
	}
	select {
	case <-b.connecting:
		defer func() { b.connecting <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c := b.settled(); c != nil {
		return c, nil // another call did it meanwhile
	}
	b.mu.Lock()
	c := b.conn
	b.mu.Unlock()
	if c == nil || !c.alive() {
		if c != nil {
			c.close()
		}
		tr, err := b.dial(ctx)
		if err != nil {
			return nil, err
		}
		b.mu.Lock()
		b.leaving = false // before the first event: it may say so again
		b.mu.Unlock()
		c = newConn(tr, b.event)
		b.mu.Lock()
		b.conn = c
		b.unsettle()
		b.mu.Unlock()
	}
	b.mu.Lock()
	b.unsettled = false // an event that comes while we ask sets it again
	b.mu.Unlock()
	if err := b.listTabs(ctx, c); err != nil {
		b.settleLater()
		return c, err
	}
	return c, nil
}

// settled returns the connection if it lives and nothing may have been missed.
func (b *Browser) settled() *conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil || b.unsettled || !b.conn.alive() {
		return nil
	}
	return b.conn
}

// unsettle notes that events may have been missed: which tabs there are, and
// what is known of each, must be asked for again. b.mu is held.
func (b *Browser) unsettle() {
	b.unsettled = true
	for _, t := range b.tabs {
		t.attached = false
	}
}

// targetInfo is CDP's Target.TargetInfo with two fields that the virtual
// browser of a tab group adds.
type targetInfo struct {
	TargetID target.ID   `json:"targetId"`
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	URL      string      `json:"url"`
	OpenerID target.ID   `json:"openerId"`
	Active   bool        `json:"active"`
	Dialog   *dialogInfo `json:"dialog"`
}

type dialogInfo struct {
	Type          string `json:"type"`
	Message       string `json:"message"`
	DefaultPrompt string `json:"defaultPrompt"`
	SessionID     string `json:"sessionId"` // of the frame that opened it, if not the tab's own
}

func (d *dialogInfo) dialog() *Dialog {
	if d == nil {
		return nil
	}
	return &Dialog{Type: d.Type, Message: d.Message, Default: d.DefaultPrompt}
}

// listTabs asks which tabs there are (CDP Target.getTargets).
func (b *Browser) listTabs(ctx context.Context, c *conn) error {
	// A plain browser tells of tabs only when asked to; the virtual browser of
	// a tab group always does, and may refuse.
	send(ctx, c, "", target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	var got struct {
		TargetInfos []targetInfo `json:"targetInfos"`
	}
	if err := c.start(ctx, "", target.CommandGetTargets, nil).wait(ctx, &got); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	there := map[string]bool{}
	for _, info := range got.TargetInfos {
		if info.Type != "page" && info.Type != "" {
			continue
		}
		there[string(info.TargetID)] = true
		b.noteTab(info)
	}
	for id := range b.tabs {
		if !there[id] {
			b.forgetTab(id)
		}
	}
	return nil
}

// noteTab takes in what the browser says of a tab. b.mu is held.
func (b *Browser) noteTab(info targetInfo) *tab {
	id := string(info.TargetID)
	t := b.tabs[id]
	if t == nil {
		t = newTab(id)
		b.tabs[id] = t
	}
	t.url, t.title = info.URL, info.Title
	if info.Active || b.current == "" {
		b.current = id
	}
	if info.Dialog != nil && t.dialog == nil {
		t.dialog = info.Dialog.dialog()
	}
	return t
}

// forgetTab drops a tab that is gone. b.mu is held.
func (b *Browser) forgetTab(id string) {
	t := b.tabs[id]
	if t == nil {
		return
	}
	t.gone = true
	t.attached = false
	if t.deaf != nil {
		t.deaf.Stop()
	}
	delete(b.tabs, id)
	delete(b.session, t.session)
	for s := range t.children {
		delete(b.session, s)
	}
	for s := range t.workers {
		delete(b.session, s)
	}
	b.refs.dropTab(id)
	b.closed = append(b.closed, id)
	if b.current == id {
		b.current = ""
		if ids := b.tabIDs(); len(ids) > 0 {
			b.current = ids[len(ids)-1]
		}
	}
}

// tabIDs returns the ids in the order of their making. b.mu is held.
func (b *Browser) tabIDs() []string {
	ids := make([]string, 0, len(b.tabs))
	for id := range b.tabs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y string) int {
		if d := len(x) - len(y); d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	return ids
}

// broadcast wakes everyone who waits for a change. b.mu is held.
func (b *Browser) broadcast() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// until waits until met returns true; it runs under b.mu, now and after every
// event.
func (b *Browser) until(ctx context.Context, met func() bool) error {
	for {
		b.mu.Lock()
		ok, changed, c := met(), b.changed, b.conn
		b.mu.Unlock()
		if ok {
			return nil
		}
		var lost <-chan struct{}
		if c != nil {
			lost = c.done
		}
		select {
		case <-changed:
		case <-lost:
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// event takes in one event. It runs on the connection's reader.
func (b *Browser) event(session, method string, params jsonv2.Value) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if session == "" {
		b.browserEvent(method, params)
	} else if t := b.session[session]; t != nil {
		b.tabEvent(t, session, method, params)
	}
	b.broadcast()
}

// browserEvent takes in an event of the browser level. b.mu is held.
func (b *Browser) browserEvent(method string, params jsonv2.Value) {
	var p struct {
		TargetInfo targetInfo `json:"targetInfo"`
		TargetID   string     `json:"targetId"`
		SessionID  string     `json:"sessionId"`
		Message    string     `json:"message"`
	}
	if err := jsonv2.Unmarshal(params, &p, jsonOptions); err != nil && len(params) > 0 {
		b.log.Warn("an event could not be decoded", "method", method, "error", err)
		return
	}
	switch cdproto.MethodType(method) {
	case cdproto.EventTargetTargetCreated:
		if p.TargetInfo.Type != "page" {
			return
		}
		id := string(p.TargetInfo.TargetID)
		if b.tabs[id] == nil {
			b.opened = append(b.opened, openedTab{id: id, opener: string(p.TargetInfo.OpenerID)})
		}
		b.noteTab(p.TargetInfo)
	case cdproto.EventTargetTargetInfoChanged:
		if b.tabs[string(p.TargetInfo.TargetID)] != nil {
			b.noteTab(p.TargetInfo)
		}
	case cdproto.EventTargetTargetDestroyed:
		b.forgetTab(p.TargetID)
	case cdproto.EventTargetDetachedFromTarget:
		if t := b.session[p.SessionID]; t != nil && t.session == p.SessionID {
			t.attached = false
		}
	case "Sidekick.stopped":
		b.stop.stop(&kindError{ErrStopped, p.Message})
	case "Sidekick.resumed":
		if b.stop.ctx.Err() != nil {
			b.stop = newStopState()
		}
	case "Sidekick.disconnected":
		b.unsettle()
	case "Sidekick.leaving":
		b.leaving = true
		b.leave()
	}
}
