package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// actionWait is how long an element may take to become one that can be acted
// on.
const actionWait = 5 * time.Second

// preparation is the first part of most sequences: it brings the operation's
// element where it can be acted on.
type preparation struct {
	*elementRun
	slot slot[runtime.CallFunctionOnResult]
	wait int // its number in the page
}

// prepare begins a sequence that has the operation's element prepared: with a
// point that hits it if hit, a certain one if how says which (pointFor in the
// page), and watched for that many clicks.
func (o *operation) prepare(hit bool, clicks int, how map[string]any) (*preparation, error) {
	r, err := o.onElement()
	if err != nil {
		return nil, err
	}
	o.listen(r.sequence)
	args := map[string]any{"hit": hit, "clicks": clicks}
	if how != nil { // an empty one asks for a point too
		args["how"] = how
	}
	return r.prepare(args), nil
}

func (r *elementRun) prepare(args map[string]any) *preparation {
	wait := r.o.b.nextWait()
	args["timeout"], args["id"] = actionWait.Milliseconds(), wait
	return &preparation{r, r.on("prepare", args), wait}
}

// run sends the sequence and waits for it. The reply is that of the
// preparation; the error says why it failed, or what else went wrong: with
// o.acted the steps after it have been begun, or may have been.
func (p *preparation) run(ctx context.Context, acts bool) (reply, error) {
	o := p.o
	if acts {
		if err := o.sure(ctx); err != nil {
			return reply{}, err
		}
	}
	o.acted = acts
	err := p.elementRun.run(ctx)
	if context.Cause(ctx) != nil {
		o.cancelInPage(ctx, p.doc, p.wait)
	}
	if contextGone(err) && !acts {
		return reply{}, staleRef(o.ref.ref, "its frame went away")
	}
	if p.answers == nil {
		o.acted = acts && p.sent()
		return reply{}, err
	}
	before, perr := p.reply(p.slot)
	if o.since == 0 {
		o.since = before.At
	}
	if perr != nil {
		o.acted = false
		if err == nil {
			err = perr
		}
	}
	return before, err
}

// aimed is a sequence that has the pointer do something on the operation's
// element.
type aimed struct {
	*preparation
	before *reply                         // of an element that was prepared already
	at     input.DispatchMouseEventParams // its point, where that is known
	point  []use                          // otherwise the point is in prepare's answer
	events []slot[cdp.Empty]
}

// aim begins such a sequence. An element in a frame takes round trips here: one
// for itself, and one for each frame around it.
func (o *operation) aim(ctx context.Context, clicks int, how map[string]any) (*aimed, error) {
	p, err := o.prepare(true, clicks, how)
	if err != nil {
		return nil, err
	}
	if o.ref.doc.docKey == o.mainKey() {
		return &aimed{preparation: p, point: []use{p.slot.use("result.value.x", "x"), p.slot.use("result.value.y", "y")}}, nil
	}
	before, err := p.run(ctx, false)
	if err != nil {
		return nil, err
	}
	a := &aimed{preparation: &preparation{slot: -1}, before: &before}
	if a.at.X, a.at.Y, err = o.throughFrames(ctx, before); err != nil {
		return nil, err
	}
	a.elementRun, err = o.onElement()
	return a, err
}

// throughFrames has each frame around the operation's element prepared in the
// document that it lies in: the point must hit the frame there too. It returns
// the point as the element's session takes it, which knows no frames around
// its own.
func (o *operation) throughFrames(ctx context.Context, inner reply) (x, y float64, err error) {
	at := inner
	for d := o.ref.doc; ; {
		o.b.mu.Lock()
		parent, owner := d.parent, d.owner
		o.b.mu.Unlock()
		if d.session == o.ref.doc.session {
			x, y = at.X, at.Y
		}
		if parent == nil {
			return x, y, nil
		}
		p := o.onNode(parent, owner).prepare(map[string]any{
			"hit": true, "inner": map[string]any{"x": at.X, "y": at.Y, "width": at.Width, "height": at.Height},
		})
		if at, err = p.run(ctx, false); err != nil {
			return 0, 0, err
		}
		d = parent
	}
}

// send adds an event of the pointer at the point.
func (a *aimed) send(typ input.DispatchMouseEventType, mods int64, button input.MouseButton, count int) {
	p := a.at
	p.Type, p.Modifiers, p.Button, p.ClickCount = typ, mods, button, int64(count)
	a.events = append(a.events, add(a.sequence, input.DispatchMouseEvent, p, a.point...))
}

// then adds a call on the element, if it was found in its place: for when the
// page has taken in the events, or one that itself waits for them in the page.
func (a *aimed) then(await bool, fn string, args ...any) slot[runtime.CallFunctionOnResult] {
	i := a.on(fn, args...)
	s := &a.steps[i]
	s.Await = await
	for _, u := range a.point {
		s.Uses = append(s.Uses, use{From: u.From, Path: u.Path})
	}
	return i
}

// run sends the sequence. The replies are those of the preparation and of the
// call that then added: none where a dialog or another page came of the events.
func (a *aimed) run(ctx context.Context, then slot[runtime.CallFunctionOnResult]) (before, after reply, err error) {
	o := a.o
	if a.before != nil {
		before, o.acted = *a.before, true
		err = a.elementRun.run(ctx)
	} else {
		before, err = a.preparation.run(ctx, true)
	}
	switch {
	case errors.Is(err, errDialog) && o.acted, errors.Is(err, errTabGone) && o.acted && a.answers != nil:
		return before, after, nil
	case errors.Is(err, errLeaving) && o.acted && a.delivered():
		if res, err := then.of(a.sequence); err == nil && returned(res, &after) == nil {
			o.noteReply(after)
		}
		return before, after, nil
	case contextGone(err) && o.acted && a.delivered():
		o.unframed = true
		return before, after, nil
	case contextGone(err) && o.acted:
		return before, after, &kindError{ErrOutcomeUnknown, fmt.Sprintf("Outcome unknown: the frame of %s (%s) went away meanwhile. Call read_page to see what happened.", o.ref.ref, o.ref)}
	case err != nil:
		return before, after, err
	}
	for _, e := range a.events {
		if _, err := e.of(a.sequence); err != nil && !takenIn(err) {
			return before, after, err
		}
	}
	res, err := then.of(a.sequence)
	if err == nil {
		err = returned(res, &after)
	}
	if err != nil && !contextGone(err) {
		return before, after, err
	}
	o.noteReply(after)
	return before, after, nil
}

// delivered reports whether the page took in that the button was pressed. What
// becomes of the rest of a click in a frame that goes away by it nobody says.
func (a *aimed) delivered() bool {
	if len(a.events) < 2 {
		return false
	}
	_, err := a.events[1].of(a.sequence)
	return err == nil
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
// seen to hit it. Round trips: 1, and 3 in a frame.
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
	if a.Ref == "" && a.At == nil {
		return nil, errors.New("Say what to click: a ref from read_page, or a point of the visible page.")
	}
	verb := "Clicked"
	if count == 2 {
		verb = "Double-clicked"
	}
	var out *Outcome
	err = b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		c := clicking{mods: mods, button: button, count: count}
		if o.ref == nil {
			what, err := o.clickAt(ctx, c, *a.At)
			if err != nil {
				return o.missed(err, m, &out)
			}
			out, err = o.finish(ctx, m, fmt.Sprintf("%s at %s, on %s.", verb, a.At, what))
			return err
		}
		if a.At != nil {
			c.how = how(a.At, false)
		}
		before, after, err := o.click(ctx, c)
		if err != nil {
			return o.missed(err, m, &out)
		}
		if err := o.follow(ctx, m, after); err != nil {
			return err
		}
		did := fmt.Sprintf("%s %s", verb, o.ref)
		if a.At != nil {
			did += fmt.Sprintf(" at %s from its top left, on %s", a.At, before.What)
		}
		if s := after.State.changed(before.State); s != "" {
			did += ": " + s
		}
		out, err = o.finish(ctx, m, did+".", o.clickNotes(after)...)
		return err
	})
	return out, err
}

// scriptWait is how long the script of a link may take to begin.
const scriptWait = 100 * time.Millisecond

// follow waits for the tab that a click opens, or for the end of the one that
// it closes: the page says so before the browser does.
func (o *operation) follow(ctx context.Context, m mark, after reply) error {
	if after.Runs { // it has a task of its own, and may ask something
		return o.waitWhile(ctx, scriptWait, func() bool { return o.t.load.seq == m.load.seq })
	}
	if !after.Opens && !after.Closing {
		return nil
	}
	o.opens = after.Opens
	return o.waitWhile(ctx, shortWait, func() bool { return len(o.b.opened) == m.opened })
}

// clicking is how an element is clicked.
type clicking struct {
	mods   int64
	button input.MouseButton
	count  int
	how    map[string]any // which point of it, if not any that hits it
	again  bool           // nobody got it the first time
}

// lostClick says that the browser did not give a click to the document that what
// was clicked is in. Where a document is the tab's only one, such a click is made
// once more; else it may have done something in another.
func lostClick(what any) error {
	return fmt.Errorf("The click on %s did not come to it: the browser gave it to nobody, or to another frame of the page. Call screenshot to see the page, then click again.", what)
}

// hadClick asks once more what became of a click that its page had not seen by its
// first answer: by now the browser has said that the page has had the input. It
// returns the answer that counts, whether the click is to be made once more, and
// an error where nobody knows who got it.
func (o *operation) hadClick(first reply, c clicking, what any, ask func() (reply, error)) (last reply, repeat bool, err error) {
	if first.Page.URL == "" || first.Seen || o.leaving() {
		return first, false, nil
	}
	switch last, err = ask(); {
	case errors.Is(err, ErrStaleRef), errors.Is(err, errReplaced):
		return first, false, nil // it went away by the click
	case err != nil:
		return last, false, err
	case last.Lost && (last.Others || c.again):
		return last, false, lostClick(what)
	case last.Lost:
		return last, true, nil
	}
	o.noteReply(last)
	o.unseen = !last.Seen && last.Landed == nil
	return last, false, nil
}

// click clicks the operation's element. The replies say what it was before, and
// what it is after: nothing where a dialog or another page came of the click.
func (o *operation) click(ctx context.Context, c clicking) (before, after reply, err error) {
	p, err := o.aim(ctx, c.count, c.how)
	if err != nil {
		return before, after, err
	}
	// The report waits in the page. Sent behind the input it would come to the
	// page behind the frame that is drawn after a click.
	report := p.then(false, "report", true)
	p.letGo()
	p.send(input.DispatchMouseEventTypeMouseMoved, c.mods, "", 0)
	for n := range c.count {
		p.send(input.DispatchMouseEventTypeMousePressed, c.mods, c.button, n+1)
		p.send(input.DispatchMouseEventTypeMouseReleased, c.mods, c.button, n+1)
	}
	o.bringNews(ctx, p.sequence, o.ref.doc, report)
	before, after, err = p.run(ctx, report)
	if err == nil {
		var repeat bool
		after, repeat, err = o.hadClick(after, c, o.ref, func() (reply, error) { return o.askElement(ctx, "report", false) })
		if repeat {
			c.again = true
			return o.click(ctx, c)
		}
	}
	if err == nil && after.Landed != nil && !after.Landed.OK {
		err = fmt.Errorf("The click on %s (%s) landed on %s, which moved in its way. Call read_page to see what happened.", o.ref.ref, o.ref, after.Landed.On)
	}
	return before, after, err
}

// clickNotes says what a reader must know of a click.
func (o *operation) clickNotes(after reply) (notes []string) {
	if o.unframed {
		notes = append(notes, "Its frame went away with it: call read_page to see what came of it.")
	}
	if o.unseen {
		notes = append(notes, "The page lets no one see this click: call read_page to see what came of it.")
	}
	if after.Kept != "" {
		notes = append(notes, fmt.Sprintf("It leads to %s, which another program opens: agents do not start those. Tell the user the address if it is of use.", after.Kept))
	}
	return notes
}

// Hover moves the pointer onto an element. Round trips: 1, and 3 in a frame.
func (b *Browser) Hover(ctx context.Context, a HoverArgs) (*Outcome, error) {
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		var where map[string]any
		if a.At != nil {
			where = how(a.At, false)
		}
		p, err := o.aim(ctx, 0, where)
		if err != nil {
			return o.missed(err, m, &out)
		}
		// A tab that is not in front takes the pointer's moves only when it
		// draws, which it otherwise does once a second.
		stop := o.draw(ctx)
		p.send(input.DispatchMouseEventTypeMouseMoved, 0, "", 0)
		_, after, err := p.run(ctx, p.then(true, "hovered"))
		stop()
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
