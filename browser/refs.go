package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
)

// element is what a ref stands for: one node of one document, for ever.
type element struct {
	ref  string
	tab  string
	doc  *document
	node cdp.BackendNodeID
	role string
	name string
	// place is where the last reading of the whole page had it.
	place place
}

func (e *element) String() string {
	if e.name == "" {
		return e.role
	}
	return fmt.Sprintf("%s %q", e.role, clip(e.name, 60))
}

type nodeKey struct {
	doc  *document
	node cdp.BackendNodeID
}

// refTable gives refs to nodes. A number is used once: whoever remembers an old
// ref, over a reload or a restart of this process, must not hit another
// element with it. Browser.mu guards it.
type refTable struct {
	byRef  map[string]*element
	byNode map[nodeKey]*element
	// next and limit bound the numbers that the browser has set aside for us.
	next, limit int
}

// refBlock is how many numbers are asked for at once.
const refBlock = 1000

func newRefTable() refTable {
	return refTable{byRef: map[string]*element{}, byNode: map[nodeKey]*element{}}
}

// give returns the ref of a node, the same for as long as its document lives.
func (r *refTable) give(tab string, doc *document, node cdp.BackendNodeID, role, name string) string {
	k := nodeKey{doc, node}
	if e := r.byNode[k]; e != nil {
		e.role, e.name = role, name
		return e.ref
	}
	e := &element{ref: fmt.Sprintf("e%d", r.next), tab: tab, doc: doc, node: node, role: role, name: name}
	r.next++
	r.byRef[e.ref] = e
	r.byNode[k] = e
	return e.ref
}

func (r *refTable) find(ref string) (*element, error) {
	if e := r.byRef[ref]; e != nil {
		return e, nil
	}
	return nil, r.unknownRef(ref)
}

// dropTab forgets the elements of a closed tab.
func (r *refTable) dropTab(tab string) { r.drop(func(e *element) bool { return e.tab == tab }) }

// sweep forgets the elements of documents that are gone.
func (r *refTable) sweep() { r.drop(func(e *element) bool { return e.doc.gone }) }

func (r *refTable) drop(which func(*element) bool) {
	for ref, e := range r.byRef {
		if which(e) {
			delete(r.byRef, ref)
			delete(r.byNode, nodeKey{e.doc, e.node})
		}
	}
}

// sweepAt is how many refs are kept before those of dead documents go; until
// then their error can say that the page was left.
const sweepAt = 20_000

// reserveRefs makes sure that there are numbers for n more refs. The browser
// hands them out (Sidekick.reserveRefs), because it outlives this process; one
// that cannot is counted for here.
func (o *operation) reserveRefs(ctx context.Context, n int) error {
	o.b.mu.Lock()
	if len(o.b.refs.byRef) > sweepAt {
		o.b.refs.sweep()
	}
	left := o.b.refs.limit - o.b.refs.next
	o.b.mu.Unlock()
	if left >= n {
		return nil
	}
	count := max(refBlock, n)
	var got struct {
		First int `json:"first"`
	}
	err := o.c.start(ctx, "", "Sidekick.reserveRefs", map[string]int{"count": count}).wait(ctx, &got)
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	switch {
	case protocolCode(err) == -32601:
		got.First = max(o.b.refs.limit, 1)
	case err != nil:
		return err
	}
	o.b.refs.next, o.b.refs.limit = got.First, got.First+count
	return nil
}
