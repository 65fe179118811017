package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// How long an action waits for what it set off, at most.
const (
	// shortWait bounds waits for what follows at once or not at all.
	shortWait = 2 * time.Second
	// settleWait bounds the wait for a page that an action went to.
	settleWait = 10 * time.Second
	// loadWait is how long a page may go on loading pictures and scripts
	// after its document is there, before a call returns all the same.
	loadWait = 3 * time.Second
	// stableAfter is for how long it may load them before it is looked at, and
	// stableFor is for how long it must change nothing then to be taken as it
	// is: a script that comes late mostly comes sooner than that.
	stableAfter = 150 * time.Millisecond
	stableFor   = 400 * time.Millisecond
)

// errTimedOut is the cause of waits that this package bounds itself.
var errTimedOut = errors.New("timed out")

// waitWhile waits while cond holds (it runs under b.mu), but no longer than
// bound, and not past a dialog or the end of the tab.
func (o *operation) waitWhile(ctx context.Context, bound time.Duration, cond func() bool) error {
	wctx, cancel := context.WithTimeoutCause(ctx, bound, errTimedOut)
	defer cancel()
	err := o.b.until(wctx, func() bool { return o.t.gone || o.t.dialog != nil || o.t.crashed || !cond() })
	if errors.Is(err, errTimedOut) {
		return nil
	}
	return err
}

// mark remembers how things were before an action.
type mark struct {
	url, title string
	load       loadState
	opened     int
	closed     int
	downloads  int
}

func (o *operation) mark() mark {
	o.notice()
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return mark{o.t.url, o.t.title, o.t.load, len(o.b.opened), len(o.b.closed), len(o.t.downloads)}
}

// settle waits for a navigation that the action began, and then for its
// document, and a little for the rest.
func (o *operation) settle(ctx context.Context, m mark) error {
	if err := o.waitWhile(ctx, settleWait, func() bool { return o.t.load.pending }); err != nil || o.leaving() {
		return err
	}
	o.b.mu.Lock()
	left := o.t.load.committed != m.load.committed
	o.b.mu.Unlock()
	if left {
		o.deafen()
	}
	if err := o.waitWhile(ctx, settleWait, func() bool {
		l := o.t.load
		return l.pending || l.committed != m.load.committed && !l.dom
	}); err != nil {
		return err
	}
	return o.stable(ctx, m)
}

// refresh asks the page itself for its address and title.
func (o *operation) refresh(ctx context.Context) {
	if o.dialog() != nil || o.leaving() {
		return
	}
	rctx, cancel := context.WithTimeoutCause(ctx, shortWait, errTimedOut)
	defer cancel()
	o.fresh = nil
	d, err := o.mainWorld(rctx)
	if err != nil {
		return
	}
	if o.fresh != nil { // it said so just now
		o.notePage(*o.fresh)
		return
	}
	var p pageInfo
	f := o.startInDocument(rctx, d, "page")
	if err := o.orDialog(rctx, func(ctx context.Context) error { return answer(ctx, f, &p) }); err == nil {
		o.notePage(p)
	}
}

// noteReply takes in what a reply says of the page, unless it is from a frame.
func (o *operation) noteReply(r reply) {
	o.touched = r.Page.Touched
	o.asks = o.asks || r.Page.Asks
	o.noteSaves(r.Page.Saves) // also from a frame
	o.invalid = cmp.Or(o.invalid, r.Page.Invalid)
	if o.ref == nil || o.ref.doc.docKey == o.mainKey() {
		o.notePage(r.Page)
	}
}

func (o *operation) notePage(p pageInfo) {
	o.noteSaves(p.Saves)
	o.invalid = cmp.Or(o.invalid, p.Invalid)
	if p.URL == "" {
		return
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if o.t.failed == "" || !strings.HasPrefix(p.URL, "chrome-error:") {
		o.t.url = p.URL
	}
	o.t.title, o.t.status = p.Title, p.Status
}

// errDialog ends a wait for an answer of a page that a dialog holds up.
var errDialog = errors.New("a dialog is open")

// errLeaving ends a wait for an answer of a page that is being left by what was
// done: until the other server answers, the browser gives it nothing more.
var errLeaving = errors.New("the page is being left")

// leaveWait is how long a page that is being left may take to answer all the
// same: mostly it is gone by then.
const leaveWait = time.Second

// orDialog runs wait, but ends it with errDialog as soon as a dialog opens in
// the tab, with errLeaving when an action has it left for a slow server, and
// with an error when the tab goes away.
func (o *operation) orDialog(ctx context.Context, wait func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	if o.acted && !o.reloads {
		left := make(chan struct{})
		defer func() { <-left }()
		go func() {
			defer close(left)
			if o.stuckLeaving(ctx) {
				cancel(errLeaving)
			}
		}()
	}
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		err := o.b.until(ctx, func() bool { return o.t.dialog != nil || o.t.gone || o.t.crashed })
		if err != nil {
			return // the answer came first, or the connection's own error will
		}
		o.b.mu.Lock()
		dialog, crashed := o.t.dialog != nil, o.t.crashed
		o.b.mu.Unlock()
		switch {
		case dialog:
			cancel(errDialog)
		case crashed:
			cancel(o.crash())
		default:
			cancel(o.b.tabGone(o.t.id))
		}
	}()
	err := wait(ctx)
	cancel(nil)
	<-watching
	return err
}

// stuckLeaving waits until the tab has been on its way to another document for a
// while; false if ctx ends first.
func (o *operation) stuckLeaving(ctx context.Context) bool {
	for {
		seq := 0
		if o.b.until(ctx, func() bool { seq = o.t.load.seq; return o.t.load.pending }) != nil {
			return false
		}
		wctx, stop := context.WithTimeoutCause(ctx, leaveWait, errTimedOut)
		err := o.b.until(wctx, func() bool { return !o.t.load.pending || o.t.load.seq != seq })
		stop()
		if errors.Is(err, errTimedOut) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

func (o *operation) crash() error {
	return fmt.Errorf(`The page in tab %s crashed. Call navigate with action "reload".`, o.t.id)
}

// errTabGone is the kind of errors for tabs that were closed under a call.
var errTabGone = errors.New("tab gone")

func (b *Browser) tabGone(id string) error {
	return &kindError{errTabGone, fmt.Sprintf(`The tab %s was closed. Call tabs with action "list" to see your tabs.`, id)}
}

// outcome says what changed since m.
func (o *operation) outcome(m mark, did string, notes ...string) *Outcome {
	b := o.b
	b.mu.Lock()
	defer b.mu.Unlock()
	out := &Outcome{
		Tab: b.tabOf(o.t), Did: did, Notes: append(o.notes(), notes...),
		URLChanged:   o.t.url != m.url,
		TitleChanged: o.t.title != m.title,
		Dialog:       o.t.dialog,
	}
	for i := range b.opened {
		n := &b.opened[i]
		// One that came after the result of what opened it is told with the next.
		if n.told || n.opener != o.t.id && !(o.opens && n.opener == "" && i >= m.opened) {
			continue
		}
		if t := b.tabs[n.id]; t != nil {
			out.Opened, n.told = append(out.Opened, b.tabOf(t)), true
		}
	}
	out.Closed = append(out.Closed, b.closed[m.closed:]...)
	out.Downloads = o.downloads()
	if ch := o.t.chooser; ch != nil {
		out.Notes = append(out.Notes, o.askedForFile(ch))
		o.t.chooser = nil // said once, also where it came after the action
	}
	switch left := o.t.load.committed != m.load.committed; {
	case !left:
	case o.t.failed != "":
		out.Notes = append(out.Notes, fmt.Sprintf("%s could not be loaded; the browser shows an error page of its own.", clip(o.t.failed, 200)))
	case o.t.pdf:
		out.Notes = append(out.Notes, "It is a PDF in the browser's viewer: its text is not to be read there, but screenshot shows it.")
	case !out.URLChanged && !o.reloads:
		out.Notes = append(out.Notes, "The page was loaded anew; its refs are new.")
	}
	if o.invalid != "" && o.t.load.committed == m.load.committed {
		out.Notes = append(out.Notes, "The browser holds the form back. "+o.invalid)
	}
	if o.t.status > 0 && o.t.load.committed != m.load.committed {
		out.Notes = append(out.Notes, fmt.Sprintf("The server answered %s.", strings.TrimSpace(fmt.Sprintf("%d %s", o.t.status, http.StatusText(o.t.status)))))
	}
	// Of a page that waits for a dialog's answer nothing can be waited for.
	if o.t.dialog == nil && (o.t.load.pending || o.t.load.committed != m.load.committed && !o.t.load.dom) {
		out.Notes = append(out.Notes, "The page is still loading; call wait_for or read_page.")
	}
	return out
}

// tabOf returns what a caller is told of a tab. b.mu is held.
func (b *Browser) tabOf(t *tab) Tab {
	return Tab{ID: t.id, URL: t.url, Title: ownTitle(t.title, t.url), Current: t.id == b.current, Dialog: t.dialog}
}

// ownTitle is a page's own title: for one without, browsers give its address,
// without what every address has, or that of the page before.
func ownTitle(title, url string) string {
	plain := func(s string) string {
		if _, rest, is := strings.Cut(s, "://"); is {
			s = rest
		}
		return strings.TrimSuffix(s, "/")
	}
	if title == "about:blank" || plain(title) == plain(url) {
		return ""
	}
	return title
}

// clip shortens a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
