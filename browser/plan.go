package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// planReply is what the page script's plan answers with.
type planReply struct {
	Stale bool       `json:"stale"`
	Whole bool       `json:"whole"` // nothing is to be left out
	Tree  planPart   `json:"tree"`
	Next  int        `json:"next"`  // where a reading in parts goes on
	Parts int        `json:"parts"` // of how many
	Marks marksReply `json:"marks"`
	Page  pageInfo   `json:"page"`
}

// nodeHint is a word about a node.
type nodeHint struct {
	I    int    `json:"i"`
	Hint string `json:"hint"`
}

// planPart is a node to be read: whole, or of its parts alone, or as a count of
// what is left out of it.
type planPart struct {
	I    int        `json:"i"`
	C    []planPart `json:"c"`
	Gap  int        `json:"gap"`
	What string     `json:"what"`
}

// planRun is a sequence that reads a frame as far as it is to be read whole, or
// says what of it is to be read.
type planRun struct {
	*worldRun // that of a document whose world is made with it
	frame     *frameTree
	of        *element
	found     slot[dom.ResolveNodeResult]
	plan      slot[runtime.CallFunctionOnResult]
	whole     slot[accessibility.GetFullAXTreeResult]
	query     slot[accessibility.QueryAXTreeResult]
	nodes     slot[runtime.CallFunctionOnResult]
	heard     slot[domsnapshot.CaptureSnapshotResult] // asked for with the session's top document
	frames    slot[page.GetFrameTreeResult]           // likewise
	hears     bool
}

// maxSteps bounds one sequence of a reading's second part.
const maxSteps = 400

// startPlan begins to read a frame: all of it, or of an element in it, from a
// place among its children.
func (o *operation) startPlan(ctx context.Context, k docKey, of *element, from int) *planRun {
	return o.startPlanWith(ctx, k, of, from, !o.isScripted(k.session))
}

// startPlanWith is startPlan, which says whether a new world's script is brought.
func (o *operation) startPlanWith(ctx context.Context, k docKey, of *element, from int, script bool) *planRun {
	p := &planRun{frame: &frameTree{docKey: k, doc: o.known(k)}, of: of}
	var s *sequence
	var in []use
	call := runtime.CallFunctionOnParams{ReturnByValue: &yes, AwaitPromise: &yes, Silent: &yes}
	list := runtime.CallFunctionOnParams{
		FunctionDeclaration: plannedFn, Silent: &yes,
		SerializationOptions: nodesOnly,
	}
	d := p.frame.doc
	if d == nil {
		p.worldRun = newWorld(o.c, k, script)
		s = p.worldRun.sequence
		in = []use{p.world.use("executionContextId", "executionContextId")}
		call.FunctionDeclaration = "function(){const s=globalThis.sidekick;return s?s.plan():{stale:true}}"
	} else {
		s = newSequence(o.c, k.session)
		p.worldRun = &worldRun{sequence: s, key: k}
		call.FunctionDeclaration = "function([t,...a]){const s=globalThis.sidekick;return s&&s.token===t?s.plan(this?.nodeType?this:null,...a):{stale:true}}"
		call.Arguments = arguments(d, []any{from})
		list.ExecutionContextID = d.context
		if of == nil {
			call.ExecutionContextID = d.context
		} else {
			p.found = add(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: of.node, ExecutionContextID: d.context, ObjectGroup: objectGroup})
			in = []use{p.found.use("object.objectId", "objectId")}
		}
	}
	p.plan = add(s, runtime.CallFunctionOn, call, in...)
	whole := p.plan.use("result.value.whole", "")
	if of == nil {
		// The tree of a document that was small the last time need not wait
		// for the plan.
		need := []use{whole}
		if o.wasWhole(d) {
			need = nil
		}
		p.whole = add(s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: k.frame}, need...)
	} else {
		p.query = add(s, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: of.node}, whole)
	}
	some := []use{p.plan.use("result.value.some", "")}
	if d == nil {
		some = append(some, p.world.use("executionContextId", "executionContextId"))
	}
	p.nodes = add(s, runtime.CallFunctionOn, list, some...)
	if p.hears = o.tops(k); p.hears {
		p.heard = listening(s, whole)
		p.frames = add(s, page.GetFrameTree, cdp.Empty{})
	}
	add(s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
	s.start(ctx)
	return p
}

// take waits for the first part of a frame's reading, and starts the second if
// there is one. It returns false where the frame went away.
func (p *planRun) take(ctx context.Context, o *operation) (*partsRun, bool, error) {
	f := p.frame
	if f.doc == nil {
		d, err := p.document(ctx, o)
		if errors.Is(err, errNoScript) {
			*p = *o.startPlanWith(ctx, p.key, p.of, 0, true)
			return p.take(ctx, o)
		}
		if err != nil || d == nil {
			return nil, false, err
		}
		f.doc = o.noteDocument(d)
	} else if err := o.wait(ctx, p.sequence); err != nil {
		return nil, false, err
	}
	if p.of != nil {
		if _, err := p.found.of(p.sequence); err != nil {
			if protocolCode(err) == -32000 || contextGone(err) {
				err = nil
			}
			return nil, false, err
		}
	}
	res, err := p.plan.of(p.sequence)
	var plan planReply
	if err == nil {
		err = returned(res, &plan)
	}
	if contextGone(err) || err == nil && plan.Stale {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	ids, texts, err := backendNodes(p.nodes.of(p.sequence))
	if err != nil {
		return nil, false, err
	}
	at := func(i int) cdp.BackendNodeID {
		if i < 0 || i >= len(ids) {
			return 0
		}
		return ids[i]
	}
	f.next, f.page = plan.Next, plan.Page
	f.marked.take(plan.Marks, ids, texts)
	if p.hears {
		f.heard = heard(p.heard.of(p.sequence))
	}
	f.partly = !plan.Whole
	if p.of == nil {
		o.b.mu.Lock()
		f.doc.whole = plan.Whole
		o.b.mu.Unlock()
	}
	if f.partly {
		r := &partsRun{frame: f, tree: plan.Tree, at: at}
		r.start(ctx, o)
		return r, true, nil
	}
	if p.of != nil {
		r, err := p.query.of(p.sequence)
		if err != nil && protocolCode(err) == 0 {
			return nil, false, err
		}
		f.nodes = r.Nodes
		return nil, err == nil, nil
	}
	r, err := p.whole.of(p.sequence)
	if err != nil {
		return nil, false, err
	}
	f.nodes = r.Nodes
	return nil, true, nil
}

func (o *operation) wasWhole(d *document) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return d != nil && d.whole
}

// isSmall reports whether a document was read whole, or had few elements when
// it was first seen: nothing that is asked of it keeps it busy for long.
func (o *operation) isSmall(d *document) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return d != nil && (d.whole || d.size > 0 && d.size < expectFrom)
}

// tops reports whether the document is the top one of its session, with which
// the session is asked what holds for all of its documents.
func (o *operation) tops(k docKey) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if c := o.t.children[k.session]; c != nil {
		return c.frame == k.frame
	}
	return k.frame == o.t.mainFrame
}

// backendNodes takes the nodes of a list that was serialised deeply: how the
// browser numbers them, and the text of those that are text.
func backendNodes(r runtime.CallFunctionOnResult, err error) ([]cdp.BackendNodeID, []string, error) {
	if err == errNotRun {
		return nil, nil, nil
	}
	if err == nil {
		err = exception(r.ExceptionDetails)
	}
	if err != nil || r.Result == nil || r.Result.DeepSerializedValue == nil {
		return nil, nil, err
	}
	var list []struct {
		Value struct {
			ID   cdp.BackendNodeID `json:"backendNodeId"`
			Text string            `json:"nodeValue"`
		} `json:"value"`
	}
	if err := jsonv2.Unmarshal(r.Result.DeepSerializedValue.Value, &list, jsonOptions); err != nil {
		return nil, nil, fmt.Errorf("reading the page's plan: %w", err)
	}
	ids, texts := make([]cdp.BackendNodeID, len(list)), make([]string, len(list))
	for i, n := range list {
		ids[i], texts[i] = n.Value.ID, n.Value.Text
	}
	return ids, texts, nil
}

// partsRun reads the parts of a frame that its plan names.
type partsRun struct {
	frame *frameTree
	tree  planPart
	at    func(int) cdp.BackendNodeID
	runs  []*sequence
	parts map[*planPart]func() ([]*accessibility.Node, error)
	gaps  int
}

func (r *partsRun) start(ctx context.Context, o *operation) {
	r.parts = map[*planPart]func() ([]*accessibility.Node, error){}
	r.ask(o, &r.tree)
	for _, s := range r.runs {
		s.start(ctx)
	}
}

// ask adds the commands that read a part and what is in it.
func (r *partsRun) ask(o *operation, p *planPart) {
	id := r.at(p.I)
	if p.Gap > 0 || id == 0 {
		return
	}
	if n := len(r.runs); n == 0 || len(r.runs[n-1].steps) >= maxSteps {
		r.runs = append(r.runs, newSequence(o.c, r.frame.session))
	}
	s := r.runs[len(r.runs)-1]
	if p.C == nil {
		i := add(s, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: id})
		r.parts[p] = func() ([]*accessibility.Node, error) { n, err := i.of(s); return n.Nodes, err }
		return
	}
	no := false
	i := add(s, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{BackendNodeID: id, FetchRelatives: &no})
	r.parts[p] = func() ([]*accessibility.Node, error) { n, err := i.of(s); return n.Nodes, err }
	for k := range p.C {
		r.ask(o, &p.C[k])
	}
}

// take waits for the parts and puts the frame's tree together from them.
func (r *partsRun) take(ctx context.Context, o *operation) error {
	if err := o.wait(ctx, r.runs...); err != nil {
		return err
	}
	_, err := r.join(&r.tree, "")
	return err
}

// gapRole is the role of the nodes that stand for what is left out.
const gapRole = "sidekick-gap"

// join adds the nodes of a part to the frame's, and returns the first one's id.
// What went away meanwhile is not there.
func (r *partsRun) join(p *planPart, parent accessibility.NodeID) (accessibility.NodeID, error) {
	id := r.at(p.I)
	if p.Gap > 0 {
		r.gaps++
		gap := &accessibility.Node{
			NodeID: accessibility.NodeID(fmt.Sprintf("gap%d", r.gaps)), ParentID: parent, BackendDOMNodeID: id,
			Role: &accessibility.Value{Value: encoded(gapRole)},
			Name: &accessibility.Value{Value: encoded(fmt.Sprintf("%s more %s", thousands(p.Gap), p.What))},
		}
		r.frame.nodes = append(r.frame.nodes, gap)
		return gap.NodeID, nil
	}
	get := r.parts[p]
	if get == nil {
		return "", nil
	}
	nodes, err := get()
	if err != nil && protocolCode(err) == 0 {
		return "", err
	}
	var top *accessibility.Node
	for _, n := range nodes {
		if n.BackendDOMNodeID == id {
			top = n
			break
		}
	}
	if p.C == nil {
		r.frame.nodes = append(r.frame.nodes, nodes...)
		if top == nil {
			return "", nil
		}
		return top.NodeID, nil
	}
	if top == nil { // not in the tree by itself; what is in it may be
		top = &accessibility.Node{NodeID: accessibility.NodeID(fmt.Sprintf("part%d", id)), Ignored: true, BackendDOMNodeID: id}
	}
	top.ChildIDs = nil
	r.frame.nodes = append(r.frame.nodes, top)
	for k := range p.C {
		c, err := r.join(&p.C[k], top.NodeID)
		if err != nil {
			return "", err
		}
		if c != "" {
			top.ChildIDs = append(top.ChildIDs, c)
		}
	}
	return top.NodeID, nil
}

// thousands writes a number as people read it: 1,962.
func thousands(n int) string {
	s := fmt.Sprint(n)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return strings.Join(append([]string{s}, parts...), ",")
}

// expectFrom is how many elements a document has whose accessibility tree is
// worth to be made before it is asked for.
const expectFrom = 1000

// expectReading has the browser make the accessibility tree of the page that
// was gone to, which takes it 200 ms for 2,000 table rows, while the caller
// thinks. Nobody waits for it; but it takes the processor from what brings the
// call's answer on its way, so that it is not done for a document that is known
// to be read in no time.
func (o *operation) expectReading(ctx context.Context) {
	if o.dialog() != nil || o.fresh != nil && o.fresh.Size < expectFrom {
		return
	}
	top := int64(1)
	main := o.mainKey()
	o.c.tell(ctx, main.session, accessibility.CommandGetFullAXTree, accessibility.GetFullAXTreeParams{Depth: &top, FrameID: main.frame})
}
