package browser

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// click is why an element that is no control can be clicked.
type click struct {
	hint  string // a word for one that shows nothing to read
	shown bool   // a person sees it; otherwise it only listens or says that it acts, perhaps for what is in it
	heard bool   // it listens itself
	flat  bool   // it has no height or no width: what is in it floats out of it
}

// plannedFn returns the nodes that the page script numbered last.
const plannedFn = "function(){const s=globalThis.sidekick;return s?s.planned():[]}"

// marksReply is what the page script's marks answers with: its nodes are
// numbers, which planned tells.
type marksReply struct {
	Clicks []nodeHint `json:"clicks"`
	Said   []nodeHint `json:"said"`
	Cased  []int      `json:"cased"`
	Texts  []struct {
		I  int `json:"i"`
		In int `json:"in"`
	} `json:"texts"`
	Hints  []nodeHint `json:"hints"`
	Words  []nodeHint `json:"words"`
	Veiled []int      `json:"veiled"`
	Alone  []struct {
		I    int   `json:"i"`
		In   []int `json:"in"`
		Last bool  `json:"last"`
	} `json:"alone"`
	Stands []struct {
		I        int    `json:"i"`
		Role     string `json:"role"`
		Checked  bool   `json:"checked"`
		Disabled bool   `json:"disabled"`
	} `json:"stands"`
	Lines []struct {
		I     int      `json:"i"`
		Lines []string `json:"lines"`
	} `json:"lines"`
	Shapes []struct {
		I     int    `json:"i"`
		In    int    `json:"in"`
		What  string `json:"what"`
		At    string `json:"at"`
		Plain bool   `json:"plain"`
	} `json:"shapes"`
}

// marked is what a reading knows of a document's nodes beside the accessibility
// tree.
type marked struct {
	clicks   map[cdp.BackendNodeID]click
	texts    map[cdp.BackendNodeID]cdp.BackendNodeID // the inline element that is clicked with a text
	cased    map[cdp.BackendNodeID]string            // texts as the page has them
	hints    map[cdp.BackendNodeID]string            // placeholders of fields
	words    map[cdp.BackendNodeID]string            // what the page's code calls controls that have no name
	veiled   map[cdp.BackendNodeID]bool              // lists and texts that nobody sees
	alone    []lone
	stands   map[cdp.BackendNodeID]stand    // labels of controls that are not drawn
	lines    map[cdp.BackendNodeID][]string // what an editor shows
	shapes   map[cdp.BackendNodeID]shape
	pictures map[cdp.BackendNodeID][]cdp.BackendNodeID // the shapes of one, in their order
}

// stand is the control that a label stands for.
type stand struct {
	role              string
	checked, disabled bool
}

// lone is a thing to click without a text, which the tree may not have.
type lone struct {
	node cdp.BackendNodeID
	in   []cdp.BackendNodeID // what it lies in, the nearest first
	last bool                // something stands before it there
}

// shape is a part of an SVG picture.
type shape struct {
	what, at string
	plain    bool // it is worth a word where nothing can be done with it, too
}

// take takes in what the page script says of nodes, whose numbers and texts are
// given.
func (m *marked) take(r marksReply, ids []cdp.BackendNodeID, texts []string) {
	if m.clicks == nil {
		m.clicks, m.cased, m.hints = map[cdp.BackendNodeID]click{}, map[cdp.BackendNodeID]string{}, map[cdp.BackendNodeID]string{}
		m.words, m.veiled, m.lines = map[cdp.BackendNodeID]string{}, map[cdp.BackendNodeID]bool{}, map[cdp.BackendNodeID][]string{}
		m.texts, m.stands = map[cdp.BackendNodeID]cdp.BackendNodeID{}, map[cdp.BackendNodeID]stand{}
		m.shapes, m.pictures = map[cdp.BackendNodeID]shape{}, map[cdp.BackendNodeID][]cdp.BackendNodeID{}
	}
	has := func(i int) bool { return i >= 0 && i < len(ids) && i < len(texts) }
	for _, c := range r.Clicks {
		if has(c.I) {
			m.clicks[ids[c.I]] = click{hint: coloured(c.Hint), shown: true}
		}
	}
	for _, c := range r.Said {
		if has(c.I) {
			m.clicks[ids[c.I]] = click{hint: coloured(c.Hint)}
		}
	}
	for _, i := range r.Cased {
		if has(i) {
			m.cased[ids[i]] = texts[i]
		}
	}
	for _, t := range r.Texts {
		if has(t.I) && has(t.In) {
			m.texts[ids[t.I]] = ids[t.In]
		}
	}
	for _, h := range r.Hints {
		if has(h.I) {
			m.hints[ids[h.I]] = h.Hint
		}
	}
	for _, h := range r.Words {
		if has(h.I) {
			m.words[ids[h.I]] = coloured(h.Hint)
		}
	}
	for _, i := range r.Veiled {
		if has(i) {
			m.veiled[ids[i]] = true
		}
	}
	for _, s := range r.Stands {
		if has(s.I) {
			m.stands[ids[s.I]] = stand{s.Role, s.Checked, s.Disabled}
		}
	}
	for _, a := range r.Alone {
		if !has(a.I) {
			continue
		}
		l := lone{node: ids[a.I], last: a.Last}
		for _, i := range a.In {
			if has(i) {
				l.in = append(l.in, ids[i])
			}
		}
		m.alone = append(m.alone, l)
	}
	for _, l := range r.Lines {
		if has(l.I) {
			m.lines[ids[l.I]] = l.Lines
		}
	}
	for _, s := range r.Shapes {
		if has(s.I) && has(s.In) {
			id, in := ids[s.I], ids[s.In]
			m.shapes[id] = shape{coloured(squeeze(s.What)), squeeze(s.At), s.Plain}
			m.pictures[in] = append(m.pictures[in], id)
		}
	}
}

// without is a copy that says nothing of some nodes: they are marked anew.
func (m marked) without(nodes []*accessibility.Node) marked {
	n := marked{
		maps.Clone(m.clicks), maps.Clone(m.texts), maps.Clone(m.cased), maps.Clone(m.hints), maps.Clone(m.words), maps.Clone(m.veiled),
		slices.Clone(m.alone), maps.Clone(m.stands), maps.Clone(m.lines), maps.Clone(m.shapes), maps.Clone(m.pictures),
	}
	gone := make(map[cdp.BackendNodeID]bool, len(nodes))
	for _, node := range nodes {
		id := node.BackendDOMNodeID
		gone[id] = true
		delete(n.clicks, id)
		delete(n.texts, id)
		delete(n.cased, id)
		delete(n.hints, id)
		delete(n.words, id)
		delete(n.veiled, id)
		delete(n.lines, id)
		delete(n.shapes, id)
		delete(n.pictures, id)
		delete(n.stands, id)
	}
	n.alone = slices.DeleteFunc(n.alone, func(l lone) bool {
		return slices.ContainsFunc(l.in, func(id cdp.BackendNodeID) bool { return gone[id] })
	})
	return n
}

// numbering are two steps of a sequence: a call of the page script that numbers
// nodes, and one for the nodes.
type numbering struct {
	call, nodes slot[runtime.CallFunctionOnResult]
}

// addNumbering adds a call of a function of the page script that numbers nodes,
// as those that mark them do, and one for the nodes.
func addNumbering(s *sequence, d *document, fn string, args []any, uses ...use) numbering {
	m := add(s, runtime.CallFunctionOn, inDocument(d, fn, args), uses...)
	return numbering{m, add(s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: plannedFn, ExecutionContextID: d.context, Silent: &yes, SerializationOptions: nodesOnly,
	}, m.use("result.value.some", ""))}
}

// into adds what was answered to what is known, and returns what the page says of
// itself. Marks that went missing are no
// error: the accessibility tree is what counts.
func (m numbering) into(s *sequence, into *marked) pageInfo {
	var r struct {
		Marks marksReply `json:"marks"`
		Page  pageInfo   `json:"page"`
	}
	res, err := m.call.of(s)
	if err == nil {
		err = returned(res, &r)
	}
	ids, texts, nerr := backendNodes(m.nodes.of(s))
	if err == nil && nerr == nil {
		into.take(r.Marks, ids, texts)
	}
	return r.Page
}

// told is what is said of an element that shows nothing to read.
func (m *marked) told(id cdp.BackendNodeID, hint string) string {
	parts := []string{squeeze(hint)}
	if s, ok := m.shapes[id]; ok {
		parts = append(parts, s.what+" at "+s.at)
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// maxShapes is how many shapes of one picture are told.
const maxShapes = 60

// clickedIn returns the shapes of a picture that can be clicked and that the
// accessibility tree does not have: nothing listens on them.
func (m *marked) clickedIn(picture cdp.BackendNodeID, kids []*item) []cdp.BackendNodeID {
	var list []cdp.BackendNodeID
	for _, id := range m.pictures[picture] {
		if _, is := m.clicks[id]; is && !holdsNode(kids, id) {
			list = append(list, id)
		}
	}
	return list
}

// drawing says what a picture is drawn of, like shapes together; what has a ref
// says so itself. It is empty for other elements.
func (m *marked) drawing(picture cdp.BackendNodeID, hasRef func(cdp.BackendNodeID) bool) string {
	var kinds []string
	places := map[string][]string{}
	left := 0
	for n, id := range m.pictures[picture] {
		s, ok := m.shapes[id]
		if !ok || !s.plain || hasRef(id) {
			continue
		}
		if n >= maxShapes {
			left++
			continue
		}
		if places[s.what] == nil {
			kinds = append(kinds, s.what)
		}
		places[s.what] = append(places[s.what], s.at)
	}
	if len(kinds) == 0 {
		return ""
	}
	var list []string
	for _, k := range kinds {
		count := ""
		if n := len(places[k]); n > 1 {
			count = fmt.Sprintf("%d × ", n)
		}
		list = append(list, count+k+" at "+strings.Join(places[k], " "))
	}
	if left > 0 {
		list = append(list, fmt.Sprintf("%d more", left))
	}
	return "(drawn, from its top left: " + strings.Join(list, "; ") + ")"
}

// all are the marks that a sequence brought of a whole document, and what the
// page says of itself.
func (m numbering) all(s *sequence) (marked, pageInfo) {
	var all marked
	page := m.into(s, &all)
	return all, page
}
