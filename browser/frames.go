package browser

import (
	"context"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// frameTree is a frame with what was learnt of it for a reading.
type frameTree struct {
	docKey
	marked
	doc    *document
	in     string            // the session of the document that it lies in
	owner  cdp.BackendNodeID // the iframe element there
	nodes  []*accessibility.Node
	heard  listeners // of the session, with its top document
	page   pageInfo
	partly bool // something of it was left out
	next   int  // where a reading in parts goes on; 0 at its end
}

// readFrames reads the accessibility trees of all frames of the tab, the main
// frame first, each with the world of its document. Of the operation's element
// it reads what is in that, from a place among its children. Frames of other
// processes are known beforehand and read at once with the main one; those of
// the same process are known by what their session's top document answers.
func (o *operation) readFrames(ctx context.Context, from int) ([]*frameTree, error) {
	asked := map[docKey]bool{}
	var frames []*frameTree
	var parts []*partsRun
	next := append([]docKey{o.mainKey()}, o.childKeys()...)
	for len(next) > 0 && len(frames) < maxFrames {
		var wave []*frameRun
		for _, k := range next {
			asked[k] = true
			wave = append(wave, o.startFrame(ctx, k, from))
		}
		read, rest, within, err := o.takeFrames(ctx, wave)
		if err != nil {
			return nil, err
		}
		frames, parts, next = append(frames, read...), append(parts, rest...), within
		for _, k := range o.childKeys() {
			if !asked[k] {
				next = append(next, k)
			}
		}
	}
	in := map[string]listeners{}
	for _, f := range frames {
		if f.heard != nil {
			in[f.session] = f.heard
		}
	}
	for _, f := range frames {
		f.listen(in[f.session])
	}
	return frames, o.takeParts(ctx, parts)
}

// takeFrames waits for frames that are read at once, and starts what is left of
// them. It returns the places of the frames within that are known then.
func (o *operation) takeFrames(ctx context.Context, runs []*frameRun) (frames []*frameTree, parts []*partsRun, within []docKey, err error) {
	for _, r := range runs {
		f, p, in, err := r.take(ctx, o)
		if err != nil {
			return nil, nil, nil, err
		}
		frames, within = append(frames, f), append(within, in...)
		if p != nil {
			parts = append(parts, p)
		}
	}
	return frames, parts, within, nil
}

// takeParts waits for what was left of frames.
func (o *operation) takeParts(ctx context.Context, parts []*partsRun) error {
	for _, p := range parts {
		if err := p.take(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// frameRun is the reading of one frame.
type frameRun struct {
	plan  *planRun
	main  bool
	in    string // the session that knows the frame's element
	owner future[dom.GetFrameOwnerResult]
}

func (o *operation) startFrame(ctx context.Context, k docKey, from int) *frameRun {
	r := &frameRun{main: k == o.mainKey()}
	of := o.elementIn(k)
	if of == nil && !r.main {
		from = 0
	}
	if !r.main {
		o.readyChild(ctx, k)
		r.in = o.parentSession(k)
	}
	r.plan = o.startPlan(ctx, k, of, from)
	if !r.main {
		r.owner = send(ctx, o.c, r.in, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: k.frame})
	}
	return r
}

// take waits for the frame, and starts the second part of its reading if there
// is one. It returns the frames within that its session knows. A frame that went
// away is empty.
func (r *frameRun) take(ctx context.Context, o *operation) (*frameTree, *partsRun, []docKey, error) {
	parts, there, err := r.plan.take(ctx, o)
	f := r.plan.frame
	if r.main {
		switch {
		case err != nil:
			return nil, nil, nil, err
		case !there && r.plan.of != nil:
			return nil, nil, nil, staleRef(o.ref.ref, "its element is no longer in the page, or not visible")
		case !there:
			return nil, nil, nil, errReplaced
		}
	} else {
		owner, oerr := r.owner.wait(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return nil, nil, nil, cause
		}
		if oerr != nil || err != nil || !there {
			return &frameTree{docKey: f.docKey}, nil, nil, nil
		}
		f.in, f.owner = r.in, owner.BackendNodeID
	}
	var within []docKey
	if r.plan.hears {
		list, err := r.plan.frames.of(r.plan.sequence)
		if err != nil && r.main {
			return nil, nil, nil, err
		}
		if err == nil {
			within = keysIn(f.session, list.FrameTree)
		}
	}
	return f, parts, within, nil
}

// elementIn returns the operation's element if it is in that place's document.
func (o *operation) elementIn(k docKey) *element {
	if o.ref != nil && o.ref.doc.docKey == k && o.ref.doc == o.known(k) {
		return o.ref
	}
	return nil
}

// maxFrames bounds how many frames one reading goes into.
const maxFrames = 200

// frameKeys are the places of all frames of the tab, the main one first.
func (o *operation) frameKeys(ctx context.Context) ([]docKey, error) {
	main := o.mainKey()
	tree, err := send(ctx, o.c, main.session, page.GetFrameTree, cdp.Empty{}).wait(ctx)
	if err != nil {
		return nil, err
	}
	keys := append([]docKey{main}, keysIn(main.session, tree.FrameTree)...)
	for len(keys) < maxFrames {
		more, err := o.childFrames(ctx, keys)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			break
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// keysIn are the places of the frames in a session's tree, without its top.
func keysIn(session string, t *page.FrameTree) []docKey {
	var list []docKey
	for _, c := range t.ChildFrames {
		list = append(list, docKey{session, c.Frame.ID})
		list = append(list, keysIn(session, c)...)
	}
	return list
}

// childKeys are the places of the top documents of other processes' frames.
func (o *operation) childKeys() []docKey {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	var list []docKey
	for _, c := range o.t.children {
		list = append(list, docKey{c.session, c.frame})
	}
	return list
}

// readyChild has a session of a frame tell of its documents and of the sessions
// in it, if k is its top document and it was not asked yet.
func (o *operation) readyChild(ctx context.Context, k docKey) {
	o.b.mu.Lock()
	c := o.t.children[k.session]
	ready := c == nil || c.ready || c.frame != k.frame
	if !ready {
		c.ready = true
	}
	o.b.mu.Unlock()
	if !ready {
		o.c.tell(ctx, k.session, page.CommandEnable, page.EnableParams{})
		o.c.tell(ctx, k.session, target.CommandSetAutoAttach, o.autoAttach())
	}
}

// childFrames returns the places of frames of other processes, and of those in
// them, that are not among those we have.
func (o *operation) childFrames(ctx context.Context, have []docKey) ([]docKey, error) {
	known := map[docKey]bool{}
	for _, k := range have {
		known[k] = true
	}
	var more []docKey
	var trees []future[page.GetFrameTreeResult]
	for _, k := range o.childKeys() {
		if known[k] {
			continue
		}
		o.readyChild(ctx, k)
		more = append(more, k)
		trees = append(trees, send(ctx, o.c, k.session, page.GetFrameTree, cdp.Empty{}))
	}
	var list []docKey
	for i, k := range more {
		t, err := trees[i].wait(ctx)
		if err != nil {
			if context.Cause(ctx) != nil {
				return nil, err
			}
			continue // the frame went away
		}
		list = append(append(list, k), keysIn(k.session, t.FrameTree)...)
	}
	return list, nil
}

// parentSession returns the session that knows the element a frame lies in:
// for the top frame of a child session that is another session.
func (o *operation) parentSession(k docKey) string {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if c := o.t.children[k.session]; c != nil && c.frame == k.frame {
		return c.parent
	}
	return k.session
}
