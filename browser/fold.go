package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
)

// pageRoots are not clicked themselves, whatever listens on them.
const pageRoots wordSet = "|RootWebArea|WebArea|main|form|"

// pickers are fields of several parts that are filled as one.
const pickers wordSet = "|Date|DateTime|InputTime|"

// fieldTypes are what fields take that are textboxes to ARIA.
var fieldTypes = map[string]string{"Date": "date", "DateTime": "date/time", "InputTime": "time", "ColorWell": "color"}

// gap returns the line that stands for what was left out of an element. How to
// go on is told once for each element.
func (d *drawing) gap(f *frameTree, n *accessibility.Node) *item {
	text := "… " + squeeze(value(n.Name))
	count, _, _ := strings.Cut(value(n.Name), " ")
	left, _ := strconv.Atoi(strings.ReplaceAll(count, ",", ""))
	k := nodeKey{f.doc, n.BackendDOMNodeID}
	if f.doc != nil && !d.gaps[k] {
		d.gaps[k] = true
		ref := ""
		if e := d.refs.byNode[k]; e != nil {
			ref = e.ref
		} else {
			ref = d.refs.give(d.tab, f.doc, n.BackendDOMNodeID, "list", "")
		}
		text += fmt.Sprintf(": find, scroll, or read_page with ref=%s", ref)
	}
	return &item{value: text, apart: true, left: left}
}

// refsIn counts what can be acted on in items.
func refsIn(items []*item) int {
	n := 0
	for _, it := range items {
		if it.ref != "" {
			n++
		}
		n += refsIn(it.children)
	}
	return n
}

// modal marks what lies behind a modal dialog. Behind one that the browser
// itself holds modal nothing can be read or acted on: that is said in a line.
func modal(items []*item, nodes []*accessibility.Node) []*item {
	for _, n := range nodes {
		for _, why := range n.IgnoredReasons {
			if why.Name == accessibility.PropertyNameActiveModalDialog {
				return append(items, &item{apart: true, value: "… the rest of the page lies behind the modal dialog and is inert until that is closed"})
			}
		}
	}
	if slices.ContainsFunc(items, (*item).hasModal) {
		inert(items)
	}
	return items
}

func (it *item) hasModal() bool {
	return slices.Contains(it.marks, "modal") || slices.ContainsFunc(it.children, (*item).hasModal)
}

// inert marks items that are no modal dialog and hold none.
func inert(items []*item) {
	for _, it := range items {
		switch {
		case it.role == "" || slices.Contains(it.marks, "modal"):
		case it.hasModal():
			inert(it.children)
		default:
			it.marks = append([]string{"inert"}, it.marks...)
		}
	}
}

// labelled are the roles that a text beside them may name.
const labelled wordSet = "|textbox|searchbox|combobox|listbox|checkbox|radio|switch|slider|spinbutton|img|"

// titled are the roles whose first part may be what names them.
const titled wordSet = "|group|radiogroup|table|grid|figure|"

// unlabelled drops texts that only say the name of the control beside them.
func unlabelled(items []*item) []*item {
	names := func(text, control *item) bool {
		return labelled.has(control.role) && control.name != "" && label(text.value) == label(control.name)
	}
	var out []*item
	for i, it := range items {
		if it.role == "" && !it.apart && (i+1 < len(items) && names(it, items[i+1]) || i > 0 && names(it, items[i-1])) {
			continue
		}
		out = append(out, it)
	}
	return out
}

// label is the text of a label without the marks that are put behind it.
func label(s string) string { return strings.TrimRight(s, ":* \u00a0") }

// wraps reports whether the item is no more than the box around one control, as
// the element is that a component is made of. A slider's box is its rail.
func (it *item) wraps() bool {
	if !it.soft || it.role != "generic" || it.name != "" || it.value != "" || len(it.children) != 1 {
		return false
	}
	c := it.children[0]
	return c.ref != "" && !c.soft && actRoles.has(c.role) && c.role != "slider"
}

// echoed drops what is in a control, and can be clicked there, where it only
// says the control's name: to click it is to click the control.
func (it *item) echoed() {
	if it.ref == "" || it.soft || it.name == "" || !actRoles.has(it.role) || len(it.children) == 0 {
		return
	}
	var only func(items []*item) bool
	only = func(items []*item) bool {
		return !slices.ContainsFunc(items, func(c *item) bool { return c.role != "" && (!c.soft || c.told) || !only(c.children) })
	}
	if !only(it.children) {
		return
	}
	var text strings.Builder
	allOf(it.children, &text)
	if bare(text.String()) == bare(it.name) {
		it.children = nil
	}
}

// fold drops what the item's own name already says, or the name where what is
// in the item says it.
func (it *item) fold() {
	if len(it.children) == 1 && it.children[0].role == "" && !it.children[0].apart {
		text := it.children[0].value
		switch {
		case text == it.name || text == it.value || strings.EqualFold(text, it.name):
			it.children = nil
		case it.value == "":
			it.value, it.children = text, nil
		}
		return
	}
	if it.name == "" || len(it.children) == 0 {
		return
	}
	// A legend or caption that begins it is its name.
	if c := it.children[0]; len(it.children) > 1 && titled.has(it.role) && !c.apart && c.ref == "" && len(c.children) == 0 &&
		(c.role == "" || c.role == "caption") && label(c.value+c.name) == label(it.name) {
		it.children = it.children[1:]
	}
	if c := it.children[0]; headed.has(it.role) && it.ref == "" && c.role == "heading" && c.name == it.name {
		it.title, it.name = it.name, ""
		return
	}
	full := it.name
	it.name = it.once()
	same, plain := it.said(full, it.name)
	switch {
	case !same:
	case plain: // such as a link whose pieces are all text
		it.children = nil
	case it.ref == "" || it.role == "generic" || it.soft && cells.has(it.role): // such as a cell that holds a link
		it.name = ""
	}
}

// cells are the roles of what a row consists of.
const cells wordSet = "|cell|gridcell|columnheader|rowheader|"

// inRow drops the empty cells at a row's end. Those before others say which
// column these are of.
func inRow(items []*item) []*item {
	for n := len(items); n > 0 && items[n-1].empty() && cells.has(items[n-1].role); n-- {
		items = items[:n-1]
	}
	return items
}

// empty reports whether the item says no more than its role.
func (it *item) empty() bool {
	return it.ref == "" && it.name == "" && it.value == "" && len(it.marks) == 0 && len(it.children) == 0
}

// tellsItself reports whether a list's item or a cell is no more than the box
// around one thing that stands there by itself: a list of links.
func (it *item) tellsItself() bool {
	if it.role != "listitem" && it.role != "cell" && it.role != "gridcell" {
		return false
	}
	return it.ref == "" && it.name == "" && it.value == "" && len(it.marks) == 0 && len(it.children) == 1 &&
		(it.children[0].ref != "" || parts.has(it.children[0].role))
}

// parts are the roles of what stands by itself in a list.
const parts wordSet = "|article|group|region|"

// headed are the roles of parts of a page that a heading in them may name.
const headed wordSet = "|region|article|complementary|navigation|form|search|"

// said reports whether what is in the item says one of the names that it may
// have, and whether that is all it says.
func (it *item) said(names ...string) (same, plain bool) {
	var text strings.Builder
	plain = true
	var walk func(items []*item)
	walk = func(items []*item) {
		for _, c := range items {
			if c.ref != "" || c.url != "" || c.apart || c.role != "" && c.value != "" && c.name != "" {
				plain = false
			}
			text.WriteString(c.name)
			if (c.name == "" || c.role == "") && !c.told {
				text.WriteString(c.value)
			}
			if c.name == "" {
				walk(c.children)
			} else if len(c.children) > 0 {
				plain = false
			}
		}
	}
	walk(it.children)
	all := bare(text.String())
	return slices.ContainsFunc(names, func(name string) bool { return bare(name) == all }), plain
}

// once is the item's name, or half of it where a picture in it says what stands
// beside it.
func (it *item) once() string {
	half := (len(it.name) - 1) / 2
	if it.name[half:half+1] != " " || it.name[:half] != it.name[half+1:] {
		return it.name
	}
	var pictured func(items []*item) bool
	pictured = func(items []*item) bool {
		return slices.ContainsFunc(items, func(c *item) bool { return c.role == "img" && c.name == it.name[:half] || pictured(c.children) })
	}
	if pictured(it.children) {
		return it.name[:half]
	}
	return it.name
}

// bare is a text without its spaces.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// recase gives texts that CSS shows in another case the page's own, and the
// names that are made of them.
func (f *frameTree) recase() {
	if len(f.cased) == 0 {
		return
	}
	own := map[string]string{}
	for _, n := range f.nodes {
		if text, is := f.cased[n.BackendDOMNodeID]; is && value(n.Role) == "StaticText" {
			shown, text := squeeze(value(n.Name)), squeeze(text)
			if shown != text && strings.EqualFold(shown, text) {
				own[shown] = text
				n.Name = &accessibility.Value{Type: n.Name.Type, Value: encoded(text)}
			}
		}
	}
	if len(own) == 0 {
		return
	}
	for _, n := range f.nodes {
		if text, is := own[squeeze(value(n.Name))]; is && value(n.Role) != "StaticText" {
			n.Name = &accessibility.Value{Type: n.Name.Type, Value: encoded(text)}
		}
	}
}
