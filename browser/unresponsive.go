package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"
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
				cancel(fmt.Errorf(`The page in tab %s does not answer: a script of it runs without end. Leave it with navigate, or close the tab with tabs and action "close".`, o.t.id))
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

// dead reports whether a page leaves a ping unanswered that no dialog holds up.
func (o *operation) dead(ctx context.Context, p *call) bool {
	pctx, stop := context.WithTimeoutCause(ctx, pingWait, errTimedOut)
	defer stop()
	err := p.wait(pctx, nil)
	return errors.Is(err, errTimedOut) && o.dialog() == nil
}

// holds says that this call's own commands may keep the page busy for long, or
// that it waits for a page that may be: what is asked from now on says nothing
// of the page. It is asked once, before them.
func (o *operation) holds(ctx context.Context) {
	if o.asked.Load() == nil {
		o.asked.Store(o.ping(ctx))
	}
}
