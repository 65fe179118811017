package browser

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/runtime"
)

// maxWhole is how many nodes a document may have to be read as a whole for what
// changed in it. Only its parts would be less, but a query for a part waits for
// the page to be drawn: a frame, and a second where the tab is not in front and
// is not made to draw.
const maxWhole = 600

// How many characters an outcome says of what changed, and of one line of it. A
// select field's line is no longer.
const (
	maxChanges = 2000
	maxLine    = 600
)

type withoutChanges struct{}

// WithoutChanges returns a context whose actions do not look for what they
// changed in the page.
func WithoutChanges(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutChanges{}, true)
}

// WantsChanges reports whether actions are to look for what they changed.
func WantsChanges(ctx context.Context) bool { return ctx.Value(withoutChanges{}) == nil }

// readNodes are the nodes of an accessibility tree.
type readNodes map[accessibility.NodeID]*accessibility.Node

// pastTree is what was last read of a document.
type pastTree struct {
	nodes readNodes
	marked
	page   pageInfo
	partly bool // something of it was left out
}

// remember keeps what a reading of the whole page read, for actions to compare
// with. Browser.mu is held.
func (o *operation) remember(frames []*frameTree) {
	if o.ref != nil {
		return
	}
	o.t.read = map[*document]*pastTree{}
	for _, f := range frames {
		if f.doc == nil {
			continue
		}
		o.t.read[f.doc] = &pastTree{nodesByID(f.nodes), f.marked, f.page, f.partly}
	}
}

func nodesByID(list []*accessibility.Node) readNodes {
	nodes := make(readNodes, len(list))
	for _, n := range list {
		nodes[n.NodeID] = n
	}
	return nodes
}

// acting returns the documents that the action may change and that were read:
// the tab's own, and that of the element.
func (o *operation) acting() []*document {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	var docs []*document
	for _, d := range []*document{o.t.documents[docKey{o.t.session, o.t.mainFrame}], o.elementDocument()} {
		if d != nil && !d.gone && o.t.read[d] != nil && (len(docs) == 0 || docs[0] != d) {
			docs = append(docs, d)
		}
	}
	return docs
}

func (o *operation) elementDocument() *document {
	if o.ref == nil {
		return nil
	}
	return o.ref.doc
}

// notice has the documents note what changes in them from here on; that of the
// operation's element does so by itself. Nobody waits for it: what follows in
// the same session comes to the page behind it.
func (o *operation) notice() {
	for _, d := range o.acting() {
		if d == o.elementDocument() {
			continue
		}
		o.c.tell(context.Background(), d.session, runtime.CommandCallFunctionOn, inDocument(d, "notice", nil))
	}
}

// changes returns the outline's lines that changed since notice was called, with
// a + for those that are new, a - for those that are gone and a ~ for those of an
// element that stays. Round trips: none where the page says that nothing
// changed, nor in a small document where the action brought the news; 2 in a
// large one, and 2 or 3 more where a frame was added.
func (o *operation) changes(ctx context.Context) string {
	if !WantsChanges(ctx) || o.dialog() != nil {
		return ""
	}
	ctx, cancel := context.WithTimeoutCause(ctx, shortWait, errTimedOut)
	defer cancel()
	var lines []string
	err := o.orDialog(ctx, func(ctx context.Context) error {
		for i, d := range o.acting() {
			if o.touched != nil && !*o.touched && (o.ref == nil && i == 0 || o.ref != nil && d == o.ref.doc) {
				continue
			}
			look := o.changesIn
			if o.small(d) {
				look = o.changesInAll
			}
			more, err := look(ctx, d)
			if err != nil {
				return err
			}
			lines = append(lines, more...)
		}
		return nil
	})
	if err != nil {
		return "" // it was done all the same; a reading says what came of it
	}
	return shortened(lines)
}

// shortened joins lines, as many as may be told.
func shortened(lines []string) string {
	var b strings.Builder
	left := maxChanges
	for i, l := range lines {
		l = clip(l, maxLine)
		if left -= len([]rune(l)) + 1; left < 60 && i < len(lines)-1 || left < 0 {
			fmt.Fprintf(&b, "… and %d more lines: call read_page.\n", len(lines)-i)
			break
		}
		b.WriteString(l + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// small reports whether a document was read and is read again as a whole.
func (o *operation) small(d *document) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	t := o.t.read[d]
	return t != nil && len(t.nodes) > 0 && len(t.nodes) <= maxWhole && !t.partly
}

// news is the accessibility tree of a document as an action left it.
type news struct {
	*sequence
	doc   *document
	tree  slot[accessibility.GetFullAXTreeResult]
	marks numbering
	heard slot[domsnapshot.CaptureSnapshotResult]
}

// addNews has a sequence bring a document's tree and its marks.
func addNews(s *sequence, d *document, uses ...use) *news {
	return &news{
		sequence: s, doc: d,
		tree:  add(s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: d.frame}, uses...),
		marks: addNumbering(s, d, "marked", nil, uses...),
		heard: listening(s, uses...),
	}
}

// bringNews has a sequence bring the document's tree at its end, if that is
// small and a reply says that the action changed something.
func (o *operation) bringNews(ctx context.Context, s *sequence, d *document, reply slot[runtime.CallFunctionOnResult]) {
	if WantsChanges(ctx) && o.small(d) {
		o.news = addNews(s, d, reply.use("result.value.page.news", ""))
	}
}

// changesInAll compares a small document with what was read of it.
func (o *operation) changesInAll(ctx context.Context, d *document) ([]string, error) {
	n := o.news
	if n == nil || n.doc != d || o.touched == nil || !*o.touched {
		n = addNews(newSequence(o.c, d.session), d)
		add(n.sequence, runtime.CallFunctionOn, inDocument(d, "hush", nil))
		if err := o.wait(ctx, n.sequence); err != nil {
			return nil, err
		}
	}
	r, err := n.tree.of(n.sequence)
	if err != nil || len(r.Nodes) == 0 {
		return nil, err
	}
	marks, page := n.marks.all(n.sequence)
	listened := heard(n.heard.of(n.sequence))
	marks.listen(listened)
	if d.docKey == o.mainKey() {
		o.notePage(page) // what was done in a frame may have changed it
	}
	added := o.addedFrames(ctx, d, o.readOf(d), r.Nodes, listened)
	count := len(r.Nodes) + added.nodes()
	if err := o.reserveRefs(ctx, count); err != nil {
		return nil, err
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	before := o.t.read[d]
	if o.b.refs.limit-o.b.refs.next < count || before == nil {
		return nil, nil
	}
	(&frameTree{nodes: r.Nodes, marked: marks}).recase()
	after := &pastTree{nodes: nodesByID(r.Nodes), marked: marks, page: page}
	o.t.read[d] = after
	root := r.Nodes[0]
	return difference(o.lines(d, before, before.nodes[root.NodeID], nil), o.lines(d, after, root, added)), nil
}

// changesIn compares the parts of a document that changed with what was read of
// them, and keeps what they are now.
func (o *operation) changesIn(ctx context.Context, d *document) ([]string, error) {
	s := newSequence(o.c, d.session)
	p := inDocument(d, "changed", nil)
	p.FunctionDeclaration = "function([t]){const s=globalThis.sidekick;return s&&s.token===t?s.changed():[]}"
	p.ReturnByValue, p.ObjectGroup = nil, objectGroup
	list := add(s, runtime.CallFunctionOn, p)
	properties := add(s, runtime.GetProperties, runtime.GetPropertiesParams{OwnProperties: &yes}, list.use("result.objectId", "objectId"))
	remarks := addNumbering(s, d, "changedMarks", nil)
	if err := o.wait(ctx, s); err != nil {
		return nil, err
	}
	got, err := properties.of(s)
	if err != nil {
		return nil, err
	}
	var lines []string
	var asked []askedPart
	for _, part := range got.Result {
		switch {
		case part.Value == nil || part.Name == "length":
		case part.Value.ObjectID != "":
			a := askedPart{node: send(ctx, o.c, d.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: part.Value.ObjectID})}
			if len(asked) == 0 {
				defer o.draw(ctx)()
			}
			a.tree = send(ctx, o.c, d.session, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: part.Value.ObjectID})
			asked = append(asked, a)
		case part.Value.Type == "string":
			lines = append(lines, "A large part of the page changed: call read_page.")
		}
	}
	if len(asked) == 0 {
		return lines, nil
	}
	o.c.tell(ctx, d.session, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
	var parts []changedPart
	count := 0
	for _, a := range asked {
		n, nerr := a.node.wait(ctx)
		t, terr := a.tree.wait(ctx)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if nerr == nil && terr == nil && n.Node != nil {
			parts = append(parts, changedPart{n.Node.BackendNodeID, t.Nodes})
			count += len(t.Nodes)
		}
	}
	if len(parts) == 0 {
		return lines, nil
	}
	var nodes []*accessibility.Node
	for _, p := range parts {
		nodes = append(nodes, p.nodes...)
	}
	added := o.addedFrames(ctx, d, o.readOf(d), nodes, nil)
	count += added.nodes()
	if err := o.reserveRefs(ctx, count); err != nil {
		return nil, err
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	before := o.t.read[d]
	if o.b.refs.limit-o.b.refs.next < count || before == nil {
		return lines, nil
	}
	after, was := &pastTree{maps.Clone(before.nodes), before.marked, before.page, before.partly}, before.marked
	for _, p := range parts {
		p.into(after.nodes)
	}
	after.marked = was.without(nodes)
	remarks.into(s, &after.marked)
	(&frameTree{nodes: nodes, marked: after.marked}).recase()
	o.t.read[d] = after
	for _, p := range parts {
		was := o.lines(d, before, before.nodes.at(p.node), nil)
		lines = append(lines, difference(was, o.lines(d, after, after.nodes.at(p.node), added))...)
	}
	return lines, nil
}

// askedPart is what was asked of a part of a page that changed.
type askedPart struct {
	node future[dom.DescribeNodeResult]
	tree future[accessibility.QueryAXTreeResult]
}

// changedPart is such a part as it is now.
type changedPart struct {
	node  cdp.BackendNodeID
	nodes []*accessibility.Node
}

// into puts the part where it was before.
func (p changedPart) into(tree readNodes) {
	have := make(map[accessibility.NodeID]bool, len(p.nodes))
	for _, n := range p.nodes {
		have[n.NodeID] = true
	}
	old := tree.at(p.node)
	var tops []accessibility.NodeID
	own := false // whether the part's own element is among the nodes
	for _, n := range p.nodes {
		tree[n.NodeID] = n
		own = own || n.BackendDOMNodeID == p.node
		if !have[n.ParentID] {
			tops = append(tops, n.NodeID)
		}
	}
	if old == nil || own {
		return
	}
	// An element that says nothing itself is left out of the answer.
	now := *old
	now.ChildIDs = tops
	tree[now.NodeID] = &now
}

// at returns what was read of an element, or nil.
func (t readNodes) at(node cdp.BackendNodeID) *accessibility.Node {
	var found *accessibility.Node
	for _, n := range t {
		if n.BackendDOMNodeID == node && (found == nil || found.Ignored) {
			found = n
		}
	}
	return found
}

// readOf is what was last read of a document.
func (o *operation) readOf(d *document) readNodes {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if t := o.t.read[d]; t != nil {
		return t.nodes
	}
	return nil
}

// lines returns the outline of a part of a document, with what is in the frames
// that were added to it. Browser.mu is held.
func (o *operation) lines(d *document, t *pastTree, n *accessibility.Node, added *addedFrames) []string {
	if n == nil {
		return nil
	}
	f := &frameTree{docKey: d.docKey, doc: d, marked: t.marked, page: t.page}
	draw := newDrawing(o, nil)
	if added != nil {
		draw = newDrawing(o, added.frames)
		added.into(o, d, draw)
	}
	draw.byID[f] = t.nodes
	var w strings.Builder
	for _, it := range draw.build(f, n) {
		it.write(&w, 0)
	}
	if w.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(w.String(), "\n"), "\n")
}
