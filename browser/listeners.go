package browser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"
)

// listen adds what only listens for clicks.
func (m *marked) listen(to listeners) {
	if m.clicks == nil {
		m.clicks = make(map[cdp.BackendNodeID]click, len(to))
	}
	for node, l := range to {
		c, is := m.clicks[node]
		if !is {
			c.hint = l.hint
		}
		c.heard, c.flat = true, l.flat
		m.clicks[node] = c
	}
}

// listeners are the drawn elements of a session's documents that listen for the
// mouse's buttons.
type listeners map[cdp.BackendNodeID]listener

// listener is what is known of one.
type listener struct {
	hint string // a word, in case it shows nothing to read
	flat bool   // see [click]
}

// listening has a sequence ask which elements listen: CDP
// DOMSnapshot.captureSnapshot, whose isClickable is what the browser itself
// knows of them. It takes about a sixth of the time of the accessibility tree.
// (DOMDebugger.getEventListeners tells more of fewer, and crashed renderers.)
// It is of all documents that the session holds, frames of the same process
// included.
func listening(s *sequence, uses ...use) slot[domsnapshot.CaptureSnapshotResult] {
	return add(s, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{"visibility", "background-color"}}, uses...)
}

// unheard are what listens without being clicked itself: the page as a whole,
// labels, which click their control, and what has its ref as a control.
const unheard wordSet = "|HTML|BODY|MAIN|FORM|LABEL|INPUT|SELECT|TEXTAREA|OPTION|OPTGROUP|BUTTON|IFRAME|"

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
		type look struct {
			width, height float64
			colour        string
		}
		drawn := make(map[int64]look, len(d.Layout.NodeIndex))
		for i, node := range d.Layout.NodeIndex {
			if i >= len(d.Layout.Bounds) || i >= len(d.Layout.Styles) {
				break
			}
			box, style := d.Layout.Bounds[i], d.Layout.Styles[i]
			if len(box) != 4 || box[2] <= 0 && box[3] <= 0 || len(style) == 0 || text(style[0]) != "visible" {
				continue
			}
			l := look{width: box[2], height: box[3]}
			if len(style) > 1 {
				l.colour = coloured(colourOf(text(style[1])))
			}
			drawn[node] = l
		}
		for _, i := range d.Nodes.IsClickable.Index {
			box, is := drawn[i]
			if !is || int(i) >= len(d.Nodes.BackendNodeID) || int(i) >= len(d.Nodes.NodeName) {
				continue
			}
			name := text(int64(d.Nodes.NodeName[i]))
			if unheard.has(strings.ToUpper(name)) || strings.HasPrefix(name, "#") {
				continue
			}
			hint := ""
			if int(i) < len(d.Nodes.Attributes) {
				hint = attributeHint(d.Nodes.Attributes[i], text)
			}
			if box.colour != "" {
				hint = strings.TrimPrefix(fmt.Sprintf("%s, %s %.0f×%.0f", hint, box.colour, box.width, box.height), ", ")
			}
			found[d.Nodes.BackendNodeID[i]] = listener{hint, box.width <= 0 || box.height <= 0}
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

// oneThing are the roles of what is clicked as a whole: what listens in it
// listens for that.
const oneThing wordSet = "|button|link|option|checkbox|radio|switch|slider|menuitem|menuitemcheckbox|menuitemradio|tab|combobox|textbox|searchbox|" +
	"spinbutton|"

// maxListened is how many texts and elements a thing to click may hold, where
// only its listening says that it is one. More are an area of the page, whose
// clicks are meant for what is in it.
const maxListened = 12

// mostWithin are the roles of what may be a thing to click with others in it,
// and with how many: the row of a mail with its box and its star.
var mostWithin = map[string]int{"row": 3, "listitem": 3, "article": 3}

// mayListen reports whether a node that only listens may be a thing to click.
// A list that listens does so for its items, which are marked in its place.
func (d *drawing) mayListen(f *frameTree, n *accessibility.Node, role string) bool {
	if d.within > 0 {
		return false
	}
	flat := f.clicks[n.BackendDOMNodeID].flat
	switch role {
	case "list", "menu", "navigation":
	case "table", "grid", "rowgroup":
		return false
	default:
		return !flat
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

// says reports whether items say anything.
func says(items []*item) bool {
	for _, it := range items {
		if it.name != "" || it.value != "" && !it.told || says(it.children) {
			return true
		}
	}
	return false
}

// onlyActs reports whether all that items say is in things that are clicked
// themselves, and are no controls.
func onlyActs(items []*item) bool {
	any := false
	for _, it := range items {
		switch {
		case it.ref != "" && it.soft:
		case it.ref != "" || it.role == "" || it.name != "" || it.value != "" || !onlyActs(it.children):
			return false
		}
		any = true
	}
	return any
}

// addAlone adds to what is in an element the things to click in it that have no
// text, where the browser's tree has no place for them.
func (d *drawing) addAlone(f *frameTree, in cdp.BackendNodeID, kids []*item) []*item {
	if f.doc == nil || d.menus > 0 {
		return kids
	}
	for _, l := range d.aloneIn(f)[in] {
		if holdsNode(kids, l.node) {
			continue
		}
		it := d.clicked(f, l.node, "generic", f.told(l.node, f.clicks[l.node].hint))
		it.inline, it.told = false, true
		if l.last {
			kids = append(kids, it)
		} else {
			kids = append([]*item{it}, kids...)
		}
	}
	return kids
}

// aloneIn finds out, once for each frame, which element in the tree the things
// to click without a text that are not there themselves lie in.
func (d *drawing) aloneIn(f *frameTree) map[cdp.BackendNodeID][]lone {
	if found, is := d.alone[f]; is {
		return found
	}
	found := map[cdp.BackendNodeID][]lone{}
	for _, l := range f.alone {
		i := slices.IndexFunc(l.in, func(id cdp.BackendNodeID) bool { return d.has(f, id) })
		if i >= 0 && !d.has(f, l.node) {
			found[l.in[i]] = append(found[l.in[i]], l)
		}
	}
	if d.alone == nil {
		d.alone = map[*frameTree]map[cdp.BackendNodeID][]lone{}
	}
	d.alone[f] = found
	return found
}
