package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// outline returns the page, or the element of the operation's ref, in the form
// of an ARIA snapshot: what each thing is and is called, with a ref on what can
// be acted on. Names and roles are the browser's own (Accessibility domain).
//
// An element of many like parts is read a piece at a time: more is where the
// next one begins, or 0.
func (o *operation) outline(ctx context.Context, from int) (text string, more int, err error) {
	items, root, start, err := o.items(ctx, from)
	if err != nil || start == nil {
		return "", 0, err
	}
	var w strings.Builder
	for _, it := range items {
		if from > 0 && it.node == start.BackendDOMNodeID { // the head was in the first piece
			for _, c := range it.children {
				c.write(&w, 1)
			}
			continue
		}
		it.write(&w, 0)
	}
	return strings.TrimRight(w.String(), "\n"), root.next, nil
}

// items reads the page, or the operation's element, and returns what an outline
// of it has, with the frame and the node that it begins at.
func (o *operation) items(ctx context.Context, from int) (items []*item, root *frameTree, start *accessibility.Node, err error) {
	frames, err := o.readFrames(ctx, from)
	if err != nil {
		return nil, nil, nil, err
	}
	count := 0
	for _, f := range frames {
		count += len(f.nodes)
	}
	if err := o.lockWithRefs(ctx, count); err != nil {
		return nil, nil, nil, err
	}
	defer o.b.mu.Unlock()
	o.remember(frames)
	d := newDrawing(o, frames)
	for _, f := range frames[1:] {
		for _, p := range frames {
			// Each process counts its nodes by itself.
			if f.owner != 0 && p.doc != nil && p != f && p.session == f.in && p.has(f.owner) {
				d.inside[nodeKey{p.doc, f.owner}] = f
				if f.doc != nil {
					f.doc.parent, f.doc.owner = p.doc, f.owner
				}
			}
		}
	}
	root = frames[0]
	if len(root.nodes) == 0 {
		return nil, root, nil, nil
	}
	if o.ref == nil {
		start = root.nodes[0]
		o.t.title = value(start.Name)
		items = modal(d.build(root, start), root.nodes)
		d.notePlaces(items)
		return items, root, start, nil
	}
	for _, f := range frames {
		for _, n := range f.nodes {
			if f.doc == o.ref.doc && n.BackendDOMNodeID == o.ref.node && (start == nil || start.Ignored) {
				root, start = f, n
			}
		}
	}
	if start == nil {
		return nil, nil, nil, staleRef(o.ref.ref, "its element is no longer in the page, or not visible")
	}
	d.start = start
	return d.build(root, start), root, start, nil
}

func (f *frameTree) has(node cdp.BackendNodeID) bool {
	for _, n := range f.nodes {
		if n.BackendDOMNodeID == node {
			return true
		}
	}
	return false
}

// drawing turns accessibility trees into an outline.
type drawing struct {
	refs   *refTable
	tab    string
	inside map[nodeKey]*frameTree // the frame that lies in an iframe element
	byID   map[*frameTree]map[accessibility.NodeID]*accessibility.Node
	seen   map[*accessibility.Node]bool
	added  map[nodeKey]bool    // the elements of frames that an action added
	gaps   map[nodeKey]bool    // what was told of going on with what is left out
	start  *accessibility.Node // what is read by its ref, and so told in full
	depth  int
	within int // how many things to click the node lies in, each clicked as a whole
	around int // how many that only show a cursor
	// things to click without a text, by what has a place for them
	alone map[*frameTree]map[cdp.BackendNodeID][]lone
	menus int                                       // how many select fields' closed menus
	nodes map[*frameTree]map[cdp.BackendNodeID]bool // those of its tree
}

// lockWithRefs locks Browser.mu with numbers for so many refs set aside.
func (o *operation) lockWithRefs(ctx context.Context, count int) error {
	for {
		if err := o.reserveRefs(ctx, count); err != nil {
			return err
		}
		o.b.mu.Lock()
		if o.b.refs.limit-o.b.refs.next >= count {
			return nil
		}
		o.b.mu.Unlock() // another tab's reading took them
	}
}

// newDrawing is a drawing of frames. Browser.mu is held.
func newDrawing(o *operation, frames []*frameTree) *drawing {
	d := &drawing{
		refs: &o.b.refs, tab: o.t.id, inside: map[nodeKey]*frameTree{},
		byID: map[*frameTree]map[accessibility.NodeID]*accessibility.Node{},
		seen: map[*accessibility.Node]bool{}, gaps: map[nodeKey]bool{},
	}
	for _, f := range frames {
		f.recase()
		byID := make(map[accessibility.NodeID]*accessibility.Node, len(f.nodes))
		for _, n := range f.nodes {
			byID[n.NodeID] = n
		}
		d.byID[f] = byID
	}
	return d
}

// maxDepth bounds how deep an outline nests; pages that nest deeper are flat
// from there on.
const maxDepth = 400

// plainRoles are wrappers that say nothing to a reader.
const plainRoles wordSet = "||none|generic|presentation|RootWebArea|WebArea|InlineTextBox|LineBreak|Ruby|RubyAnnotation|Section|Pre|Abbr|" +
	"LayoutTable|LayoutTableRow|LayoutTableCell|Unknown|MenuListPopup|LabelText|Legend|EmbeddedObject|PluginObject|rowgroup|" +
	"DescriptionList|DescriptionListTerm|DescriptionListDetail|Figcaption|FigureCaption|Details|SvgRoot|sectionheader|" +
	"sectionfooter|emphasis|strong|mark|"

// actRoles are what a user acts on, whether it takes the focus or not.
const actRoles wordSet = "|button|link|textbox|searchbox|combobox|listbox|option|checkbox|radio|switch|slider|spinbutton|menuitem|" +
	"menuitemcheckbox|menuitemradio|tab|treeitem|scrollbar|ColorWell|Date|DateTime|InputTime|DisclosureTriangle|Canvas|"

// bullets are the texts of a list's markers where the item has another role.
const bullets wordSet = "|• |◦ |▪ |"

// ariaNames are the names that ARIA has for Chrome's own role names.
var ariaNames = map[string]string{
	"image": "img", "Iframe": "iframe", "IframePresentational": "iframe", "Canvas": "canvas", "ListMarker": "text",
	"ColorWell": "textbox", "Date": "textbox", "DateTime": "textbox", "InputTime": "textbox",
	"DisclosureTriangle": "button", "PopUpButton": "combobox", "Video": "video", "Audio": "audio", "Figure": "figure",
	"Footer": "contentinfo", "Header": "banner", "MathMLMath": "math",
}

// saysByItself are the roles of what is told with nothing in it.
const saysByItself wordSet = "|iframe|cell|gridcell|columnheader|rowheader|"

// build returns the items for a node: one for itself, or those of its children
// if it says nothing.
func (d *drawing) build(f *frameTree, n *accessibility.Node) []*item {
	d.depth++
	defer func() { d.depth-- }()
	if d.seen[n] { // in two places of the tree, as by aria-owns
		return nil
	}
	d.seen[n] = true
	role := value(n.Role)
	if f.veiled[n.BackendDOMNodeID] {
		return nil
	}
	switch role {
	case gapRole:
		return []*item{d.gap(f, n)}
	case "StaticText":
		if n.Ignored || bullets.has(value(n.Name)) {
			return nil
		}
		if el := f.texts[n.BackendDOMNodeID]; el != 0 && f.doc != nil && !d.has(f, el) {
			return []*item{d.clicked(f, el, "generic", words(value(n.Name)))}
		}
		return []*item{textItem(n)}
	case "LineBreak":
		return []*item{{gap: true}}
	case "ListMarker":
		if text := squeeze(value(n.Name)); !n.Ignored && strings.ContainsAny(text, "0123456789") {
			return []*item{{value: text}}
		}
		return nil // a bullet
	}
	p := properties(n)
	focusable := p["focusable"] == "true" && role != "RootWebArea"
	editable := p["editable"] != "" && p["focusable"] == "true"
	if name, ok := ariaNames[role]; ok && !n.Ignored {
		role = name
	}
	if strings.HasPrefix(role, "MathML") || role == "form" && squeeze(value(n.Name)) == "" {
		role = "generic" // the signs of a formula; and HTML's mapping knows no form without a name
	}
	if plainRoles.has(role) && focusable {
		role = "generic"
		if editable {
			role = "textbox"
		}
	}
	clicked, clicks := f.clicks[n.BackendDOMNodeID]
	clicks = clicks && !pageRoots.has(value(n.Role)) && n.BackendDOMNodeID != 0 && (clicked.shown || d.mayListen(f, n, role))
	if clicks && (n.Ignored || plainRoles.has(role)) {
		role = "generic"
	}
	stands, isStand := f.stands[n.BackendDOMNodeID]
	if isStand = isStand && clicks; isStand {
		role = stands.role
		p["checked"], p["disabled"] = fmt.Sprint(stands.checked), fmt.Sprint(stands.disabled)
	}
	// One that holds neither texts nor what can be clicked is an image.
	picture := (value(n.Role) == "SvgRoot" || value(n.Role) == "image") && value(n.Name) == "" && f.pictures[n.BackendDOMNodeID] != nil
	silent := (n.Ignored || plainRoles.has(role) && !focusable && !editable) && !clicks || d.depth > maxDepth
	controls := actRoles.has(value(n.Role)) || actRoles.has(role) || focusable || editable
	// What a closed select offers is chosen at the field, not clicked.
	// A picture that has no word is there to be looked at, by itself.
	wordless := role == "img" && !picture && value(n.Name) == "" && f.words[n.BackendDOMNodeID] != "" && d.within == 0
	acts := !silent && (clicks || controls || wordless) && n.BackendDOMNodeID != 0 && f.doc != nil && d.menus == 0
	list := d.isSelect(f, n)
	menu := list || value(n.Role) == "MenuListPopup"
	ref := ""
	if acts { // before those of its children, so that they count up down the page
		ref = d.refs.give(d.tab, f.doc, n.BackendDOMNodeID, strings.ToLower(role), words(value(n.Name)))
	}
	var kids []*item
	// In other things that are clicked, what listens too does something else: the
	// heart of a card, the star of a row.
	one := acts && oneThing.has(role)
	if one {
		d.within++
	}
	// Its cursor may be there for what is in it.
	around := clicks && clicked.shown && !clicked.heard && !controls
	if around {
		d.around++
	}
	if menu {
		d.menus++
	}
	for _, id := range n.ChildIDs {
		if pickers.has(value(n.Role)) {
			break // the fields of its parts, which are not filled one by one
		}
		if c := d.byID[f][id]; c != nil {
			kids = append(kids, d.build(f, c)...)
		}
	}
	if one {
		d.within--
	}
	if around {
		d.around--
	}
	if menu {
		d.menus--
	}
	if inner := d.inside[nodeKey{f.doc, n.BackendDOMNodeID}]; inner != nil && len(inner.nodes) > 0 && d.depth < maxDepth {
		delete(d.inside, nodeKey{f.doc, n.BackendDOMNodeID})
		kids = append(kids, d.build(inner, inner.nodes[0])...)
		silent = false
	}
	kids = d.addAlone(f, n.BackendDOMNodeID, kids)
	kids = unlabelled(joinText(kids))
	drawn := ""
	if picture && f.doc != nil && d.depth < maxDepth {
		for _, id := range f.clickedIn(n.BackendDOMNodeID, kids) {
			kids = append(kids, d.clicked(f, id, "graphics-symbol", f.told(id, f.clicks[id].hint)))
			role, silent = "img", false
		}
		if drawn = f.drawing(n.BackendDOMNodeID, func(id cdp.BackendNodeID) bool { return holdsNode(kids, id) }); drawn != "" {
			// What is drawn in it can be pointed at by its place.
			role, silent, acts = "img", false, true
			if ref == "" {
				ref = d.refs.give(d.tab, f.doc, n.BackendDOMNodeID, role, "")
			}
		}
	}
	// It listens, or has its cursor, for what is in it; or it is only there to be
	// seen.
	unseen := clicks && !controls && !clicked.shown
	if unseen && (refsIn(kids) > mostWithin[role] || leaves(kids) > maxListened || d.around > 0 && !says(kids)) || around && onlyActs(kids) {
		clicks, acts = false, false
		silent = n.Ignored || plainRoles.has(role) || role == "generic"
	}
	if silent {
		return kids
	}
	if role == "row" {
		kids = inRow(kids)
	}
	it := &item{role: strings.ToLower(role), name: words(value(n.Name)), children: kids, node: n.BackendDOMNodeID}
	if list {
		delete(p, "expanded") // what it offers is told all the same
	}
	it.marks = marks(p, it.role)
	if takes := fieldTypes[value(n.Role)]; takes != "" {
		it.marks = append([]string{takes}, it.marks...)
	}
	if it.role == "link" {
		it.url = shownAddress(p["url"], f.page.URL, n == d.start)
	}
	if v := value(n.Value); v != "" && v != it.name {
		it.value = squeeze(v)
	}
	if hint := squeeze(f.hints[n.BackendDOMNodeID]); hint != "" && hint != it.name {
		it.marks = append(it.marks, "placeholder="+quote(hint))
	}
	if acts {
		it.marks, it.ref = append(it.marks, "ref="+ref), ref
	}
	it.soft = clicks && !controls
	if it.wraps() {
		return kids
	}
	if list && n != d.start {
		it.offer()
	}
	if isStand && it.name == "" {
		it.nameByText()
	}
	if desc := squeeze(value(n.Description)); desc != "" && acts && it.name != "" && !worded(it.name) {
		it.marks = slices.Insert(it.marks, len(it.marks)-1, "title="+quote(clip(desc, 80)))
	}
	if it.role == "spinbutton" && len(kids) == 1 && kids[0].role == "" {
		it.value, it.children = kids[0].value, nil // what is typed in it; without aria-valuenow ARIA says 0 of it
	}
	it.echoed()
	it.inLines(value(n.Value), f.lines[n.BackendDOMNodeID])
	it.fold()
	if drawn != "" {
		it.value, it.told = drawn, true
	}
	if acts && it.name == "" {
		it.describe(f, clicked.hint)
		if clicks {
			d.refs.byRef[ref].name = it.value
		}
	}
	if it.role == "iframe" && len(it.children) == 0 && d.added[nodeKey{f.doc, it.node}] {
		it.value = "(empty so far: read_page shows what comes)"
	}
	if it.role == "combobox" && len(it.children) > 0 {
		it.value = "" // the choice, which is marked as such among the options
	}
	if !acts && it.name == "" && it.value == "" && len(it.children) == 0 && !saysByItself.has(it.role) && (it.role != "option" || d.menus == 0) {
		return nil
	}
	if it.role == "paragraph" && !acts && it.name == "" && len(it.children) == 0 {
		return []*item{{value: it.value, block: true}}
	}
	if n != d.start && it.tellsItself() {
		it.children[0].box = it.role
		return it.children
	}
	return []*item{it}
}
