package browser

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// run is where a text of the page stands among its neighbours.
type run struct {
	in            accessibility.NodeID // texts of one element are a line
	before, after bool                 // whether it begins or ends with a space
}

// textItem is a text of the page.
func textItem(n *accessibility.Node) *item {
	raw := value(n.Name)
	it := &item{value: words(raw), run: run{in: n.ParentID}}
	if r, _ := utf8.DecodeRuneInString(raw); raw != "" {
		it.run.before = unicode.IsSpace(r)
		r, _ = utf8.DecodeLastRuneInString(raw)
		it.run.after = unicode.IsSpace(r)
	}
	return it
}

// joinText makes one text of neighbours, but for those that stand by
// themselves. Within an element they are put together as the page has them.
func joinText(items []*item) []*item {
	var out []*item
	space := false // a line ended, or a text of spaces stood, behind the last one
	for _, it := range items {
		if it.gap {
			space = true
			continue
		}
		if it.role != "" {
			if n := len(out); it.inline && n > 0 && out[n-1].inline && out[n-1].node == it.node {
				out[n-1].value += " " + it.value
				continue
			}
			out, space = append(out, it), false
			continue
		}
		if it.value == "" {
			space = space || it.run.before
			continue
		}
		n := len(out)
		if n == 0 || out[n-1].role != "" || it.apart || it.block || out[n-1].apart || out[n-1].block {
			out, space = append(out, it), false
			continue
		}
		// It may be in another reading of the same drawing.
		last := *out[n-1]
		spaced := space || last.run.after || it.run.before
		if !spaced && (last.run.in == "" || last.run.in != it.run.in) {
			spaced = !strings.ContainsRune(".,;:!?)]}", rune(it.value[0]))
		}
		if spaced {
			last.value += " "
		}
		last.value += it.value
		last.run.in, last.run.after = it.run.in, it.run.after
		out[n-1], space = &last, false
	}
	return out
}

// inLines shows the text of a field of several lines line by line: what it
// draws of it, or what it holds, unless what is in it has a shape of its own
// (headings, lists), which says the same.
func (it *item) inLines(value string, drawn []string) {
	if it.role != "textbox" && it.role != "searchbox" {
		return
	}
	if len(drawn) > 0 && it.value == "" {
		it.children = linesOf(drawn)
		return
	}
	if len(it.children) > 0 && slices.ContainsFunc(it.children, func(c *item) bool { return c.role != "" }) {
		var text strings.Builder
		allOf(it.children, &text)
		if strings.Contains(bare(text.String()), bare(it.value)) {
			it.value = ""
		}
		return
	}
	if lines := strings.Split(strings.Trim(value, "\n"), "\n"); len(lines) > 1 {
		it.value, it.children = "", linesOf(lines)
	} else if len(it.children) > 0 && it.value != "" {
		it.children = nil
	}
}

// allOf writes all that items say.
func allOf(items []*item, w *strings.Builder) {
	for _, c := range items {
		w.WriteString(c.name)
		w.WriteString(c.value)
		allOf(c.children, w)
	}
}

// linesOf are texts that stand in lines of their own, with their indentation.
func linesOf(lines []string) []*item {
	var out []*item
	for _, l := range lines {
		text := strings.TrimRightFunc(l, unicode.IsSpace)
		if text == "" {
			continue
		}
		inner := strings.TrimLeft(text, " \t")
		indent := strings.ReplaceAll(text[:len(text)-len(inner)], "\t", "  ")
		out = append(out, &item{value: indent + squeeze(inner), apart: true})
	}
	return out
}

// describe says of what has a ref and nothing to read what a person sees of it,
// or what the page's code calls it.
func (it *item) describe(f *frameTree, hint string) {
	word := squeeze(f.words[it.node])
	switch it.role {
	case "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch":
		if word != "" && !slices.ContainsFunc(it.marks, func(m string) bool { return strings.HasPrefix(m, "placeholder=") }) {
			it.marks = slices.Insert(it.marks, len(it.marks)-1, "name="+word)
		}
		return
	}
	if hint == "" {
		hint = word
	}
	if told := f.told(it.node, hint); told != "" && len(it.children) == 0 {
		if it.value == "" {
			it.value, it.told = told, true
		} else if _, ok := f.shapes[it.node]; ok { // a text in a picture
			it.value += " " + f.told(it.node, "")
		}
	}
}

// holdsNode reports whether an element is among items, or in them.
func holdsNode(items []*item, node cdp.BackendNodeID) bool {
	return slices.ContainsFunc(items, func(it *item) bool { return it.node == node || holdsNode(it.children, node) })
}

// clicked is an item for what can be clicked and is not in the tree.
func (d *drawing) clicked(f *frameTree, node cdp.BackendNodeID, role, value string) *item {
	ref := d.refs.give(d.tab, f.doc, node, role, value)
	return &item{role: role, value: value, marks: []string{"ref=" + ref}, ref: ref, node: node, inline: role == "generic", told: role != "generic", soft: true}
}

// has reports whether a frame's tree has an element.
func (d *drawing) has(f *frameTree, node cdp.BackendNodeID) bool {
	if d.nodes == nil {
		d.nodes = map[*frameTree]map[cdp.BackendNodeID]bool{}
	}
	if d.nodes[f] == nil {
		d.nodes[f] = make(map[cdp.BackendNodeID]bool, len(d.byID[f]))
		for _, n := range d.byID[f] {
			d.nodes[f][n.BackendDOMNodeID] = true
		}
	}
	return d.nodes[f][node]
}

// nameByText names the item by what it says, if that is all text.
func (it *item) nameByText() {
	if len(it.children) == 1 && it.children[0].role == "" && !it.children[0].apart {
		it.name, it.children = it.children[0].value, nil
	}
}

// worded reports whether a name has a letter or a digit: a sign alone says little.
func worded(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
