package browser

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/runtime"
)

// Bounds of WaitFor.
const (
	defaultWaitFor = 10 * time.Second
	maxWaitFor     = 5 * time.Minute
)

// WaitFor waits until a text is there or gone, until the tab is at an address,
// or for a time. A dialog ends the wait.
func (b *Browser) WaitFor(ctx context.Context, a WaitArgs) (*Outcome, error) {
	limit := a.Timeout
	if limit <= 0 {
		limit = defaultWaitFor
	}
	if a.For > 0 {
		limit = a.For
	}
	if limit > maxWaitFor {
		return nil, fmt.Errorf("A wait lasts %d ms at most.", maxWaitFor.Milliseconds())
	}
	var out *Outcome
	err := b.do(alsoLeaving(ctx), a.Tab, a.Ref, limit+b.timeout, func(ctx context.Context, o *operation) error {
		o.patient.Store(true) // a busy page is what many wait for
		m := o.mark()
		start := time.Now()
		wctx, cancel := context.WithTimeoutCause(ctx, limit, errTimedOut)
		defer cancel()
		var err error
		var did string
		switch {
		case a.For > 0:
			err = o.waitWhile(ctx, a.For, func() bool { return true })
			did = fmt.Sprintf("Waited %d ms.", a.For.Milliseconds())
		case a.URL != "":
			err = b.until(wctx, func() bool { return o.t.gone || o.t.dialog != nil || matchURL(a.URL, o.t.url) })
			did = fmt.Sprintf("The tab is at %s.", o.url())
		case a.Text != "":
			err = o.waitText(wctx, a.Text, false, limit)
			did = fmt.Sprintf("The text %q is there.", a.Text)
		case a.TextGone != "":
			err = o.waitText(wctx, a.TextGone, true, limit)
			did = fmt.Sprintf("The text %q is gone.", a.TextGone)
		case a.Ref != "":
			err = o.waitInPage(wctx, "waitRef", limit)
			did = fmt.Sprintf("%s is there.", o.ref)
		case a.Idle:
			if err = o.waitInPage(wctx, "waitIdle", limit); err == nil {
				err = b.until(wctx, func() bool {
					return o.t.gone || o.t.dialog != nil || o.t.crashed || !slices.ContainsFunc(o.t.downloads, (*download).under)
				})
			}
			did = "The page is quiet."
		default:
			return errors.New("Say what to wait for: text, text_gone, ref, url, idle or ms.")
		}
		o.b.mu.Lock()
		gone, crashed := o.t.gone, o.t.crashed
		o.b.mu.Unlock()
		switch {
		case gone:
			return b.tabGone(o.t.id)
		case crashed:
			return o.crash()
		case errors.Is(err, errDialog) || err == nil && o.dialog() != nil:
			out = o.outcome(m, "The wait ended, because a dialog opened.")
			return nil
		case errors.Is(err, errTimedOut):
			return fmt.Errorf("Waited %d ms, but %s. The tab is at %s. Call read_page to see the page.", limit.Milliseconds(), unmet(a), o.url())
		case err != nil:
			return err
		}
		o.refresh(ctx)
		took := time.Since(start)
		changes := o.changes(ctx)
		out = o.outcome(m, fmt.Sprintf("%s (after %d ms)", did, took.Milliseconds()))
		out.Changes = changes
		return nil
	})
	return out, err
}

// waitInPage waits for what one function of the page script waits for, on the
// operation's element or in the main document; again in the next document when
// that is replaced.
func (o *operation) waitInPage(ctx context.Context, fn string, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		wait, left := o.b.nextWait(), max(time.Until(deadline).Milliseconds(), 0)
		var d *document
		var r reply
		var err error
		if o.ref != nil {
			d = o.ref.doc
			r, err = o.askElement(ctx, fn, left, wait)
		} else if d, err = o.mainWorld(ctx); err == nil {
			r, err = o.ask(ctx, o.startInDocument(ctx, d, fn, left, wait))
		}
		switch {
		case context.Cause(ctx) != nil && d != nil:
			o.cancelInPage(ctx, d, wait)
			return err
		case errors.Is(err, errReplaced):
			continue
		case err != nil:
			return err
		case !r.Met:
			return errTimedOut
		}
		return nil
	}
}

func (o *operation) url() string {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return o.t.url
}

func unmet(a WaitArgs) string {
	switch {
	case a.URL != "":
		return fmt.Sprintf("the tab is not at %q", a.URL)
	case a.Ref != "":
		return fmt.Sprintf("the element %s is still hidden or disabled", a.Ref)
	case a.Idle:
		return "the page still changes, loads or downloads a file"
	case a.TextGone != "":
		return fmt.Sprintf("the text %q is still there", a.TextGone)
	}
	return fmt.Sprintf("the text %q did not appear", a.Text)
}

// matchURL compares an address with a part of it, or with a pattern in which *
// stands for anything.
func matchURL(pattern, url string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(url, pattern)
	}
	// path.Match has * stop at slashes; addresses have no such borders here.
	flat := strings.NewReplacer("/", "\x00", "[", "\x01", "]", "\x02", "?", "\x03", "\\", "\x04")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(url))
	return err == nil && ok
}

// nextWait numbers a wait in the page, so that it can be called off.
func (b *Browser) nextWait() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waitSeq++
	return b.waitSeq
}

// cancelInPage calls a wait in the page off; nobody waits for it.
func (o *operation) cancelInPage(ctx context.Context, d *document, wait int) {
	o.c.tell(ctx, d.session, runtime.CommandCallFunctionOn, inDocument(d, "cancel", []any{wait}))
}

// waitText waits in every document of the tab at once, and again in the next
// document when one is replaced. A text is gone when no document has it.
func (o *operation) waitText(ctx context.Context, text string, gone bool, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		met, err := o.waitTextOnce(ctx, text, gone, time.Until(deadline))
		if met || err != nil {
			return err
		}
		if time.Until(deadline) <= 0 {
			return errTimedOut
		}
	}
}

// waitTextOnce waits until the text is met, or a document was replaced.
func (o *operation) waitTextOnce(ctx context.Context, text string, gone bool, left time.Duration) (bool, error) {
	docs, err := o.documents(ctx)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		met bool
		err error
	}
	results := make(chan result, len(docs))
	for _, d := range docs {
		wait := o.b.nextWait()
		f := o.startInDocument(ctx, d, "waitText", text, gone, max(left.Milliseconds(), 0), wait)
		go func() {
			var r reply
			err := o.orDialog(ctx, func(ctx context.Context) error { return answer(ctx, f, &r) })
			if err != nil && !contextGone(err) {
				o.cancelInPage(ctx, d, wait)
			}
			if contextGone(err) || err == nil && r.Stale {
				r.Met, err = gone, nil // what was in that document is gone with it
				if gone && d == docs[0] {
					r.Met = false
				}
			}
			results <- result{r.Met, err}
		}()
	}
	var first result
	met, pending := 0, len(docs)
	for pending > 0 {
		r := <-results
		pending--
		if r.met {
			met++
		}
		// One document that has the text is enough; for it to be gone, all
		// must be without it.
		done := r.err != nil || !gone && r.met || gone && !r.met
		if done && first.err == nil && !first.met {
			first = r
			cancel()
		}
	}
	cancel()
	if err := first.err; err != nil {
		return false, err
	}
	return !gone && met > 0 || gone && met == len(docs), nil
}

// documents returns the engine's worlds in all documents of the tab, the main
// one first.
func (o *operation) documents(ctx context.Context) ([]*document, error) {
	main, err := o.mainWorld(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := o.frameKeys(ctx)
	if err != nil {
		return nil, err
	}
	docs := []*document{main}
	subs, err := o.worlds(ctx, keys[1:]...)
	for _, d := range subs {
		if d != nil {
			docs = append(docs, d)
		}
	}
	return docs, err
}
