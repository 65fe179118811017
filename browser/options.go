package browser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
)

// Bounds of what a line tells of a select field: one that offers more, or more
// text, has its first options told and the chosen ones. Its reading by ref has
// all of them.
const (
	maxOptions     = 40
	maxOptionChars = 400
	firstOptions   = 10
	firstChars     = 150
	maxOptionName  = 80 // of one option where not all are told
)

// isSelect reports whether a combobox is a select field of HTML's that shows
// its list only when it is opened. Of one that is read in part the options are
// told without the list that holds them.
func (d *drawing) isSelect(f *frameTree, n *accessibility.Node) bool {
	if value(n.Role) != "combobox" && value(n.Role) != "PopUpButton" {
		return false
	}
	return slices.ContainsFunc(n.ChildIDs, func(id accessibility.NodeID) bool {
		c := d.byID[f][id]
		return c != nil && (value(c.Role) == "MenuListPopup" || value(c.Role) == gapRole && c.BackendDOMNodeID == n.BackendDOMNodeID)
	})
}

// offer makes a select field one line: its options go there from its children.
// A list that holds other things keeps its lines.
func (it *item) offer() {
	shown := it.value
	var list []*item
	for _, c := range it.children {
		switch {
		case c.role == "separator":
		case c.role == "group" && len(c.children) > 0 && !slices.ContainsFunc(c.children, func(o *item) bool { return !o.offered() }):
			list = append(list, c)
		case c.offered():
			list = append(list, c)
		default:
			return
		}
	}
	it.options, it.children, it.value = list, nil, ""
	// The browser does not say what is chosen in a field that is disabled, but
	// what the field shows.
	if shown != "" && it.chosen() == "" {
		it.choose(shown)
	}
}

// choose marks the first option of a label as chosen.
func (it *item) choose(label string) bool {
	return slices.ContainsFunc(slices.Concat(it.options, it.children), func(o *item) bool {
		if o.role == "option" && o.saying() == label {
			o.marks = append(o.marks, "selected")
			return true
		}
		return o.choose(label)
	})
}

// offered reports whether the item is an option, or the count of those left out.
func (it *item) offered() bool {
	return it.left > 0 || it.role == "option" && len(it.children) == 0
}

// chosen are the labels of the options that are selected.
func (it *item) chosen() string {
	var list []string
	var walk func(items []*item)
	walk = func(items []*item) {
		for _, o := range items {
			if slices.Contains(o.marks, "selected") {
				list = append(list, o.saying())
			}
			walk(o.children)
		}
	}
	walk(it.options)
	return strings.Join(list, ", ")
}

// optionsLine tells the options of a select field, each in quotes with its
// marks: "Chile" [selected], "Kenya"; group "Far": "Norway".
func (it *item) optionsLine() string {
	count, chars := 0, 0
	var measure func(items []*item)
	measure = func(items []*item) {
		for _, o := range items {
			if o.role == "option" {
				count++
			}
			count += o.left
			chars += len(o.saying()) + 4
			measure(o.children)
		}
	}
	measure(it.options)
	l := optionsLine{all: count <= maxOptions && chars <= maxOptionChars, off: slices.Contains(it.marks, "disabled")}
	l.add(it.options)
	l.gap(true, it.ref)
	return l.String()
}

// optionsLine is a line of options as it grows.
type optionsLine struct {
	strings.Builder
	all    bool // all of them are told
	off    bool // the field is disabled, and so is each of them
	told   int
	left   int // that were not told since the last one
	inside *item
	named  *item // the group whose name was written last
}

func (l *optionsLine) add(items []*item) {
	for _, o := range items {
		if o.role == "group" {
			l.inside = o
			l.add(o.children)
			l.inside = nil
			continue
		}
		l.left += o.left
		if o.left > 0 {
			continue
		}
		if !l.all && (l.told >= firstOptions || l.Len() > firstChars) && !slices.Contains(o.marks, "selected") {
			l.left++
			continue
		}
		l.gap(false, "")
		l.option(o)
	}
}

func (l *optionsLine) option(o *item) {
	name := o.saying()
	if !l.all {
		name = clip(name, maxOptionName)
	}
	switch {
	case l.named != l.inside && l.inside != nil:
		if l.Len() > 0 {
			l.WriteString("; ")
		}
		l.WriteString("group " + quote(l.inside.name))
		for _, m := range l.inside.marks {
			l.WriteString(" [" + m + "]")
		}
		l.WriteString(": ")
	case l.named != l.inside:
		l.WriteString("; ")
	case l.Len() > 0:
		l.WriteString(", ")
	}
	l.named = l.inside
	l.told++
	l.WriteString(quote(name))
	for _, m := range o.marks {
		if m != "focused" && (m != "disabled" || !l.off) {
			l.WriteString(" [" + m + "]")
		}
	}
}

// gap tells how many options were left out since the last that was told, and at
// the end how to see them.
func (l *optionsLine) gap(end bool, ref string) {
	if l.left == 0 {
		return
	}
	if l.Len() > 0 {
		l.WriteString(", ")
	}
	fmt.Fprintf(l, "… %s more", thousands(l.left))
	l.left = 0
	if end {
		l.WriteString(" options: find")
		if ref != "" {
			l.WriteString(", or read_page with ref=" + ref)
		}
	}
}
