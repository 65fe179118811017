package browser

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// place says where an element was in a reading, and which of those that are
// equal there: what finds the one that takes its place when a page that makes
// its elements anew (as frameworks do) replaces it.
type place struct {
	key     string
	nth, of int
}

// places returns the place of each item that can be acted on, by its element. A
// place is made of all that tells equal controls apart for a reader: what they
// lie in, the text of the row, the text before them. What is a number among
// others alone is not told by that number when one of them is gone.
func places(items []*item) map[*item]place {
	found := map[*item]place{}
	count := map[string]int{}
	var order []*item
	var walk func(items []*item, path, row string)
	walk = func(items []*item, path, row string) {
		before := ""
		for _, it := range items {
			if it.box != "" { // as if the box were there
				boxed, in := *it, row
				if boxed.box = ""; rows.has(it.box) {
					in = it.text()
				}
				walk([]*item{&boxed}, path+"\x01"+it.box+"\x02", in)
				continue
			}
			if it.ref != "" {
				sum := sha256.Sum256([]byte(strings.Join([]string{it.role, it.name, it.url, path, row, before}, "\x00")))
				key := string(sum[:16])
				found[it] = place{key: key, nth: count[key]}
				count[key]++
				order = append(order, it)
			}
			if it.ref == "" || it.role == "link" {
				if s := it.saying(); s != "" {
					before = s
				}
			}
			in := row
			if rows.has(it.role) {
				in = it.text()
			}
			walk(it.children, path+"\x01"+it.role+"\x02"+it.name+it.title, in)
		}
	}
	walk(items, "", "")
	for _, it := range order {
		p := found[it]
		p.of = count[p.key]
		found[it] = p
	}
	return found
}

// rows are the roles of things that are told apart by their text.
const rows wordSet = "|row|listitem|article|treeitem|generic|group|"

func (it *item) saying() string { return strings.TrimSpace(it.name + " " + it.value) }

// text is all that the item says.
func (it *item) text() string {
	var b strings.Builder
	b.WriteString(it.saying())
	for _, c := range slices.Concat(it.options, it.children) {
		b.WriteString("\x03")
		b.WriteString(c.text())
	}
	return b.String()
}

// notePlaces keeps where each element of a reading is. Browser.mu is held.
func (d *drawing) notePlaces(items []*item) {
	for it, p := range places(items) {
		if e := d.refs.byRef[it.ref]; e != nil {
			e.place = p
		}
	}
}

// succeed makes the operation's ref, whose element is gone, stand for the one
// that took its place: of the same document, role and name, at the same place.
// It returns false if there is none, or no telling which.
func (o *operation) succeed(ctx context.Context) bool {
	old := o.ref
	o.b.mu.Lock()
	ok := old != nil && !old.doc.gone && old.place.key != "" && o.t.dialog == nil && !o.t.gone && !o.t.crashed
	o.b.mu.Unlock()
	if !ok {
		return false
	}
	o.ref = nil // the whole page is looked at
	defer func() { o.ref = old }()
	var items []*item
	err := o.orDialog(ctx, func(ctx context.Context) (err error) { items, _, _, err = o.items(ctx, 0); return err })
	if err != nil {
		return false
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	for it, p := range places(items) {
		e := o.b.refs.byRef[it.ref]
		if e == nil || e.doc != old.doc || e.node == old.node || p != old.place {
			continue
		}
		old.node = e.node
		o.note = fmt.Sprintf("The element of %s was replaced by an equal one, which is %s now: that was used.", old.ref, e.ref)
		return true
	}
	return false
}

// run runs what an operation is for, and once more on the successor of an
// element that is gone.
func (o *operation) run(ctx context.Context, fn func(ctx context.Context, o *operation) error) error {
	err := fn(ctx, o)
	if errors.Is(err, ErrStaleRef) && !o.acted && context.Cause(ctx) == nil && o.succeed(ctx) {
		return fn(ctx, o)
	}
	return err
}

// notes returns the note that the operation has for its result, if any.
func (o *operation) notes() []string {
	if o.note == "" {
		return nil
	}
	return []string{o.note}
}

var refForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^e[1-9][0-9]{0,8}$`) })

// unknownRef says why no element has a ref.
func (r *refTable) unknownRef(ref string) error {
	if !refForm().MatchString(ref) {
		return &kindError{ErrStaleRef, fmt.Sprintf("%q is not a ref; refs are like e9. Call read_page or find and use a ref from it.", clip(ref, 60))}
	}
	if n, err := strconv.Atoi(ref[1:]); err == nil && n >= r.next {
		return &kindError{ErrStaleRef, fmt.Sprintf("There is no ref %s: nothing that was read had it. Call read_page or find and use a ref from it.", ref)}
	}
	return staleRef(ref, "its page was left or its tab closed")
}
