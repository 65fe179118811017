package browser

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
)

// DragArgs are the arguments of [Browser.Drag]. At is a point of To, from its
// top left, instead of its middle; without To it is how far to drag.
type DragArgs struct {
	Tab, From, To string
	At            *Point
	Path          []Point // from From's top left: where to press, pass and let go
	Text          string  // of From: is selected, instead of all else
}

// dragSteps is in how many moves a drag goes to its end: pages look at where
// the pointer passes.
const dragSteps = 10

// Drag drags an element onto another one, or some way. What the page makes of
// the pointer's first moves decides: where it begins a drag and drop of its own
// (HTML5) the browser hands us what is dragged, and gets it back as drag
// events; else the pointer goes on to move. Round trips: about 8.
func (b *Browser) Drag(ctx context.Context, a DragArgs) (*Outcome, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	var out *Outcome
	err := b.do(ctx, a.Tab, a.From, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		if a.Text != "" {
			did, notes, err := o.selectText(ctx, a.Text)
			if err != nil {
				return o.missed(err, m, &out)
			}
			out, err = o.finish(ctx, m, did, notes...)
			return err
		}
		d := &drag{operation: o, from: o.ref, at: a.At, path: a.Path}
		if a.To != "" {
			t, el, err := b.find("", a.To)
			if err != nil {
				return err
			}
			if t != o.t {
				return fmt.Errorf("The ref %s is in tab %s, not in tab %s.", a.To, t.id, o.t.id)
			}
			d.to = el
		}
		did, notes, err := d.run(ctx)
		if err != nil {
			return o.missed(err, m, &out)
		}
		out, err = o.finish(ctx, m, did, notes...)
		return err
	})
	return out, err
}

// drag is one call of Drag.
type drag struct {
	*operation
	from, to *element
	at       *Point
	path     []Point
	pos      Point // of the pointer
	down     bool
	data     jsonv2.Value // what is dragged, once the page has begun a drag of its own
}

func (d *drag) run(ctx context.Context) (did string, notes []string, err error) {
	if d.to != nil { // whether it can be dropped there is asked before anything moves
		d.ref = d.to
		if _, _, err := d.place(ctx, how(d.at, false)); err != nil {
			return "", nil, err
		}
	}
	d.ref = d.from
	at := map[string]any{}
	if d.path != nil {
		at = how(&d.path[0], false)
	}
	start, _, err := d.place(ctx, at)
	if err != nil {
		return "", nil, err
	}
	before, err := d.askElement(ctx, "sliding")
	if err != nil {
		return "", nil, err
	}
	if _, err := d.askElement(ctx, "dragWatch"); err != nil {
		return "", nil, err
	}
	// Only a tab that draws takes the pointer's moves at once.
	stop := d.draw(ctx)
	defer stop()
	session := d.mainKey().session
	d.b.mu.Lock()
	d.t.dragged = nil
	d.b.mu.Unlock()
	if _, err := send(ctx, d.c, session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}).wait(ctx); err != nil {
		return "", nil, err
	}
	defer func() {
		if d.down { // whatever went wrong: a button is not left pressed
			d.c.tell(ctx, session, input.CommandDispatchMouseEvent, d.mouse(input.DispatchMouseEventTypeMouseReleased, d.pos))
		}
		d.c.tell(ctx, session, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}()
	stops := d.stops(start)
	if err := d.begin(ctx, start, stops); err != nil {
		return "", nil, err
	}
	if d.to != nil {
		d.ref = d.to
		end, r, err := d.place(ctx, how(d.at, true))
		if err != nil {
			return "", nil, err
		}
		if stops = []Point{end}; d.at == nil && r.Rect != nil {
			stops = []Point{beyond(d.pos, end, r.Rect), end}
		}
	}
	if err := d.move(ctx, stops); err != nil {
		return "", nil, err
	}
	if len(stops) > 1 && d.to != nil {
		if err := d.settleOn(ctx, stops); err != nil {
			return "", nil, err
		}
	}
	if err := d.drop(ctx); err != nil {
		return "", nil, err
	}
	return d.told(ctx, before)
}

// how says which point of an element place is to find.
func how(at *Point, free bool) map[string]any {
	m := map[string]any{"free": free}
	if at != nil {
		m["x"], m["y"] = at.X, at.Y
	}
	return m
}

func (d *drag) mouse(typ input.DispatchMouseEventType, p Point) input.DispatchMouseEventParams {
	e := input.DispatchMouseEventParams{Type: typ, X: p.X, Y: p.Y, Button: input.MouseButtonLeft}
	if typ == input.DispatchMouseEventTypeMouseMoved {
		e.Buttons = 1
	} else {
		e.ClickCount = 1
	}
	return e
}

// events sends events of the pointer one after the other: those that come
// together the browser makes one of.
func (d *drag) events(ctx context.Context, list ...func(*sequence)) error {
	s := newSequence(d.c, d.mainKey().session)
	for _, add := range list {
		add(s)
		s.steps[len(s.steps)-1].Await = true
	}
	if err := d.wait(ctx, s); err != nil {
		return err
	}
	for i := range s.steps {
		if _, err := slot[cdp.Empty](i).of(s); err != nil {
			return err
		}
	}
	return nil
}

func (d *drag) mouseStep(typ input.DispatchMouseEventType, p Point) func(*sequence) {
	return func(s *sequence) { add(s, input.DispatchMouseEvent, d.mouse(typ, p)) }
}

// begin presses on the element and moves a little, so that the page sees a drag
// begin, and finds out which kind it makes of it.
func (d *drag) begin(ctx context.Context, p Point, stops []Point) error {
	d.acted, d.down, d.pos = true, true, p
	hover := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: p.X, Y: p.Y}
	if err := d.events(ctx,
		func(s *sequence) { add(s, input.DispatchMouseEvent, hover) },
		d.mouseStep(input.DispatchMouseEventTypeMousePressed, p),
	); err != nil {
		return err
	}
	// Beyond the way that browsers and pages take for an unsteady hand.
	dx, dy := 4.0, 4.0
	if len(stops) > 0 { // on its way, and no farther than its first stop
		dx, dy = stops[0].X-p.X, stops[0].Y-p.Y
		short := min(1, 8/max(math.Hypot(dx, dy), 1)) / 2
		dx, dy = dx*short, dy*short
	}
	for n := 1.0; n <= 2; n++ {
		d.pos = Point{p.X + n*dx, p.Y + n*dy}
		if err := d.events(ctx, d.mouseStep(input.DispatchMouseEventTypeMouseMoved, d.pos)); err != nil {
			return err
		}
	}
	d.ref = d.from
	st, err := d.askElement(ctx, "dragState")
	if errors.Is(err, ErrStaleRef) {
		return nil // it was replaced as the drag began, and the pointer has it
	}
	if err != nil || !st.Started || st.Prevented {
		return err
	}
	if err := d.waitWhile(ctx, shortWait, func() bool { return d.t.dragged == nil }); err != nil {
		return err
	}
	d.b.mu.Lock()
	d.data = d.t.dragged
	d.b.mu.Unlock()
	return nil
}

// dragEvent is Input.dispatchDragEvent with data as the browser gave it.
type dragEvent struct {
	Type string       `json:"type"`
	X    float64      `json:"x"`
	Y    float64      `json:"y"`
	Data jsonv2.Value `json:"data"`
}

func (d *drag) dragStep(typ string, p Point) func(*sequence) {
	return func(s *sequence) {
		s.steps = append(s.steps, step{Method: input.CommandDispatchDragEvent, Params: dragEvent{typ, p.X, p.Y, d.data}})
	}
}

// move takes the pointer along points.
func (d *drag) move(ctx context.Context, stops []Point) error {
	var list []func(*sequence)
	if d.data != nil {
		list = append(list, d.dragStep("dragEnter", d.pos))
	}
	over := func(p Point) {
		if d.data != nil {
			list = append(list, d.dragStep("dragOver", p))
		} else {
			list = append(list, d.mouseStep(input.DispatchMouseEventTypeMouseMoved, p))
		}
	}
	from := d.pos
	for i, to := range stops {
		steps := float64(dragSteps)
		if i > 0 { // a long way of many points need not be walked so closely
			steps = min(dragSteps, max(2, math.Ceil(math.Hypot(to.X-from.X, to.Y-from.Y)/5)))
		}
		for n := 1.0; n <= steps; n++ {
			over(Point{from.X + (to.X-from.X)*n/steps, from.Y + (to.Y-from.Y)*n/steps})
		}
		from = to
	}
	over(from)
	d.pos = from
	return d.events(ctx, list...)
}

func (d *drag) drop(ctx context.Context) error {
	var list []func(*sequence)
	if d.data != nil {
		list = append(list, d.dragStep("drop", d.pos))
	}
	d.down = false
	return d.events(ctx, append(list, d.mouseStep(input.DispatchMouseEventTypeMouseReleased, d.pos))...)
}

// told says what became of it.
func (d *drag) told(ctx context.Context, before reply) (string, []string, error) {
	did := fmt.Sprintf("Dragged %s", d.from)
	if d.to != nil {
		did += fmt.Sprintf(" onto %s", d.to)
	} else if d.path != nil {
		did += fmt.Sprintf(" along %d points", len(d.path))
	} else {
		did += fmt.Sprintf(" by %s px", d.at)
	}
	if d.dialog() != nil {
		return did + ".", nil, nil
	}
	// Of what the page says, the document that the drag went to knows most.
	d.ref = d.from
	if d.to != nil {
		d.ref = d.to
	}
	doc := d.ref.doc
	st, err := d.ask(ctx, d.startInDocument(ctx, d.from.doc, "dragEnd"))
	if err != nil {
		return did + ".", nil, nil // the page was left by it
	}
	d.noteReply(st)
	var notes []string
	if d.data != nil && !st.Dropped && doc == d.from.doc {
		return "", nil, fmt.Errorf("%s was dragged, but the page took no drop there. Call read_page to see what happened.", d.from)
	}
	d.ref = d.from
	if now, err := d.askElement(ctx, "sliding"); err == nil {
		if v := now.State.Value; v != nil && before.State.Value != nil {
			did += ": its value is now " + now.State.shown()
		} else if now.Now != "" {
			did += fmt.Sprintf(": its value is now %q", now.Now)
		}
	}
	if st.Changed == 0 && !st.Dropped {
		notes = append(notes, "Nothing in the page's elements changed by it.")
	}
	return did + ".", notes, nil
}
