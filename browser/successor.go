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
	return o.ref != nil && o.succeedEach(ctx, []*element{o.ref}, false)[o.ref]
}

// succeedEach is succeed for several elements, with one reading of the page. In
// the middle of an action, whose changes are told against the reading before it,
// that reading is kept.
func (o *operation) succeedEach(ctx context.Context, olds []*element, midway bool) map[*element]bool {
	o.b.mu.Lock()
	olds = slices.DeleteFunc(slices.Clone(olds), func(e *element) bool { return e.doc.gone || e.place.key == "" })
	ok := len(olds) > 0 && o.t.dialog == nil && !o.t.gone && !o.t.crashed
	read := o.t.read
	o.b.mu.Unlock()
	if !ok {
		return nil
	}
	ref := o.ref
	o.ref = nil // the whole page is looked at
	defer func() { o.ref = ref }()
	var items []*item
	err := o.orDialog(ctx, func(ctx context.Context) (err error) { items, _, _, err = o.items(ctx, 0); return err })
	if err != nil {
		return nil
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if midway {
		o.t.read = read
	}
	found := map[*element]bool{}
	for it, p := range places(items) {
		e := o.b.refs.byRef[it.ref]
		for _, old := range olds {
			if e == nil || e.doc != old.doc || e.node == old.node || p != old.place {
				continue
			}
			old.node = e.node
			found[old] = true
			o.noteSuccessor(old.ref, e.ref)
			break
		}
	}
	return found
}

// successor says which element a ref stands for since its own was replaced.
type successor struct{ ref, now string }

func (o *operation) noteSuccessor(ref, now string) {
	for i, s := range o.replaced {
		if s.ref == ref {
			o.replaced[i].now = now
			return
		}
	}
	o.replaced = append(o.replaced, successor{ref, now})
}

// anew calls what is asked of the operation's element in the middle of an action,
// and once more of the one that took its place where the action had the page
// draw it anew.
func (o *operation) anew(ctx context.Context, ask func() (reply, error)) (reply, error) {
	r, err := ask()
	if errors.Is(err, ErrStaleRef) && context.Cause(ctx) == nil && o.succeedEach(ctx, []*element{o.ref}, true)[o.ref] {
		return ask()
	}
	return r, err
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

// madeWay is the error of an action of several steps whose element went away
// with one of them, and none took its place: it is not to be done again blindly.
func (o *operation) madeWay(el *element) error {
	return fmt.Errorf("The element %s (%s) was acted on, and the page drew something else in its place: call read_page to see what came of it.", el.ref, el)
}

// notes returns the notes that the operation has for its result.
func (o *operation) notes() []string {
	var list []string
	for _, s := range o.replaced {
		list = append(list, fmt.Sprintf("The element of %s was replaced by an equal one, which is %s now: that was used.", s.ref, s.now))
	}
	return list
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
