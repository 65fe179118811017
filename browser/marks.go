package browser

import (
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/runtime"
)

// frameMarks is what a reading knows of a document's nodes beside its
// accessibility tree.
type frameMarks struct {
	clicks map[cdp.BackendNodeID]click
	cased  map[cdp.BackendNodeID]string // texts as the page has them
	hints  map[cdp.BackendNodeID]string // placeholders of fields
}

// click is why an element that is no control can be clicked.
type click struct {
	hint  string // a word for one that shows nothing to read
	shown bool   // a person sees it; otherwise it only listens, perhaps for what is in it
	heard bool   // it listens itself
}

// pageMarks are the marks that the page script made; it names nodes by their
// places in the list that `planned` returns.
type pageMarks struct {
	Clicks []nodeHint `json:"clicks"`
	Cased  []int      `json:"cased"`
	Hints  []nodeHint `json:"hints"`
}

// nodeHint is a word about a node.
type nodeHint struct {
	I    int    `json:"i"`
	Hint string `json:"hint"`
}

// plannedFn returns the nodes that the page script numbered last.
const plannedFn = "function(){const s=globalThis.sidekick;return s?s.planned():[]}"

// take fills the marks in, with the nodes that they are about.
func (m *frameMarks) take(p pageMarks, ids []cdp.BackendNodeID, texts []string) {
	at := func(i int) cdp.BackendNodeID {
		if i < 0 || i >= len(ids) {
			return 0
		}
		return ids[i]
	}
	m.clicks = make(map[cdp.BackendNodeID]click, len(p.Clicks))
	for _, c := range p.Clicks {
		m.clicks[at(c.I)] = click{hint: c.Hint, shown: true}
	}
	m.hints = make(map[cdp.BackendNodeID]string, len(p.Hints))
	for _, h := range p.Hints {
		m.hints[at(h.I)] = h.Hint
	}
	m.cased = make(map[cdp.BackendNodeID]string, len(p.Cased))
	for _, i := range p.Cased {
		if i >= 0 && i < len(ids) {
			m.cased[ids[i]] = texts[i]
		}
	}
}

// listen adds what only listens for clicks.
func (m *frameMarks) listen(to listeners) {
	if m.clicks == nil {
		m.clicks = make(map[cdp.BackendNodeID]click, len(to))
	}
	for node, hint := range to {
		c, is := m.clicks[node]
		if !is {
			c.hint = hint
		}
		c.heard = true
		m.clicks[node] = c
	}
}

// listeners are the drawn elements of a session's documents that listen for the
// mouse's buttons, with a word for each, in case it shows nothing to read.
type listeners map[cdp.BackendNodeID]string

// listening has a sequence ask which elements listen: CDP
// DOMSnapshot.captureSnapshot, whose isClickable is what the browser itself
// knows of them. It takes about a sixth of the time of the accessibility tree.
// (DOMDebugger.getEventListeners tells more of fewer, and crashed renderers.)
// It is of all documents that the session holds, frames of the same process
// included.
func listening(s *sequence, uses ...use) slot[domsnapshot.CaptureSnapshotResult] {
	return add(s, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{"visibility"}}, uses...)
}

// unheard are what listens without being clicked itself: the page as a whole,
// labels, which click their control, and what has its ref as a control.
var unheard = map[string]bool{
	"HTML": true, "BODY": true, "MAIN": true, "FORM": true, "LABEL": true,
	"INPUT": true, "SELECT": true, "TEXTAREA": true, "OPTION": true, "OPTGROUP": true, "BUTTON": true, "IFRAME": true,
}

// heard returns the listeners of a snapshot; none where there is no snapshot.
func heard(r domsnapshot.CaptureSnapshotResult, err error) listeners {
	if err != nil {
		return nil // it is a help, and not what was asked for
	}
	text := func(i int64) string {
		if i < 0 || int(i) >= len(r.Strings) {
			return ""
		}
		return r.Strings[i]
	}
	found := listeners{}
	for _, d := range r.Documents {
		if d.Nodes == nil || d.Nodes.IsClickable == nil || d.Layout == nil {
			continue
		}
		drawn := make(map[int64]bool, len(d.Layout.NodeIndex))
		for i, node := range d.Layout.NodeIndex {
			if i >= len(d.Layout.Bounds) || i >= len(d.Layout.Styles) {
				break
			}
			box, style := d.Layout.Bounds[i], d.Layout.Styles[i]
			if len(box) == 4 && box[2] > 0 && box[3] > 0 && len(style) > 0 && text(style[0]) == "visible" {
				drawn[node] = true
			}
		}
		for _, i := range d.Nodes.IsClickable.Index {
			if !drawn[i] || int(i) >= len(d.Nodes.BackendNodeID) || int(i) >= len(d.Nodes.NodeName) {
				continue
			}
			name := text(int64(d.Nodes.NodeName[i]))
			if unheard[strings.ToUpper(name)] || strings.HasPrefix(name, "#") {
				continue
			}
			hint := ""
			if int(i) < len(d.Nodes.Attributes) {
				hint = attributeHint(d.Nodes.Attributes[i], text)
			}
			found[d.Nodes.BackendNodeID[i]] = hint
		}
	}
	return found
}

// attributeHint is a word for an element that shows nothing, from its
// attributes (pairs of a name and a value).
func attributeHint(attributes domsnapshot.ArrayOfStrings, text func(int64) string) string {
	of := map[string]string{}
	for i := 0; i+1 < len(attributes); i += 2 {
		of[text(attributes[i])] = text(attributes[i+1])
	}
	for _, name := range []string{"title", "data-tooltip", "data-title", "data-icon", "class", "id"} {
		if words := strings.Fields(of[name]); len(words) > 0 {
			return clip(strings.Join(words[:min(len(words), 3)], " "), 40)
		}
	}
	return ""
}

// markRun is a sequence's steps that mark a document which is not planned anew.
type markRun struct {
	marks, nodes slot[runtime.CallFunctionOnResult]
	heard        slot[domsnapshot.CaptureSnapshotResult]
}

// markDocument has a sequence mark a document.
func markDocument(s *sequence, d *document, uses ...use) markRun {
	call := inDocument(d, "marked", nil)
	m := markRun{marks: add(s, runtime.CallFunctionOn, call, uses...)}
	m.nodes = add(s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: plannedFn, Silent: &yes, SerializationOptions: nodesOnly, ExecutionContextID: d.context,
	}, m.marks.use("result.value.some", ""))
	m.heard = listening(s, uses...)
	return m
}

// of returns the marks, and what the page says of itself. Without those of the page there are none: an outline
// with other marks than the one before it would be full of news.
func (m markRun) of(s *sequence) (frameMarks, pageInfo, error) {
	var out frameMarks
	var r struct {
		Marks pageMarks `json:"marks"`
		Page  pageInfo  `json:"page"`
	}
	res, err := m.marks.of(s)
	if err == nil {
		err = returned(res, &r)
	}
	if err != nil {
		return out, r.Page, err
	}
	ids, texts, err := backendNodes(m.nodes.of(s))
	if err != nil {
		return out, r.Page, err
	}
	out.take(r.Marks, ids, texts)
	out.listen(heard(m.heard.of(s)))
	return out, r.Page, nil
}

// oneThing are the roles of what is clicked as a whole: what listens in it
// listens for that.
var oneThing = map[string]bool{
	"button": true, "link": true, "option": true, "checkbox": true, "radio": true, "switch": true, "slider": true,
	"menuitem": true, "menuitemcheckbox": true, "menuitemradio": true, "tab": true, "combobox": true, "textbox": true,
	"searchbox": true, "spinbutton": true,
}

// maxListened is how many texts and elements a thing to click may hold, where
// only its listening says that it is one. More are an area of the page, whose
// clicks are meant for what is in it.
const maxListened = 12

// mayListen reports whether a node that only listens may be a thing to click.
// A list that listens does so for its items, which are marked in its place.
func (d *drawing) mayListen(f *frameTree, n *accessibility.Node, role string) bool {
	if d.within > 0 {
		return false
	}
	switch role {
	case "list", "menu", "navigation":
	case "table", "grid", "rowgroup":
		return false
	default:
		return true
	}
	for _, id := range n.ChildIDs {
		c := d.byID[f][id]
		if c == nil || value(c.Role) != "listitem" {
			continue
		}
		if _, is := f.clicks[c.BackendDOMNodeID]; !is {
			f.clicks[c.BackendDOMNodeID] = click{}
		}
	}
	return false
}

// leaves counts the texts and the elements without others in them.
func leaves(items []*item) int {
	n := 0
	for _, it := range items {
		if len(it.children) == 0 {
			n++
		} else {
			n += leaves(it.children)
		}
	}
	return n
}
