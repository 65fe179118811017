package browser

import (
	"context"
	"errors"
	"fmt"
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
}

// Browser drives one browser. Its methods are safe for concurrent use: calls
// for different tabs run side by side, calls for one tab one after the other.
type Browser struct {
	dial func(ctx context.Context) (Transport, error)
	log  *slog.Logger

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
}

// openedTab is a tab that a page opened.
type openedTab struct{ id, opener string }

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
	b := &Browser{
		dial: dial, log: o.Log, connecting: make(chan struct{}, 1),
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
	delete(b.tabs, id)
	delete(b.session, t.session)
	for s := range t.children {
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
		if b.tabs[id] == nil && p.TargetInfo.OpenerID != "" {
			b.opened = append(b.opened, openedTab{id, string(p.TargetInfo.OpenerID)})
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
	}
}

// operation is one call of a method of the engine on one tab.
type operation struct {
	b   *Browser
	c   *conn
	t   *tab
	ref *element // the element that the call is for, if any
	// acted is set as soon as something may have happened in the page: such
	// a call is not repeated when a hop breaks.
	acted bool
}

// opTimeout bounds every call that sets no time of its own.
const opTimeout = 30 * time.Second

// do runs fn on a tab (or on that of the ref): one call at a time for each tab,
// attached, with no dialog in the way. It runs fn once more where the browser
// says that nothing was done, or where only reading was interrupted.
func (b *Browser) do(ctx context.Context, tabID, ref string, timeout time.Duration, fn func(ctx context.Context, o *operation) error) error {
	if timeout == 0 {
		timeout = opTimeout
	}
	ctx, release, err := b.stoppable(ctx)
	if err != nil {
		return err
	}
	defer release()
	ctx, done := context.WithTimeoutCause(ctx, timeout, noAnswer(timeout))
	defer done()

	var broke error // why a try that was under way in the page ended
	for try := 0; ; try++ {
		o, err := b.try(ctx, broke != nil, tabID, ref)
		if err == nil {
			err = fn(ctx, o)
			o.t.unlock()
		}
		if err == nil {
			return nil
		}
		code := protocolCode(err)
		lost := code == codeNotAttached || code == codeHopLost || b.lost() && context.Cause(ctx) == nil
		if lost {
			b.settleLater()
		}
		switch {
		case code == codeStopped:
			return &kindError{ErrStopped, err.Error()}
		case lost && o != nil && o.acted:
			return &kindError{ErrOutcomeUnknown, fmt.Sprintf("Outcome unknown: %s. Call read_page to see what happened before doing it again.", sentence(err))}
		case lost && o != nil && try < 2:
			broke = err
		case lost && try < 2:
		case broke != nil && !errors.Is(err, ErrStopped) && context.Cause(ctx) == nil:
			return fmt.Errorf("The call was cut off: %s. Trying again: %w", sentence(broke), err)
		default:
			return err
		}
	}
}

// errNoAnswer is the kind of errors for calls that took too long.
var errNoAnswer = errors.New("no answer")

func noAnswer(after time.Duration) error {
	return &kindError{errNoAnswer, fmt.Sprintf("The page did not answer within %s: it may be busy, or very large. Try read_page with mode \"text\", or navigate elsewhere.", after)}
}

// sentence returns an error's text without the full stop at its end.
func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// lost reports whether there was a connection and it has ended.
func (b *Browser) lost() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conn != nil && !b.conn.alive()
}

// again bounds how long a call that was cut off may take to begin once more:
// its caller is better told soon than made to wait for a browser to start.
const again = 1500 * time.Millisecond

// try connects and begins an operation; bounded for one that was cut off.
func (b *Browser) try(ctx context.Context, bounded bool, tabID, ref string) (*operation, error) {
	if bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, again, errors.New("the browser is not back yet. Call tabs with action \"list\" to see your tabs."))
		defer cancel()
	}
	c, err := b.connect(ctx)
	if err != nil {
		return nil, err
	}
	return b.begin(ctx, c, tabID, ref)
}

// stoppable returns a context that also ends when the user stops the agent. Of
// an agent that is stopped it asks whether that still holds: word of the user's
// letting it go on may be on its way, or lost with a link.
func (b *Browser) stoppable(ctx context.Context) (context.Context, func(), error) {
	b.mu.Lock()
	stop := b.stop
	b.mu.Unlock()
	if stop.ctx.Err() != nil {
		if err := b.stillStopped(ctx, stop); err != nil {
			return nil, nil, err
		}
		b.mu.Lock()
		stop = b.stop
		b.mu.Unlock()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	off := context.AfterFunc(stop.ctx, func() { cancel(context.Cause(stop.ctx)) })
	return ctx, func() { off(); cancel(nil) }, nil
}

// stillStopped returns nil, and forgets the stop, if the browser takes commands
// again.
func (b *Browser) stillStopped(ctx context.Context, stop *stopState) error {
	ctx, cancel := context.WithTimeoutCause(ctx, shortWait, context.Cause(stop.ctx))
	defer cancel()
	c, err := b.connect(ctx)
	if err == nil {
		err = c.start(ctx, "", target.CommandGetTargets, nil).wait(ctx, nil)
	}
	switch {
	case protocolCode(err) == codeStopped:
		return &kindError{ErrStopped, err.Error()}
	case err != nil:
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == stop {
		b.stop = newStopState()
	}
	return nil
}

// settleLater makes the next call ask anew what the tabs are.
func (b *Browser) settleLater() {
	b.mu.Lock()
	b.unsettle()
	b.mu.Unlock()
}

var errNoTab = errors.New(`You have no tab open. Call tabs with action "open", or navigate with a url.`)

// begin finds the tab, waits for its turn and makes it ready.
func (b *Browser) begin(ctx context.Context, c *conn, tabID, ref string) (*operation, error) {
	t, el, err := b.find(tabID, ref)
	if err != nil {
		return nil, err
	}
	if err := t.lock(ctx); err != nil {
		return nil, err
	}
	o := &operation{b: b, c: c, t: t, ref: el}
	if err := o.attach(ctx); err != nil {
		t.unlock()
		return nil, err
	}
	if d := o.dialog(); d != nil {
		t.unlock()
		return nil, fmt.Errorf("A dialog is open in tab %s (%s: %q); the page waits for it. Call handle_dialog first; if dialogs keep coming, close the tab with tabs.", t.id, d.Type, d.Message)
	}
	return o, nil
}

// find returns the tab that a call is for, and the element of its ref.
func (b *Browser) find(tabID, ref string) (*tab, *element, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var el *element
	if ref != "" {
		var err error
		if el, err = b.refs.find(ref); err != nil {
			return nil, nil, err
		}
		if tabID != "" && tabID != el.tab {
			return nil, nil, fmt.Errorf("The ref %s is in tab %s, not in tab %s.", ref, el.tab, tabID)
		}
		tabID = el.tab
	}
	if tabID == "" {
		tabID = b.current
	}
	if t := b.tabs[tabID]; t != nil {
		return t, el, nil
	}
	if tabID == "" {
		return nil, nil, errNoTab
	}
	ids := b.tabIDs()
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("There is no tab %s. %s", tabID, errNoTab)
	}
	return nil, nil, fmt.Errorf("There is no tab %s; your tabs are %s.", tabID, strings.Join(ids, ", "))
}
