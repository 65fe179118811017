package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// Point is a place in CSS pixels: of the viewport, or from an element's top
// left.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// String writes it as "12,34".
func (p Point) String() string { return fmt.Sprintf("%g,%g", p.X, p.Y) }

// place prepares the operation's element for the pointer and returns the point
// of the viewport that how asks for. Round trips: 1, and 2 in a frame.
func (o *operation) place(ctx context.Context, how map[string]any) (Point, reply, error) {
	p, err := o.prepare(true, 0, how)
	if err != nil {
		return Point{}, reply{}, err
	}
	acted := o.acted
	r, err := p.run(ctx, false)
	o.acted = acted || o.acted
	if err != nil || o.ref.doc.docKey == o.mainKey() {
		return Point{r.X, r.Y}, r, err
	}
	x, y, err := o.throughFrames(ctx, r)
	return Point{x, y}, r, err
}

// clickAt clicks a point of the viewport, whatever is there, and says what was:
// the way in for what has no elements, such as maps. Round trips: 1.
func (o *operation) clickAt(ctx context.Context, c clicking, p Point) (string, error) {
	doc, err := o.mainWorld(ctx)
	if err != nil {
		return "", err
	}
	s := newSequence(o.c, doc.session)
	o.listen(s)
	hit := add(s, runtime.CallFunctionOn, inDocument(doc, "hitAt", []any{p.X, p.Y, c.count}))
	report := add(s, runtime.CallFunctionOn, inDocument(doc, "report", []any{nil, true}), hit.use("result.value.what", ""))
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
	after, err := o.taken(report.of(s))
	if err != nil { // the document went away by the click
		return r.What, nil
	}
	o.noteReply(after)
	_, repeat, err := o.hadClick(after, c, r.What, func() (reply, error) {
		return o.taken(o.startInDocument(ctx, doc, "report", nil, false).wait(ctx))
	})
	if repeat {
		c.again = true
		return o.clickAt(ctx, c, p)
	}
	return r.What, err
}
