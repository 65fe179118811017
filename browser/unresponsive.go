package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

const (
	// pingAfter is how long a call may be under way before the page is asked
	// whether it still answers anything.
	pingAfter = 1500 * time.Millisecond
	// pingWait is how long it may take for that.
	pingWait = 3 * time.Second
)

// watch ends a call's context with a sentence when its page answers nothing any
// more, as one in an endless loop does. Ordinary calls are over before it asks.
func (o *operation) watch(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		after := time.NewTimer(pingAfter)
		defer after.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-after.C:
			}
			p := o.asked.Load()
			if p == nil && !o.patient.Load() && o.dialog() == nil {
				p = o.ping(ctx)
			}
			if p != nil && o.dead(ctx, p) {
				o.noteSilent(true)
				cancel(fmt.Errorf(`The page in tab %s does not answer: a script of it runs without end. Call navigate to leave it, or close the tab with tabs and action "close".`, o.t.id))
				return
			}
			after.Reset(pingAfter)
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// ping asks the page for nothing.
func (o *operation) ping(ctx context.Context) *call {
	return o.c.begin(ctx, o.mainKey().session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "1", ReturnByValue: &yes}, false)
}

// dead reports whether a page leaves a ping unanswered that no dialog holds up,
// while the browser itself answers: where it does not, a hop is being mended or
// the browser woken, and the page is not to blame.
func (o *operation) dead(ctx context.Context, p *call) bool {
	pctx, stop := context.WithTimeoutCause(ctx, pingWait, errTimedOut)
	defer stop()
	link := o.c.begin(ctx, "", target.CommandGetTargets, nil, false)
	if err := p.wait(pctx, nil); !errors.Is(err, errTimedOut) || o.dialog() != nil || o.leaving() {
		return false
	}
	select {
	case <-link.ready:
		return link.err == nil
	default:
		return false
	}
}

// leaving reports whether the tab is on its way to another document. Until the
// server answers, the browser keeps back what the page is asked.
func (o *operation) leaving() bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return o.t.load.pending
}

// holds says that this call's own commands may keep the page busy for long, or
// for a while at least: what the page is asked once they are sent says little of
// it. Of a page that did not answer the last time it is asked before them, once;
// others are taken to answer, since the question costs each call a message.
func (o *operation) holds(ctx context.Context, long bool) {
	o.b.mu.Lock()
	silent := o.t.silent
	o.b.mu.Unlock()
	switch {
	case silent && o.asked.Load() == nil:
		o.asked.Store(o.ping(ctx))
	case !silent && long:
		o.patient.Store(true)
	}
}

// askFirst has the page asked whether it answers before the commands of a call
// that may keep it busy for seconds, such as the reading of a very large page.
func (o *operation) askFirst(ctx context.Context) {
	if o.asked.Load() == nil {
		o.asked.Store(o.ping(ctx))
	}
}

// stuckError says that a tab cannot be taken to another page, because the page
// in it does not answer: a document of the same site comes into the same
// process, where it would wait for the script that runs there without end.
// (Only a debugger that Chrome trusts may end the script; an extension's it does
// not trust.)
type stuckError struct {
	tab string
	url string // of the page that does not answer
}

func (e *stuckError) Error() string {
	return fmt.Sprintf(`The page in tab %s does not answer, and its history is lost with it. Call navigate with the url of the page you need.`, e.tab)
}

func isStuck(err error) bool {
	var stuck *stuckError
	return errors.As(err, &stuck)
}

// unlessStuck runs what takes the tab to another document. It ends that with a
// *stuckError when the page there answers nothing and does not go away either.
// The page is asked before it is left: afterwards it is the next server that may
// keep back the answer.
func (o *operation) unlessStuck(ctx context.Context, leave func(ctx context.Context) error) error {
	o.b.mu.Lock()
	url := o.t.url
	committed, unknown := o.t.load.committed, o.t.crashed || o.t.load.pending && !o.t.silent
	o.b.mu.Unlock()
	if unknown {
		return leave(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	asked := o.ping(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pctx, stop := context.WithTimeoutCause(ctx, pingWait, errTimedOut)
		defer stop()
		err := asked.wait(pctx, nil)
		if err == nil || protocolCode(err) != 0 && !contextGone(err) {
			return
		}
		// The question may go away with the way the page is shown, before the
		// next document is there.
		err = o.b.until(pctx, func() bool { return o.t.load.committed != committed || o.t.dialog != nil || o.t.gone || o.t.crashed })
		if errors.Is(err, errTimedOut) {
			cancel(&stuckError{o.t.id, url})
		}
	}()
	err := leave(ctx)
	if err == nil { // it is on its way, and may yet not come
		<-done
		if cause := context.Cause(ctx); isStuck(cause) {
			err = cause
		}
	}
	cancel(nil)
	<-done
	return err
}

// inNewTab does what navigate was asked for in a new tab, in place of one whose page
// does not answer.
func (b *Browser) inNewTab(ctx context.Context, a NavigateArgs, stuck *stuckError) (*Outcome, error) {
	switch a.Action {
	case "":
	case "reload":
		a.URL = stuck.url
	default:
		return nil, stuck
	}
	out, err := b.openAt(ctx, a.URL)
	if out == nil {
		return nil, err
	}
	if _, cerr := b.CloseTab(ctx, stuck.tab); cerr != nil {
		return out, errors.Join(err, cerr)
	}
	out.Closed = append(out.Closed, stuck.tab)
	out.Notes = append(out.Notes, fmt.Sprintf("The page in tab %s did not answer any more: its tab was closed, and %s took its place.", stuck.tab, out.Tab.ID))
	return out, err
}

// noteSilent remembers whether a tab's page answered.
func (o *operation) noteSilent(silent bool) {
	o.b.mu.Lock()
	o.t.silent = silent
	o.b.mu.Unlock()
}
