package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// framesWait bounds what is spent on what is in frames that an action added. A
// frame that takes longer is told without.
const framesWait = time.Second

// addedFrames are the frames that an action added to a document.
type addedFrames struct {
	owners map[cdp.BackendNodeID]bool // their elements
	frames []*frameTree               // those that could be read, and what lies in them
}

// nodes counts what was read in them.
func (a *addedFrames) nodes() (n int) {
	for _, f := range a.frames {
		n += len(f.nodes)
	}
	return n
}

// addedFrames reads the frames whose elements are among nodes of a document and
// were not there before. Round trips: none where there are none, else 2 or 3.
func (o *operation) addedFrames(ctx context.Context, d *document, before readNodes, nodes []*accessibility.Node, l listeners) *addedFrames {
	a := &addedFrames{owners: map[cdp.BackendNodeID]bool{}}
	for _, n := range nodes {
		if isFrame(n) {
			a.owners[n.BackendDOMNodeID] = true
		}
	}
	for _, n := range before {
		if len(a.owners) == 0 {
			return a
		}
		delete(a.owners, n.BackendDOMNodeID)
	}
	if len(a.owners) == 0 {
		return a
	}
	ctx, cancel := context.WithTimeoutCause(ctx, framesWait, errTimedOut)
	defer cancel()
	found, err := o.framesIn(ctx, d)
	if err != nil {
		return a // they are told as empty
	}
	in := []*frameTree{{docKey: d.docKey, doc: d}}
	for more := true; more; { // frames in frames
		more = false
		for _, f := range found {
			if f.doc == nil || f.owner == 0 || len(f.nodes) == 0 || len(in) > maxFrames {
				continue
			}
			for _, p := range in {
				if p.session != f.in || p.doc == d && !a.owners[f.owner] || p.doc != d && !p.has(f.owner) {
					continue
				}
				o.b.mu.Lock()
				f.doc.parent, f.doc.owner = p.doc, f.owner
				o.b.mu.Unlock()
				if f.heard == nil && f.session == d.session {
					f.heard = l
				}
				f.listen(f.heard)
				in, a.frames = append(in, f), append(a.frames, f)
				f.owner, f.in, more = 0, "", true
				break
			}
		}
	}
	return a
}

func isFrame(n *accessibility.Node) bool {
	role := value(n.Role)
	return !n.Ignored && (role == "Iframe" || role == "IframePresentational")
}

// framesIn reads the frames of the tab that were not read before.
func (o *operation) framesIn(ctx context.Context, d *document) ([]*frameTree, error) {
	keys, err := o.frameKeys(ctx)
	if err != nil {
		return nil, err
	}
	var runs []*frameRun
	for _, k := range keys[1:] {
		doc := o.known(k)
		o.b.mu.Lock()
		read := doc != nil && (doc.gone || o.t.read[doc] != nil)
		o.b.mu.Unlock()
		if !read && k != d.docKey {
			runs = append(runs, o.startFrame(ctx, k, 0))
		}
	}
	fresh, parts, _, err := o.takeFrames(ctx, runs)
	if err != nil {
		return nil, err
	}
	return fresh, o.takeParts(ctx, parts)
}

// into has a drawing draw the frames where their elements are, and actions
// compare with them. Browser.mu is held.
func (a *addedFrames) into(o *operation, d *document, draw *drawing) {
	draw.added = map[nodeKey]bool{}
	for owner := range a.owners {
		draw.added[nodeKey{d, owner}] = true
	}
	for _, f := range a.frames {
		for _, n := range f.nodes { // frames in frames may come later still
			if isFrame(n) {
				draw.added[nodeKey{f.doc, n.BackendDOMNodeID}] = true
			}
		}
		draw.inside[nodeKey{f.doc.parent, f.doc.owner}] = f
		o.t.read[f.doc] = &pastTree{nodesByID(f.nodes), f.marked, f.page, f.partly}
	}
}
