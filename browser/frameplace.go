package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
)

// placing is where a session's coordinates, or those of a frame's window, lie
// in the tab's viewport.
type placing struct{ x, y, sx, sy float64 }

var atOrigin = placing{0, 0, 1, 1}

func (p placing) of(r rect) rect {
	return rect{p.x + r.X*p.sx, p.y + r.Y*p.sy, r.Width * p.sx, r.Height * p.sy}
}

// sessionPlace returns where the coordinates that CDP gives in a session lie in
// the tab's viewport: for a frame that runs in another process they begin at
// that frame.
func (o *operation) sessionPlace(ctx context.Context, session string) (placing, error) {
	p := atOrigin
	for range maxFrames {
		o.b.mu.Lock()
		c := o.t.children[session]
		o.b.mu.Unlock()
		if c == nil {
			return p, nil
		}
		owner, err := o.ownerRect(ctx, c.parent, c.frame)
		if err != nil {
			return p, err
		}
		p.x, p.y = p.x+owner.X, p.y+owner.Y
		session = c.parent
	}
	return p, nil
}

// ownerRect returns where the inside of a frame's element lies, in the
// coordinates of the session that has the element.
func (o *operation) ownerRect(ctx context.Context, session string, frame cdp.FrameID) (rect, error) {
	s := newSequence(o.c, session)
	owner := add(s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
	box := add(s, dom.GetBoxModel, dom.GetBoxModelParams{}, owner.use("backendNodeId", "backendNodeId"))
	if err := o.wait(ctx, s); err != nil {
		return rect{}, err
	}
	m, err := box.of(s)
	if err != nil {
		return rect{}, err
	}
	return bounds(m.Model.Content)
}

// elementRect brings the operation's element into view and returns where it
// lies in the tab's viewport.
func (o *operation) elementRect(ctx context.Context) (*rect, error) {
	p, err := o.prepare(false, 0, nil)
	if err != nil {
		return nil, err
	}
	box := add(p.sequence, dom.GetBoxModel, dom.GetBoxModelParams{}, p.object())
	p.steps[box].Await = true
	if _, err := p.run(ctx, false); err != nil {
		return nil, err
	}
	m, err := box.of(p.sequence)
	if err != nil {
		return nil, fmt.Errorf("The element %s (%s) has no place on the page: %w.", o.ref.ref, o.ref, err)
	}
	r, err := bounds(m.Model.Border)
	if err != nil || r.Width < 1 || r.Height < 1 {
		return nil, fmt.Errorf("The element %s (%s) has no size on the page.", o.ref.ref, o.ref)
	}
	at, err := o.sessionPlace(ctx, o.ref.doc.session)
	if err != nil {
		return nil, err
	}
	r = at.of(r)
	return &r, nil
}

// enlarge makes the tab's window as large as a picture that reaches beyond it,
// if frames of other processes are in the page; the function it returns makes
// it what it was. The browser enlarges it by itself for such a picture, but
// does not wait for those frames: what was out of sight came out empty.
func (o *operation) enlarge(ctx context.Context, s *shot) (restore func(), err error) {
	v := s.view
	inWindow := s.area.X >= 0 && s.area.Y >= 0 && s.area.X+s.area.Width <= v.Width && s.area.Y+s.area.Height <= v.Height
	far := o.childKeys()
	if !s.beyond || inWindow || len(far) == 0 {
		return nil, nil
	}
	session := s.doc.session
	sized := send(ctx, o.c, session, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width:  int64(min(max(v.Width, s.area.Width)*s.zoom, maxSide)),
		Height: int64(min(max(v.Height, s.area.Height)*s.zoom, maxSide)),
	})
	restore = func() {
		o.c.tell(ctx, session, emulation.CommandClearDeviceMetricsOverride, nil)
		o.startInDocument(ctx, s.doc, "scrollBack", v).wait(ctx) // if it fails the page was left
	}
	if _, err := sized.wait(ctx); err != nil {
		restore()
		return nil, err
	}
	docs, err := o.worlds(ctx, far...)
	if err != nil {
		restore()
		return nil, err
	}
	var drawn []future[runtime.CallFunctionOnResult]
	for _, d := range docs {
		if d != nil {
			drawn = append(drawn, o.startInDocument(ctx, d, "drawn"))
		}
	}
	for _, f := range drawn {
		f.wait(ctx) // a frame that went away is not to be drawn
	}
	return restore, context.Cause(ctx)
}

// bounds returns the rectangle around a quad of CDP.
func bounds(q dom.Quad) (rect, error) {
	if len(q) != 8 {
		return rect{}, fmt.Errorf("a quad of %d numbers", len(q))
	}
	left, right := min(q[0], q[2], q[4], q[6]), max(q[0], q[2], q[4], q[6])
	top, bottom := min(q[1], q[3], q[5], q[7]), max(q[1], q[3], q[5], q[7])
	return rect{left, top, right - left, bottom - top}, nil
}
