package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
)

// maxFound is how many elements one call finds at most.
const maxFound = 20

// FindArgs are the arguments of [Browser.Find].
type FindArgs struct {
	Tab   string
	Query string // a part of a text, a name, a label, a placeholder or a value
	Role  string // only elements of this role
}

// Found is what [Browser.Find] found.
type Found struct {
	Tab     Tab
	Matches []Match
	Total   int // of what fits, as far as was looked
	Near    []string
}

// Text has a line for each element.
func (f *Found) Text() string {
	lines := make([]string, len(f.Matches))
	for i, m := range f.Matches {
		lines[i] = m.Line
	}
	return strings.Join(lines, "\n")
}

// Match is one element that was found.
type Match struct {
	Line  string // as in an outline, with its place
	Ref   string
	Role  string
	Name  string
	Value string // or a beginning of the text that is in it
	State string // its marks, as in an outline
	Place string // what is around it
}

// findReply is what the page script's find answers with.
type findReply struct {
	Stale   bool `json:"stale"`
	Matches []struct {
		Place string `json:"place"`
		Rank  int    `json:"rank"`
		Role  string `json:"role"`
		Text  string `json:"text"`
	} `json:"matches"`
	Total int      `json:"total"`
	Near  []string `json:"near"`
	Page  pageInfo `json:"page"`
}

// match is one element that was found.
type match struct {
	frame *frameTree
	node  cdp.BackendNodeID
	place string
	rank  int
	plain item // it, as the page itself tells it
	query slot[accessibility.QueryAXTreeResult]
	run   *sequence
	top   *accessibility.Node
}

// Find finds elements by what a person reads of them, in all frames, whether a
// reading shows them or not. Round trips: 2 without frames, one more the first
// time.
func (b *Browser) Find(ctx context.Context, a FindArgs) (*Found, error) {
	a.Query, a.Role = squeeze(a.Query), strings.ToLower(strings.TrimSpace(a.Role))
	if a.Query == "" {
		return nil, errors.New("Say what to find: a query, which is a part of a text, name, label or placeholder.")
	}
	var out *Found
	err := b.do(ctx, a.Tab, "", 0, func(ctx context.Context, o *operation) error {
		o.askFirst(ctx)
		out = &Found{}
		matches, err := o.findInPages(ctx, a, out)
		if err == nil && len(matches) == 0 {
			matches, err = o.findInTrees(ctx, a)
			out.Total = len(matches)
		}
		if err == nil {
			err = o.drawFound(ctx, matches, out)
		}
		if err != nil {
			return o.readingError(err)
		}
		b.mu.Lock()
		out.Tab = b.tabOf(o.t)
		b.mu.Unlock()
		return nil
	})
	return out, err
}

// readingError is an error of a reading, in words for its caller.
func (o *operation) readingError(err error) error {
	if err != errDialog {
		return err
	}
	d := o.dialog()
	if d == nil {
		return errReplaced
	}
	return fmt.Errorf("A dialog opened in tab %s (%s: %q); the page waits for it. Call handle_dialog first.", o.t.id, d.Type, d.Message)
}

// findInPages has the page script of each document find, and asks the browser
// what the best of the elements are.
func (o *operation) findInPages(ctx context.Context, a FindArgs, out *Found) ([]*match, error) {
	var docs []*document
	err := o.orDialog(ctx, func(ctx context.Context) (err error) { docs, err = o.documents(ctx); return err })
	if err != nil {
		return nil, err
	}
	type run struct {
		*sequence
		numbering
	}
	runs := make([]run, len(docs))
	for i, d := range docs {
		s := newSequence(o.c, d.session)
		runs[i] = run{s, addNumbering(s, d, "find", []any{a.Query, a.Role, maxFound})}
		s.start(ctx)
	}
	var matches []*match
	for i, r := range runs {
		if err := o.wait(ctx, r.sequence); err != nil {
			return nil, err
		}
		res, err := r.numbering.call.of(r.sequence)
		var f findReply
		if err == nil {
			err = returned(res, &f)
		}
		if contextGone(err) || err == nil && f.Stale {
			continue // the frame went away
		}
		if err != nil {
			return nil, err
		}
		ids, _, err := backendNodes(r.nodes.of(r.sequence))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			o.notePage(f.Page)
		}
		out.Total += f.Total
		out.Near = append(out.Near, f.Near...)
		frame := &frameTree{docKey: docs[i].docKey, doc: docs[i], page: f.Page}
		for n, m := range f.Matches {
			if n < len(ids) {
				matches = append(matches, &match{frame: frame, node: ids[n], place: m.Place, rank: m.Rank, plain: item{role: squeeze(m.Role), value: squeeze(m.Text)}})
			}
		}
	}
	slices.SortStableFunc(matches, func(x, y *match) int { return cmp.Compare(x.rank, y.rank) })
	matches = matches[:min(len(matches), maxFound)]
	return matches, o.readMatches(ctx, matches)
}

// nodesOnly serialises nodes without what is in them.
var nodesOnly = &runtime.SerializationOptions{
	Serialization: "deep", AdditionalParameters: jsonv2.Value(`{"maxNodeDepth":0,"includeShadowTree":"none"}`),
}

// readMatches asks the browser what the elements found are.
func (o *operation) readMatches(ctx context.Context, matches []*match) error {
	runs := map[*frameTree]*sequence{}
	var list []*sequence
	for _, m := range matches {
		s := runs[m.frame]
		if s == nil {
			s = newSequence(o.c, m.frame.session)
			runs[m.frame] = s
			list = append(list, s)
		}
		m.run, m.query = s, add(s, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: m.node})
	}
	for _, s := range list {
		s.start(ctx)
	}
	if err := o.wait(ctx, list...); err != nil {
		return err
	}
	for _, m := range matches {
		r, err := m.query.of(m.run)
		if err != nil && protocolCode(err) == 0 {
			return err
		}
		m.frame.nodes = append(m.frame.nodes, r.Nodes...)
		for _, n := range r.Nodes {
			if n.BackendDOMNodeID == m.node && m.top == nil {
				m.top = n
			}
		}
	}
	return nil
}

// findInTrees finds by the browser's own names, what no script can see too: in
// closed shadow roots.
func (o *operation) findInTrees(ctx context.Context, a FindArgs) ([]*match, error) {
	frames, err := o.readFrames(ctx, 0)
	if err != nil {
		return nil, err
	}
	words := strings.ToLower(a.Query)
	var matches []*match
	for _, f := range frames {
		if f.doc == nil {
			continue
		}
		byID := map[accessibility.NodeID]*accessibility.Node{}
		for _, n := range f.nodes {
			byID[n.NodeID] = n
		}
		for _, n := range f.nodes {
			role := strings.ToLower(value(n.Role))
			if name, ok := ariaNames[value(n.Role)]; ok {
				role = name
			}
			if n.Ignored || n.BackendDOMNodeID == 0 || role == "rootwebarea" || role == "inlinetextbox" || role == gapRole ||
				!strings.Contains(strings.ToLower(squeeze(value(n.Name))), words) || len(matches) == maxFound {
				continue
			}
			if role == "statictext" { // its element is what has it
				p := byID[n.ParentID]
				if p == nil || a.Role != "" || strings.Contains(strings.ToLower(squeeze(value(p.Name))), words) {
					continue
				}
				n = p
			} else if a.Role != "" && role != a.Role {
				continue
			}
			matches = append(matches, &match{frame: f, node: n.BackendDOMNodeID, top: n})
		}
	}
	return matches, nil
}

// drawFound writes a line for each element, with a ref.
func (o *operation) drawFound(ctx context.Context, matches []*match, out *Found) error {
	frames := []*frameTree{}
	count := len(matches)
	for _, m := range matches {
		if !slices.Contains(frames, m.frame) {
			frames = append(frames, m.frame)
			count += len(m.frame.nodes)
		}
		if m.frame.clicks == nil {
			m.frame.clicks = map[cdp.BackendNodeID]click{}
		}
		m.frame.clicks[m.node] = click{shown: true} // whatever it is, it has a ref
	}
	if err := o.lockWithRefs(ctx, count); err != nil {
		return err
	}
	defer o.b.mu.Unlock()
	d := newDrawing(o, frames)
	for _, m := range matches {
		if m.top == nil {
			// The accessibility tree leaves out what says nothing but its text: a
			// span or an element of the page's own, and what is hidden from it.
			it := m.plain
			if it.role == "" || m.frame.doc == nil {
				continue
			}
			it.node, it.ref = m.node, d.refs.give(d.tab, m.frame.doc, m.node, it.role, it.value)
			it.marks = []string{"ref=" + it.ref}
			out.Matches = append(out.Matches, it.match(squeeze(m.place)))
			continue
		}
		clear(d.seen)
		for _, it := range d.build(m.frame, m.top) {
			if it.node != m.node {
				continue
			}
			out.Matches = append(out.Matches, it.match(squeeze(m.place)))
			break
		}
	}
	out.Total = max(out.Total, len(out.Matches))
	return nil
}

// match is the item as one that was found, with a beginning of what is in it.
func (it *item) match(place string) Match {
	one := *it
	one.url = ""
	var text []string
	var walk func(items []*item)
	walk = func(items []*item) {
		for _, c := range items {
			for _, s := range []string{c.name, c.value} {
				if s != "" {
					text = append(text, s)
				}
			}
			if c.name == "" {
				walk(c.children)
			}
		}
	}
	walk(it.children)
	if len(one.options) > 0 {
		one.value, one.options = it.chosen(), nil
	}
	if one.children = nil; one.value == "" && one.name == "" {
		one.value = strings.Join(text, " ")
	}
	one.value, one.name = clip(one.value, 160), clip(one.name, 160)
	var w strings.Builder
	one.write(&w, 0)
	m := Match{Line: strings.TrimRight(w.String(), "\n"), Ref: one.ref, Role: one.role, Name: one.name, Value: one.value, Place: place}
	if place != "" {
		m.Line += " — " + place
	}
	var state []string
	for _, mark := range one.marks {
		if mark != "ref="+one.ref {
			state = append(state, mark)
		}
	}
	m.State = strings.Join(state, ", ")
	return m
}
