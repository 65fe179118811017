package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// actionWait is how long an element may take to become one that can be acted
// on.
const actionWait = 5 * time.Second

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
	State     elementState `json:"state"`
	Page      pageInfo     `json:"page"`
	Landed    *struct {
		OK bool   `json:"ok"`
		On string `json:"on"`
	} `json:"landed"`
	Insert   bool     `json:"insert"`
	Cut      *int     `json:"cut"`
	Want     []string `json:"want"`
	Editable bool     `json:"editable"`
	Frame    bool     `json:"frame"`
	Hovered  bool     `json:"hovered"`
	Met      bool     `json:"met"`
	Moved    bool     `json:"moved"`
	Visible  bool     `json:"visible"`
	What     string   `json:"what"`
	MaxX     float64  `json:"maxX"`
	MaxY     float64  `json:"maxY"`
	Text     string   `json:"text"`
}

type rect struct{ X, Y, Width, Height float64 }

// nextWait numbers a wait in the page, so that it can be called off.
func (b *Browser) nextWait() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waitSeq++
	return b.waitSeq
}

// ask waits for the answer to a function of the page script that concerns the
// operation's element.
func (o *operation) ask(ctx context.Context, f future[runtime.CallFunctionOnResult]) (reply, error) {
	var r reply
	err := o.orDialog(ctx, func(ctx context.Context) error { return answer(ctx, f, &r) })
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

// prepare brings the operation's element where it can be acted on.
func (o *operation) prepare(ctx context.Context, hit bool, clicks int) (runtime.RemoteObjectID, reply, error) {
	id, err := o.resolve(ctx)
	if err != nil {
		return "", reply{}, err
	}
	wait := o.b.nextWait()
	f := o.startOn(ctx, o.ref.doc, id, "prepare", map[string]any{"timeout": actionWait.Milliseconds(), "id": wait, "hit": hit, "clicks": clicks})
	r, err := o.ask(ctx, f)
	if context.Cause(ctx) != nil {
		o.cancelInPage(ctx, o.ref.doc, wait)
	}
	if err != nil || !hit || o.ref.doc.docKey == o.mainKey() {
		return id, r, err
	}
	// An element of a frame: the browser knows where that frame lies.
	quads, err := send(ctx, o.c, o.ref.doc.session, dom.GetContentQuads, dom.GetContentQuadsParams{ObjectID: id}).wait(ctx)
	if err != nil {
		return "", r, err
	}
	if len(quads.Quads) == 0 || len(quads.Quads[0]) != 8 {
		return "", r, fmt.Errorf("The element %s (%s) cannot be acted on: it has no size on the page.", o.ref.ref, o.ref)
	}
	q := quads.Quads[0]
	r.X, r.Y = (q[0]+q[2]+q[4]+q[6])/4, (q[1]+q[3]+q[5]+q[7])/4
	return id, r, nil
}

// cancelInPage calls a wait in the page off; nobody waits for it.
func (o *operation) cancelInPage(ctx context.Context, d *document, wait int) {
	o.c.tell(ctx, d.session, runtime.CommandCallFunctionOn, inDocument(d, "cancel", []any{wait}))
}

var modifierBits = map[string]int64{"Alt": 1, "Control": 2, "Ctrl": 2, "Meta": 4, "Command": 4, "Shift": 8}

func modifiers(names []string) (int64, error) {
	var bits int64
	for _, n := range names {
		b, ok := modifierBits[n]
		if !ok {
			return 0, fmt.Errorf("There is no modifier key %q; use Alt, Control, Meta or Shift.", n)
		}
		bits |= b
	}
	return bits, nil
}

// Click clicks an element: CDP Input.dispatchMouseEvent at a point that was
// seen to hit it. Round trips: 3.
func (b *Browser) Click(ctx context.Context, a ClickArgs) (*Outcome, error) {
	mods, err := modifiers(a.Modifiers)
	if err != nil {
		return nil, err
	}
	button := input.MouseButton(a.Button)
	switch a.Button {
	case "":
		button = input.MouseButtonLeft
	case "left", "right", "middle":
	default:
		return nil, fmt.Errorf("There is no mouse button %q; use left, right or middle.", a.Button)
	}
	count := max(a.Count, 1)
	if count > 3 {
		return nil, errors.New("A click has a count of 1, 2 or 3.")
	}
	var out *Outcome
	err = b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		id, before, err := o.prepare(ctx, true, count)
		defer o.release(ctx)
		if err != nil {
			return o.missed(err, m, &out)
		}
		o.acted = true
		mouse := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: before.X, Y: before.Y, Modifiers: mods}
		calls := []*call{send(ctx, o.c, o.ref.doc.session, input.DispatchMouseEvent, mouse).call}
		for n := range count {
			for _, typ := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
				p := mouse
				p.Type, p.Button, p.ClickCount = typ, button, int64(n+1)
				calls = append(calls, send(ctx, o.c, o.ref.doc.session, input.DispatchMouseEvent, p).call)
			}
		}
		report := o.startOn(ctx, o.ref.doc, id, "report", true)
		after, err := o.acknowledged(ctx, calls, func() future[runtime.CallFunctionOnResult] {
			o.hurry(ctx, report)
			return report
		})
		if err != nil {
			return o.missed(err, m, &out)
		}
		if after.Landed != nil && !after.Landed.OK {
			return fmt.Errorf("The click on %s (%s) landed on %s, which moved in its way. Call read_page to see what happened.", o.ref.ref, o.ref, after.Landed.On)
		}
		did := fmt.Sprintf("Clicked %s", o.ref)
		if count == 2 {
			did = fmt.Sprintf("Double-clicked %s", o.ref)
		}
		if s := after.State.changed(before.State); s != "" {
			did += ": " + s
		}
		out, err = o.finish(ctx, m, did+".")
		return err
	})
	return out, err
}

// acknowledged waits until the page has taken in the events, and then for the
// report that then starts. A page that went away, or that a dialog holds up, has
// taken them in too.
func (o *operation) acknowledged(ctx context.Context, calls []*call, then func() future[runtime.CallFunctionOnResult]) (reply, error) {
	var r reply
	err := o.orDialog(ctx, func(ctx context.Context) error {
		for _, c := range calls {
			if err := c.wait(ctx, nil); err != nil {
				return err
			}
		}
		err := answer(ctx, then(), &r)
		if contextGone(err) {
			return nil
		}
		return err
	})
	if errors.Is(err, errDialog) {
		return r, nil
	}
	if err == nil {
		o.noteReply(r)
	}
	return r, err
}

// hurryAfter is how long the report of a click may take after the input was
// acknowledged.
const hurryAfter = 100 * time.Millisecond

// hurry ends the wait of a click's report in the page if the page lets no one
// see the click: the input has been acknowledged, so it has been there.
func (o *operation) hurry(ctx context.Context, report future[runtime.CallFunctionOnResult]) {
	timer := time.NewTimer(hurryAfter)
	defer timer.Stop()
	select {
	case <-report.ready:
	case <-ctx.Done():
	case <-timer.C:
		o.c.tell(ctx, o.ref.doc.session, runtime.CommandCallFunctionOn, inDocument(o.ref.doc, "flush", nil))
	}
}

// missed ends an action that failed; what changed all the same is told.
func (o *operation) missed(err error, m mark, out **Outcome) error {
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
	if err := o.settle(ctx, m); err != nil {
		return o.outcome(m, did, notes...), err
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
		return o.outcome(m, did, notes...), err
	}
	o.b.mu.Lock()
	navigated := o.t.load.seq != m.load.seq && !o.t.gone
	o.b.mu.Unlock()
	if navigated {
		o.refresh(ctx)
	}
	return o.outcome(m, did, notes...), nil
}

// Hover moves the pointer onto an element. Round trips: 4.
func (b *Browser) Hover(ctx context.Context, a HoverArgs) (*Outcome, error) {
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		id, before, err := o.prepare(ctx, true, 0)
		defer o.release(ctx)
		if err != nil {
			return o.missed(err, m, &out)
		}
		o.acted = true
		// A tab that is not in front takes the pointer's moves only when it
		// draws, which it otherwise does once a second.
		defer o.draw(ctx)()
		moved := send(ctx, o.c, o.ref.doc.session, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseMoved, X: before.X, Y: before.Y,
		})
		after, err := o.acknowledged(ctx, []*call{moved.call}, func() future[runtime.CallFunctionOnResult] {
			return o.startOn(ctx, o.ref.doc, id, "hovered")
		})
		if err != nil {
			return o.missed(err, m, &out)
		}
		var notes []string
		if !after.Hovered && o.dialog() == nil {
			notes = append(notes, "The page does not show it as hovered: something may have moved in its way.")
		}
		out, err = o.finish(ctx, m, fmt.Sprintf("The pointer is on %s.", o.ref), notes...)
		return err
	})
	return out, err
}
