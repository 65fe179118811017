package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// Point is a place in CSS pixels: of the viewport, or from an element's top
// left.
type Point struct{ X, Y float64 }

// String writes it as "12,34".
func (p Point) String() string { return fmt.Sprintf("%g,%g", p.X, p.Y) }

// place prepares the operation's element for the pointer and returns the point
// of the viewport that how asks for. Round trips: 1.
func (o *operation) place(ctx context.Context, how map[string]any) (Point, reply, error) {
	p, err := o.prepareHow(true, 0, how)
	if err != nil {
		return Point{}, reply{}, err
	}
	inFrame := o.ref.doc.docKey != o.mainKey()
	quads := slot[dom.GetContentQuadsResult](-1)
	if inFrame {
		quads = add(p.sequence, dom.GetContentQuads, dom.GetContentQuadsParams{}, p.object(), p.slot.use("result.value.x", ""))
	}
	acted := o.acted
	r, err := p.run(ctx, false)
	o.acted = acted || o.acted
	if err != nil || !inFrame {
		return Point{r.X, r.Y}, r, err
	}
	q, err := quads.of(p.sequence)
	if err != nil {
		return Point{}, r, err
	}
	at, ok := r.across(q)
	if !ok {
		return Point{}, r, fmt.Errorf("The element %s (%s) cannot be acted on: it has no size on the page.", o.ref.ref, o.ref)
	}
	return at, r, nil
}

// across returns the point of a reply, which is in the viewport of its frame,
// in that of the tab: the element's corners are known in both.
func (r reply) across(q dom.GetContentQuadsResult) (Point, bool) {
	if len(q.Quads) == 0 || len(q.Quads[0]) != 8 || r.Rect == nil || r.Rect.Width <= 0 || r.Rect.Height <= 0 {
		return Point{}, false
	}
	c := q.Quads[0]
	fx, fy := (r.X-r.Rect.X)/r.Rect.Width, (r.Y-r.Rect.Y)/r.Rect.Height
	return Point{c[0] + fx*(c[2]-c[0]) + fy*(c[6]-c[0]), c[1] + fx*(c[3]-c[1]) + fy*(c[7]-c[1])}, true
}

// clickAt clicks a point of the viewport, whatever is there, and says what was:
// the way in for what has no elements, such as maps. Round trips: 1.
func (o *operation) clickAt(ctx context.Context, c clicking, p Point) (string, error) {
	doc, err := o.mainWorld(ctx)
	if err != nil {
		return "", err
	}
	s := newSequence(o.c, doc.session)
	hit := add(s, runtime.CallFunctionOn, inDocument(doc, "hitAt", []any{p.X, p.Y, c.count}))
	report := add(s, runtime.CallFunctionOn, inDocument(doc, "reportAt", nil), hit.use("result.value.what", ""))
	var events []slot[cdp.Empty]
	send := func(typ input.DispatchMouseEventType, button input.MouseButton, n int) {
		e := input.DispatchMouseEventParams{Type: typ, Modifiers: c.mods, Button: button, ClickCount: int64(n)}
		events = append(events, add(s, input.DispatchMouseEvent, e, hit.use("result.value.x", "x"), hit.use("result.value.y", "y")))
	}
	send(input.DispatchMouseEventTypeMouseMoved, "", 0)
	for n := range c.count {
		send(input.DispatchMouseEventTypeMousePressed, c.button, n+1)
		send(input.DispatchMouseEventTypeMouseReleased, c.button, n+1)
	}
	o.acted = true
	err = o.wait(ctx, s)
	r, herr := o.taken(hit.of(s))
	if herr == nil && r.Error != "" {
		o.acted = false
		return "", fmt.Errorf("%s", r.Error)
	}
	if err != nil {
		return r.What, err
	}
	if herr != nil {
		o.acted = false
		return "", herr
	}
	for _, e := range events {
		if _, err := e.of(s); err != nil {
			return r.What, err
		}
	}
	if after, err := o.taken(report.of(s)); err == nil {
		o.noteReply(after)
	}
	return r.What, nil
}
