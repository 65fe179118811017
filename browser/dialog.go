package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/page"
)

// HandleDialog accepts or dismisses the dialog that a tab has open (CDP
// Page.handleJavaScriptDialog). It does not wait for the tab's turn: what has
// the turn may wait for the dialog.
func (b *Browser) HandleDialog(ctx context.Context, a DialogArgs) (*Outcome, error) {
	var out *Outcome
	err := b.global(ctx, func(ctx context.Context, c *conn) (err error) {
		t, err := b.dialogTab(a.Tab)
		if err != nil {
			return err
		}
		o := &operation{b: b, c: c, t: t}
		defer func() {
			// The dialog that is open by then may be another one, which nobody has seen.
			if o.acted && err != nil && (protocolCode(err) == codeHopLost || !c.alive()) {
				err = outcomeUnknown(err)
			}
		}()
		if o.dialog() == nil || o.dialogSession() == "" {
			if err := o.attach(ctx); err != nil {
				return err
			}
		}
		d := o.dialog()
		if d == nil {
			return fmt.Errorf("No dialog is open in tab %s.", t.id)
		}
		if a.Text != "" && d.Type != string(page.DialogTypePrompt) {
			return fmt.Errorf("The dialog is of type %s: only a prompt takes a text.", d.Type)
		}
		m := o.mark()
		o.listenIn(o.mainKey().session)
		defer o.listened()
		p := page.HandleJavaScriptDialogParams{Accept: a.Accept}
		if a.Accept && d.Type == string(page.DialogTypePrompt) {
			p.PromptText = a.Text
			if a.Text == "" {
				p.PromptText = d.Default
			}
		}
		if err := o.sure(ctx); err != nil {
			return err
		}
		o.acted = true
		if _, err := send(ctx, c, o.dialogSession(), page.HandleJavaScriptDialog, p).wait(ctx); err != nil {
			return err
		}
		// The dialog that was open is closed once its own event says so; the
		// page may open the next one at once.
		if err := o.closed(ctx, d); err != nil {
			return err
		}
		verb := "Dismissed"
		if a.Accept {
			verb = "Accepted"
		}
		did := fmt.Sprintf("%s the %s %q.", verb, d.Type, d.Message)
		if d.Type == string(page.DialogTypeBeforeunload) { // it has no words of the page's
			did = "Stayed on the page: its beforeunload dialog was dismissed."
			if a.Accept {
				did = "Left the page: its beforeunload dialog was accepted."
			}
		}
		b.mu.Lock()
		gone := t.gone
		b.mu.Unlock()
		if gone {
			did += fmt.Sprintf(" Tab %s is closed.", t.id)
		}
		if gone || o.dialog() != nil {
			out = o.outcome(m, did)
			return nil
		}
		err = o.attach(ctx)
		if err == nil {
			o.catchUp(ctx)
			out, err = o.finish(ctx, m, did)
		}
		b.mu.Lock()
		gone = t.gone
		b.mu.Unlock()
		if gone { // what the dialog asked: whether to leave the page
			out, err = o.outcome(m, did+fmt.Sprintf(" Tab %s is closed.", t.id)), nil
		}
		return err
	})
	return out, err
}

// catchUp waits until the page has had what waited behind a dialog: input that
// was sent before it opened (of which may come the next dialog, or another
// page), and its own script. Input comes before calls, so a call that is
// answered says that.
func (o *operation) catchUp(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, shortWait, errTimedOut)
	defer cancel()
	d, err := o.mainWorld(ctx)
	if err != nil {
		return
	}
	f := o.startInDocument(ctx, d, "page")
	// What it finds is in the tab's state.
	_ = o.orDialog(ctx, func(ctx context.Context) error { return f.call.wait(ctx, nil) })
}

// dialogSession returns the session that the open dialog is to be handled in.
func (o *operation) dialogSession() string {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return o.t.dialogIn
}

// closed waits until a dialog is no longer the open one.
func (o *operation) closed(ctx context.Context, d *Dialog) error {
	wctx, cancel := context.WithTimeoutCause(ctx, shortWait, errors.New("The browser did not close the dialog."))
	defer cancel()
	return o.b.until(wctx, func() bool { return o.t.dialog != d || o.t.gone })
}

// dialogTab returns the tab that a dialog is to be handled in: the one named,
// else the current one, else the only one that has a dialog open.
func (b *Browser) dialogTab(id string) (*tab, error) {
	t, _, err := b.find(id, "")
	if err != nil || id != "" {
		return t, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.dialog != nil {
		return t, nil
	}
	for _, other := range b.tabIDs() {
		if b.tabs[other].dialog != nil {
			return b.tabs[other], nil
		}
	}
	return t, nil
}
