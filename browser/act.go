package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/runtime"
)

// elementState is what the page script reads back of an element.
type elementState struct {
	Tag       string   `json:"tag"`
	Type      string   `json:"type"`
	Name      string   `json:"name"`
	Connected bool     `json:"connected"`
	Secret    bool     `json:"secret"`
	Value     *string  `json:"value"`
	Checked   *bool    `json:"checked"`
	Selected  []string `json:"selected"`
	Expanded  string   `json:"aria_expanded"`
	Pressed   string   `json:"aria_pressed"`
	Chosen    string   `json:"aria_selected"`
}

// changed describes how a state differs from an earlier one.
func (s elementState) changed(before elementState) string {
	var parts []string
	if s.Checked != nil && (before.Checked == nil || *s.Checked != *before.Checked) {
		if *s.Checked {
			parts = append(parts, "now checked")
		} else {
			parts = append(parts, "now unchecked")
		}
	}
	for _, p := range []struct{ what, was, is string }{
		{"expanded", before.Expanded, s.Expanded}, {"pressed", before.Pressed, s.Pressed}, {"selected", before.Chosen, s.Chosen},
	} {
		if p.was != p.is && p.is != "" {
			parts = append(parts, fmt.Sprintf("%s is now %s", p.what, p.is))
		}
	}
	return strings.Join(parts, ", ")
}

// shown returns a value for a person's or a model's eyes: no passwords.
func (s elementState) shown() string {
	if s.Value == nil {
		return ""
	}
	if s.Secret {
		return fmt.Sprintf("%d hidden characters", len([]rune(*s.Value)))
	}
	return fmt.Sprintf("%q", clip(*s.Value, 80))
}

// reply is what the functions of the page script answer with; each sets some.
type reply struct {
	Stale     bool         `json:"stale"`
	Cancelled bool         `json:"cancelled"`
	Error     string       `json:"error"`
	X         float64      `json:"x"`
	Y         float64      `json:"y"`
	Rect      *rect        `json:"rect"`
	End       *Point       `json:"end"` // of a text, whose beginning is X, Y
	State     elementState `json:"state"`
	Page      pageInfo     `json:"page"`
	Landed    *struct {
		OK bool   `json:"ok"`
		On string `json:"on"`
	} `json:"landed"`
	Width    float64  `json:"width"`  // of the viewport
	Height   float64  `json:"height"` // of the viewport
	Seen     bool     `json:"seen"`
	Lost     bool     `json:"lost"`   // a press that its document was not given
	Others   bool     `json:"others"` // the tab has other documents
	Opens    bool     `json:"opens"`
	Runs     bool     `json:"runs"` // the script that a link has for its address
	Closing  bool     `json:"closing"`
	At       float64  `json:"at"`    // when the element was ready to be acted on, in ms
	Kept     string   `json:"kept"`  // an address of another program, which was not opened
	Keyed    bool     `json:"keyed"` // an editor that is filled with keys
	Insert   bool     `json:"insert"`
	All      bool     `json:"all"`
	Cut      *int     `json:"cut"`
	Want     []string `json:"want"`
	Editable bool     `json:"editable"`
	Veiled   bool     `json:"veiled"` // nobody sees the field itself
	Kind     string   `json:"kind"`   // formKind
	On       *bool    `json:"on"`     // toggled
	Files    []string `json:"files"`
	Invalid  string   `json:"invalid"` // what the browser has against a field's value
	// Of a list of the page's own.
	Open     bool     `json:"open"`
	Many     bool     `json:"many"`
	Selected []string `json:"selected"`
	// Of a drag.
	Started   bool    `json:"started"`
	Prevented bool    `json:"prevented"`
	Dropped   bool    `json:"dropped"`
	Changed   int     `json:"changed"`
	Now       string  `json:"now"`
	Hovered   bool    `json:"hovered"`
	Met       bool    `json:"met"`
	Moved     bool    `json:"moved"`
	Visible   bool    `json:"visible"`
	What      string  `json:"what"`
	MaxX      float64 `json:"maxX"`
	MaxY      float64 `json:"maxY"`
	Text      string  `json:"text"`
}

type rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ask waits for the answer to a function of the page script.
func (o *operation) ask(ctx context.Context, f future[runtime.CallFunctionOnResult]) (reply, error) {
	var res runtime.CallFunctionOnResult
	err := o.orDialog(ctx, func(ctx context.Context) (err error) { res, err = f.wait(ctx); return err })
	return o.taken(res, err)
}

// taken decodes what a function of the page script answered with, and makes an
// error for the caller of what it says against the operation's element.
func (o *operation) taken(res runtime.CallFunctionOnResult, err error) (reply, error) {
	var r reply
	if err == nil {
		err = returned(res, &r)
	}
	switch {
	case err != nil && contextGone(err), err == nil && r.Stale:
		if o.ref != nil {
			return r, staleRef(o.ref.ref, "its element is no longer in the page")
		}
		return r, errReplaced
	case err != nil:
		return r, err
	case r.Error != "" && o.ref != nil:
		return r, fmt.Errorf("The element %s (%s) cannot be acted on: %s.", o.ref.ref, o.ref, r.Error)
	}
	return r, nil
}

// errReplaced says that the document went away under a call.
var errReplaced = errors.New("The page was replaced by another one meanwhile. Call read_page.")

// missed ends an action that failed; what changed all the same is told.
func (o *operation) missed(err error, m mark, out **Outcome) error {
	if errors.Is(err, errLeaving) {
		*out = o.outcome(m, "It was done, and the page is being left by it.")
		return nil
	}
	if errors.Is(err, errDialog) {
		did := "A dialog opened before anything was done."
		if o.acted {
			did = "A dialog opened as it was done; read the page once it is handled."
		}
		*out = o.outcome(m, did)
		return nil
	}
	return err
}

// finish ends an action that was done: it waits for what the action set off
// and says what changed.
func (o *operation) finish(ctx context.Context, m mark, did string, notes ...string) (*Outcome, error) {
	note, err := o.effects(ctx, m)
	if note != "" {
		notes = append(notes, note)
	}
	if err != nil {
		return o.outcome(m, did, notes...), err
	}
	if o.leaving() {
		return o.outcome(m, did, notes...), nil
	}
	o.b.mu.Lock()
	navigated := o.t.load.seq != m.load.seq && !o.t.gone
	o.b.mu.Unlock()
	if navigated {
		o.refresh(ctx)
		o.expectReading(ctx)
	}
	changes := o.changes(ctx)
	// One may begin while the page is read.
	if err := o.downloaded(ctx, m); err != nil {
		return o.outcome(m, did, notes...), err
	}
	if note := o.heldBack(m); note != "" {
		notes = append(notes, note)
	}
	out := o.outcome(m, did, notes...)
	out.Changes = changes
	return out, nil
}

// effects waits for what an action set off: another page, answers, tabs, the
// question for a file; not for downloads. It returns a note for the result if not all
// came.
func (o *operation) effects(ctx context.Context, m mark) (note string, err error) {
	if err := o.settle(ctx, m); err != nil || o.leaving() {
		return "", err
	}
	o.b.mu.Lock()
	settled := o.t.load.committed
	o.b.mu.Unlock()
	if note, err = o.answered(ctx, m); err != nil {
		return note, err
	}
	o.b.mu.Lock()
	again := o.t.load.pending || o.t.load.committed != settled
	o.b.mu.Unlock()
	if again { // an answer took the tab to another page
		if err := o.settle(ctx, m); err != nil {
			return note, err
		}
	}
	// A tab that opened has no address for a moment.
	if err := o.waitWhile(ctx, shortWait, func() bool {
		for _, n := range o.b.opened[m.opened:] {
			if t := o.b.tabs[n.id]; t != nil && n.opener == o.t.id && t.url == "" {
				return true
			}
		}
		return false
	}); err != nil {
		return note, err
	}
	if o.asks {
		if err := o.waitWhile(ctx, askedWait, func() bool { return o.t.chooser == nil }); err != nil {
			return note, err
		}
	}
	return note, nil
}
