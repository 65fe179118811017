package browser

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// refMark is a ref and where it is drawn, in pixels of the picture.
type refMark struct {
	Ref    string  `json:"ref"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// labelSize is the height of a label's letters in pixels of the picture.
const labelSize = 11

// marks returns every ref that can be seen in a picture, in reading order. The
// page is read for it, so that whatever a reading would give a ref has one.
func (o *operation) marks(ctx context.Context, s *shot) ([]refMark, error) {
	all := &operation{b: o.b, c: o.c, t: o.t}
	if _, _, err := all.outline(ctx, 0); err != nil {
		return nil, err
	}
	byDoc := map[*document][]*element{}
	o.b.mu.Lock()
	for _, e := range o.b.refs.byRef {
		if e.tab == o.t.id && !e.doc.gone {
			byDoc[e.doc] = append(byDoc[e.doc], e)
		}
	}
	o.b.mu.Unlock()
	defer o.letElementsGo(ctx, byDoc)
	var list []refMark
	for d, els := range byDoc {
		at, err := o.framePlace(ctx, d, s.doc)
		if err == nil {
			var more []refMark
			more, err = o.seen(ctx, s, d, els, at)
			list = append(list, more...)
		}
		if context.Cause(ctx) != nil {
			return nil, err
		}
		// A frame that went away meanwhile shows nothing.
	}
	slices.SortFunc(list, func(a, b refMark) int {
		return cmp.Or(cmp.Compare(len(a.Ref), len(b.Ref)), cmp.Compare(a.Ref, b.Ref))
	})
	return list, nil
}

// letElementsGo releases the objects that stood for elements.
func (o *operation) letElementsGo(ctx context.Context, of map[*document][]*element) {
	done := map[string]bool{}
	for d := range of {
		if !done[d.session] {
			done[d.session] = true
			o.c.tell(ctx, d.session, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
		}
	}
}

// framePlace returns where a document's window lies in the tab's viewport.
func (o *operation) framePlace(ctx context.Context, d, main *document) (rect, error) {
	if d == main {
		return rect{}, nil
	}
	session := d.session
	o.b.mu.Lock()
	if c := o.t.children[d.session]; c != nil && c.frame == d.frame {
		session = c.parent
	}
	o.b.mu.Unlock()
	r, err := o.ownerRect(ctx, session, d.frame)
	if err != nil {
		return rect{}, err
	}
	at, err := o.sessionPlace(ctx, session)
	return at.of(r), err
}

// seen returns which of a document's elements can be seen in a picture, and
// where. frame is where the document's window lies in the tab's viewport.
func (o *operation) seen(ctx context.Context, s *shot, d *document, els []*element, frame rect) ([]refMark, error) {
	q := newSequence(o.c, d.session)
	found := make([]slot[dom.ResolveNodeResult], len(els))
	for i, e := range els {
		found[i] = add(q, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.node, ExecutionContextID: d.context, ObjectGroup: objectGroup})
	}
	if err := o.wait(ctx, q); err != nil {
		return nil, err
	}
	p := inDocument(d, "seen", []any{s.beyond})
	p.FunctionDeclaration = "function([t,...a],...els){const s=globalThis.sidekick;return s&&s.token===t?s.seen(...a,...els):{stale:true}}"
	var live []*element
	for i, f := range found {
		r, err := f.of(q)
		if err != nil || r.Object == nil {
			continue // it is gone
		}
		live = append(live, els[i])
		p.Arguments = append(p.Arguments, &runtime.CallArgument{ObjectID: r.Object.ObjectID})
	}
	var got struct {
		Places [][]float64 `json:"places"`
		Width  float64     `json:"width"`
		Height float64     `json:"height"`
	}
	if err := answer(ctx, send(ctx, o.c, d.session, runtime.CallFunctionOn, p), &got); err != nil {
		return nil, err
	}
	at := placing{frame.X, frame.Y, 1, 1}
	if d != s.doc && got.Width > 0 && got.Height > 0 {
		at.sx, at.sy = frame.Width/got.Width, frame.Height/got.Height
	}
	var list []refMark
	var centres [][2]float64
	for i, b := range got.Places {
		if len(b) != 4 || i >= len(live) {
			continue
		}
		r := at.of(rect{b[0], b[1], b[2], b[3]})
		x, y := max(r.X, s.area.X), max(r.Y, s.area.Y)
		w, h := min(r.X+r.Width, s.area.X+s.area.Width)-x, min(r.Y+r.Height, s.area.Y+s.area.Height)-y
		if w < 1 || h < 1 {
			continue
		}
		centres = append(centres, [2]float64{x + w/2, y + h/2})
		list = append(list, refMark{live[i].ref, (x - s.area.X) * s.scale, (y - s.area.Y) * s.scale, w * s.scale, h * s.scale})
	}
	if d == s.doc || len(list) == 0 {
		return list, nil
	}
	// What lies before a frame the frame does not know.
	var over struct {
		Frames []bool `json:"frames"`
	}
	if err := answer(ctx, o.startInDocument(ctx, s.doc, "frames", centres), &over); err != nil {
		return nil, err
	}
	var clear []refMark
	for i, m := range list {
		c := centres[i]
		inWindow := c[0] >= 0 && c[1] >= 0 && c[0] < s.view.Width && c[1] < s.view.Height
		if i < len(over.Frames) && over.Frames[i] || !inWindow && s.beyond {
			clear = append(clear, m)
		}
	}
	return clear, nil
}

// annotate draws the marks over a picture. The page's isolated world does it,
// on a canvas that is in no document: the browser has the letters and the
// encoders, and the page sees nothing of it.
func (o *operation) annotate(ctx context.Context, s *shot, picture []byte, marks []refMark, format string, quality int64) ([]byte, error) {
	em := max(labelSize, labelSize*min(s.scale, 2))
	f := o.startInDocument(ctx, s.doc, "annotate", picture, marks, em, format, quality)
	var got struct {
		Stale   bool   `json:"stale"`
		Picture []byte `json:"picture"`
	}
	if err := answer(ctx, f, &got); err != nil && !contextGone(err) {
		return nil, fmt.Errorf("The refs could not be drawn: %w.", err)
	}
	if len(got.Picture) == 0 {
		return nil, errReplaced
	}
	return got.Picture, nil
}
