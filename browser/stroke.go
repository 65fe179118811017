package browser

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
)

// maxPath is how many points a drag goes along at most.
const maxPath = 200

func (a DragArgs) check() error {
	switch {
	case a.Text != "" && (a.To != "" || a.At != nil || a.Path != nil), a.Path != nil && (a.To != "" || a.At != nil):
		return errors.New("Say one of these: where to drag it to, along which points, or which text of it to select.")
	case a.Text == "" && a.To == "" && a.At == nil && a.Path == nil:
		return errors.New("Say where to drag it: to another element, how far, or along which points.")
	case a.Path != nil && (len(a.Path) < 2 || len(a.Path) > maxPath):
		return fmt.Errorf("A path has 2 to %d points, from the element's top left: where to press, and where to go from there.", maxPath)
	}
	return nil
}

// stops are where the pointer goes from where it pressed, if that is known
// before it does.
func (d *drag) stops(start Point) []Point {
	if d.to != nil {
		return nil
	}
	if d.path == nil {
		return []Point{{start.X + d.at.X, start.Y + d.at.Y}}
	}
	var list []Point
	for _, p := range d.path[1:] {
		list = append(list, Point{start.X + p.X - d.path[0].X, start.Y + p.Y - d.path[0].Y})
	}
	return list
}

// beyond is a point somewhat past the middle of an element, on the way to it.
// Lists that sort themselves while something is dragged through them make room
// once the pointer is past an entry's middle; a hand goes there by itself.
func beyond(from, middle Point, r *rect) Point {
	dx, dy := middle.X-from.X, middle.Y-from.Y
	way := math.Hypot(dx, dy)
	if way < 1 {
		return middle
	}
	return Point{middle.X + dx/way*r.Width/4, middle.Y + dy/way*r.Height/4}
}

// settleOn comes to the end of a drag once more when what was passed over has
// come to rest, where something of the page moved: while a list makes room for
// what is dragged through it, it takes no notice of where that is.
func (d *drag) settleOn(ctx context.Context, stops []Point) error {
	st, err := d.ask(ctx, d.startInDocument(ctx, d.from.doc, "dragCalm"))
	if err != nil || st.Changed == 0 {
		return nil // the drag itself says what is the matter, if something is
	}
	return d.move(ctx, stops)
}

// selectText selects a text of the operation's element by dragging over it, or
// by script where a drag would do something else: in fields, over links, over
// more than is in view. Round trips: about 4.
func (o *operation) selectText(ctx context.Context, text string) (did string, notes []string, err error) {
	p, err := o.prepare(false, 0, nil)
	if err != nil {
		return "", nil, err
	}
	if _, err := p.run(ctx, false); err != nil {
		return "", nil, err
	}
	o.acted = true
	r, err := o.askElement(ctx, "textEnds", text)
	if err != nil {
		o.acted = false
		return "", nil, err
	}
	if r.End != nil && o.ref.doc.docKey == o.mainKey() {
		if err := o.sweep(ctx, Point{r.X, r.Y}, *r.End); err != nil {
			return "", nil, err
		}
	}
	if r, err = o.askElement(ctx, "selectedText", text); err != nil {
		return "", nil, err
	}
	o.noteReply(r)
	did = fmt.Sprintf("Selected %q in %s.", clip(r.Text, 80), o.ref)
	if !r.Met {
		if r.Text == "" {
			return "", nil, fmt.Errorf("The page does not let the text of %s be selected.", o.ref)
		}
		notes = append(notes, "The page selected another text than the one asked for.")
	}
	return did, notes, nil
}

// sweep drags the pointer from one point of the viewport to another.
func (o *operation) sweep(ctx context.Context, from, to Point) error {
	stop := o.draw(ctx)
	defer stop()
	s := newSequence(o.c, o.mainKey().session)
	var events []slot[cdp.Empty]
	send := func(typ input.DispatchMouseEventType, p Point, pressed int64) {
		e := input.DispatchMouseEventParams{Type: typ, X: p.X, Y: p.Y, Buttons: pressed}
		if typ != input.DispatchMouseEventTypeMouseMoved {
			e.Button, e.ClickCount = input.MouseButtonLeft, 1
		}
		events = append(events, add(s, input.DispatchMouseEvent, e))
		s.steps[len(s.steps)-1].Await = true
	}
	send(input.DispatchMouseEventTypeMouseMoved, from, 0)
	send(input.DispatchMouseEventTypeMousePressed, from, 1)
	for n := 1.0; n <= 3; n++ {
		send(input.DispatchMouseEventTypeMouseMoved, Point{from.X + (to.X-from.X)*n/3, from.Y + (to.Y-from.Y)*n/3}, 1)
	}
	send(input.DispatchMouseEventTypeMouseReleased, to, 0)
	if err := o.wait(ctx, s); err != nil {
		return err
	}
	for _, e := range events {
		if _, err := e.of(s); err != nil {
			return err
		}
	}
	return nil
}
