package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/target"
)

// operation is one call of a method of the engine on one tab.
type operation struct {
	b   *Browser
	c   *conn
	t   *tab
	ref *element // the element that the call is for, if any
	// acted is set as soon as something may have happened in the page: such
	// a call is not repeated when a hop breaks.
	acted bool
	// touched is whether the page says that the action changed something in the
	// document of its element; nil where nobody looked.
	touched *bool
	news    *news
	// opens is set when the page says that a tab will open: one that names no
	// opener is that.
	opens    bool
	asks     bool   // the page says that it asks for a file
	unseen   bool   // the page let no one see the click
	unframed bool   // the frame of its element went away as it was acted on
	invalid  string // the field that a form was held back for, and why
	// reloads is set where the page may be loaded anew by what was asked for.
	reloads  bool
	replaced []successor // what refs stand for since their elements were replaced
	fresh    *pageInfo   // what the tab's document was as this call made its world
	since    float64     // when the page was first acted on, by its clock in ms; 0: as the call began
	// patient calls are for pages that may be busy for long; see watch.
	patient atomic.Bool
	asked   atomic.Pointer[call]
}

// do runs fn on a tab (or on that of the ref): one call at a time for each tab,
// attached, with no dialog in the way. It runs fn once more where the browser
// says that nothing was done, or where only reading was interrupted.
func (b *Browser) do(ctx context.Context, tabID, ref string, timeout time.Duration, fn func(ctx context.Context, o *operation) error) error {
	if timeout == 0 {
		timeout = b.timeout
		fn = whileDrawn(fn)
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
			wctx, unwatch := o.watch(ctx)
			if err = o.arrive(wctx); err == nil {
				err = o.run(wctx, fn)
			}
			if context.Cause(wctx) == nil {
				o.noteSilent(isStuck(err))
			}
			unwatch()
			o.listened()
			o.t.unlock()
		}
		if err == nil {
			return nil
		}
		code := protocolCode(err)
		// The engine may have another link by now, which another call made.
		broken := b.lost() || o != nil && !o.c.alive()
		lost := code == codeNotAttached || code == codeHopLost || broken && context.Cause(ctx) == nil
		if lost {
			b.settleLater()
		}
		switch {
		case code == codeStopped:
			return &kindError{ErrStopped, err.Error()}
		case lost && o != nil && o.acted:
			return outcomeUnknown(err)
		case o != nil && o.acted && errors.Is(err, errNoAnswer):
			return &kindError{ErrOutcomeUnknown, fmt.Sprintf("Outcome unknown: the page did not answer within %s. Call read_page to see what happened before doing it again.", timeout)}
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

type whileLeaving struct{}

// alsoLeaving returns a context whose calls do not wait for a page that the tab
// is on its way to.
func alsoLeaving(ctx context.Context) context.Context {
	return context.WithValue(ctx, whileLeaving{}, true)
}

// arrive waits for the page that the tab is on its way to: until then the
// browser keeps back what the old one is asked.
func (o *operation) arrive(ctx context.Context) error {
	if ctx.Value(whileLeaving{}) != nil || !o.leaving() {
		return nil
	}
	if err := o.waitWhile(ctx, settleWait, func() bool { return o.t.load.pending }); err != nil {
		return err
	}
	if o.leaving() && o.dialog() == nil {
		return fmt.Errorf("Tab %s is on its way to another page, whose server has not answered yet. Call wait_for with idle, or navigate elsewhere.", o.t.id)
	}
	return nil
}

// outcomeUnknown is the error of an action that was under way when a hop broke.
func outcomeUnknown(err error) error {
	return &kindError{ErrOutcomeUnknown, fmt.Sprintf("Outcome unknown: %s. Call read_page to see what happened before doing it again.", sentence(err))}
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
	b.busy++
	b.mu.Unlock()
	if stop.ctx.Err() != nil {
		if err := b.stillStopped(ctx, stop); err != nil {
			b.rest()
			return nil, nil, err
		}
		b.mu.Lock()
		stop = b.stop
		b.mu.Unlock()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	off := context.AfterFunc(stop.ctx, func() { cancel(context.Cause(stop.ctx)) })
	return ctx, func() { off(); cancel(nil); b.rest() }, nil
}

// stillStopped returns nil, and forgets the stop, if the browser takes commands
// again.
func (b *Browser) stillStopped(parent context.Context, stop *stopState) error {
	ctx, cancel := context.WithTimeoutCause(parent, shortWait, context.Cause(stop.ctx))
	defer cancel()
	c, err := b.connect(ctx)
	if err == nil {
		err = c.start(ctx, "", target.CommandGetTargets, nil).wait(ctx, nil)
	}
	switch {
	case protocolCode(err) == codeStopped:
		return &kindError{ErrStopped, err.Error()}
	case err != nil && context.Cause(parent) != nil:
		return err
	case err != nil: // nobody could be asked, so it holds
		return context.Cause(stop.ctx)
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
