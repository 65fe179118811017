package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/target"
)

// Tabs lists the tabs of the browser.
func (b *Browser) Tabs(ctx context.Context) ([]Tab, error) {
	var list []Tab
	err := b.global(ctx, func(ctx context.Context, c *conn) error {
		if err := b.listTabs(ctx, c); err != nil {
			return err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		list = nil
		for _, id := range b.tabIDs() {
			list = append(list, b.tabOf(b.tabs[id]))
		}
		return nil
	})
	return list, err
}

// global runs fn for the browser as a whole: like do, without a tab.
func (b *Browser) global(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	ctx, release, err := b.stoppable(ctx)
	if err != nil {
		return err
	}
	defer release()
	ctx, done := context.WithTimeoutCause(ctx, b.timeout, noAnswer(b.timeout))
	defer done()
	for try := 0; ; try++ {
		c, err := b.connect(ctx)
		if err == nil {
			err = fn(ctx, c)
		}
		if err == nil {
			return nil
		}
		if protocolCode(err) == codeStopped {
			return &kindError{ErrStopped, err.Error()}
		}
		if errors.Is(err, ErrOutcomeUnknown) {
			b.settleLater()
			return err
		}
		lost := protocolCode(err) == codeHopLost || c != nil && !c.alive()
		if !lost || try == 2 || context.Cause(ctx) != nil {
			return err
		}
		b.settleLater()
	}
}

// OpenTab opens a tab and goes to an address there; empty is about:blank.
func (b *Browser) OpenTab(ctx context.Context, to string) (*Outcome, error) {
	if to == "" {
		to = "about:blank"
	}
	to, err := address(to)
	if err != nil {
		return nil, err
	}
	return b.openAt(ctx, to)
}

// openAt makes a tab (CDP Target.createTarget) and takes it to an address. The
// tab is made blank, so that the navigation is the engine's own: it sees its
// errors and its end.
func (b *Browser) openAt(ctx context.Context, to string) (*Outcome, error) {
	var id string
	var had map[string]bool // the tabs that there were before one was asked for
	err := b.global(ctx, func(ctx context.Context, c *conn) error {
		if had == nil {
			had = b.tabSet()
		} else {
			// The hop broke on the way to the tab or on the way back from it.
			if err := b.listTabs(ctx, c); err != nil {
				return err
			}
			id = b.newBlank(had)
		}
		if id == "" {
			r, err := send(ctx, c, "", target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Background: &yes}).wait(ctx)
			if err != nil {
				return err
			}
			id = string(r.TargetID)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.tabs[id] == nil {
			b.noteTab(targetInfo{TargetID: target.ID(id), URL: "about:blank"})
		}
		b.current = id
		return nil
	})
	if err != nil {
		return nil, err
	}
	did := fmt.Sprintf("Opened tab %s.", id)
	if to == "about:blank" {
		b.mu.Lock()
		defer b.mu.Unlock()
		return &Outcome{Tab: b.tabOf(b.tabs[id]), Did: did, URLChanged: true}, nil
	}
	out, err := b.Navigate(ctx, NavigateArgs{Tab: id, URL: to})
	if out != nil {
		out.Did = did + " " + out.Did
	}
	if err != nil {
		err = fmt.Errorf("%s %w", did, err)
	}
	return out, err
}

func (b *Browser) tabSet() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	set := make(map[string]bool, len(b.tabs))
	for id := range b.tabs {
		set[id] = true
	}
	return set
}

// newBlank returns a blank tab that is not among those, or "".
func (b *Browser) newBlank(had map[string]bool) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, t := range b.tabs {
		if !had[id] && (t.url == "" || t.url == "about:blank") {
			return id
		}
	}
	return ""
}

// SwitchTab makes a tab the one that calls without a tab go to (CDP
// Target.activateTarget). Nothing comes to the front.
func (b *Browser) SwitchTab(ctx context.Context, tab string) (*Outcome, error) {
	return b.onTab(ctx, tab, func(ctx context.Context, c *conn, t *tabRef) error {
		if _, err := send(ctx, c, "", target.ActivateTarget, target.ActivateTargetParams{TargetID: target.ID(t.id)}).wait(ctx); err != nil {
			return err
		}
		b.mu.Lock()
		b.current = t.id
		b.mu.Unlock()
		t.did = fmt.Sprintf("Calls that name no tab now go to %s.", t.id)
		return nil
	})
}

// CloseTab closes a tab (CDP Target.closeTarget).
func (b *Browser) CloseTab(ctx context.Context, tab string) (*Outcome, error) {
	return b.onTab(ctx, tab, func(ctx context.Context, c *conn, t *tabRef) error {
		if _, err := send(ctx, c, "", target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(t.id)}).wait(ctx); err != nil {
			return err
		}
		b.mu.Lock()
		b.forgetTab(t.id)
		b.mu.Unlock()
		t.did = fmt.Sprintf("Closed tab %s.", t.id)
		return nil
	})
}

// tabRef is a tab that a browser-level command is about.
type tabRef struct{ id, did string }

func (b *Browser) onTab(ctx context.Context, id string, fn func(ctx context.Context, c *conn, t *tabRef) error) (*Outcome, error) {
	ref := &tabRef{}
	var t *tab
	err := b.global(ctx, func(ctx context.Context, c *conn) error {
		found, _, err := b.find(id, "")
		if err != nil {
			return err
		}
		t = found
		ref.id = t.id
		return fn(ctx, c, ref)
	})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Outcome{Tab: b.tabOf(t), Did: ref.did, Dialog: t.dialog}, nil
}
