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
	// terminateWait is how long a page may take to answer once its script was
	// ended; maxTerminate is how often one is ended that begins another.
	terminateWait = 300 * time.Millisecond
	maxTerminate  = 5
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
				cancel(fmt.Errorf(`The page in tab %s does not answer: a script of it runs without end. Call navigate to leave it, or with action "reload", which ends that script; or close the tab with tabs and action "close".`, o.t.id))
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

// freePage ends the script of a page that does not answer, before the page is
// left (CDP Runtime.terminateExecution, which comes through to a page that runs
// a script without end). A document of the same site comes into the same
// process, where it would wait for that script for ever; and once it is on its
// way, the browser keeps back what the page is told.
func (o *operation) freePage(ctx context.Context) {
	o.b.mu.Lock()
	patience := pingWait
	if o.t.silent {
		patience = terminateWait
	}
	none := o.t.crashed || o.t.load.pending // nothing there would answer
	o.b.mu.Unlock()
	if none {
		return
	}
	asked := o.ping(ctx)
	for range maxTerminate {
		pctx, stop := context.WithTimeoutCause(ctx, patience, errTimedOut)
		err := o.orDialog(pctx, func(ctx context.Context) error { return asked.wait(ctx, nil) })
		stop()
		if !errors.Is(err, errTimedOut) || o.leaving() {
			return
		}
		session := o.mainKey().session
		o.c.tell(ctx, session, runtime.CommandTerminateExecution, nil)
		asked = o.c.begin(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: noTimers}, false)
		patience = terminateWait
	}
}

// noTimers has a page that is to be left begin nothing anew.
const noTimers = "for (let n = Math.min(setTimeout(() => {}), 1e6); n > 0; n--) clearTimeout(n)"

// noteSilent remembers whether a tab's page answered.
func (o *operation) noteSilent(silent bool) {
	o.b.mu.Lock()
	o.t.silent = silent
	o.b.mu.Unlock()
}
