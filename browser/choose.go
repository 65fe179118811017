package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// optionWait is how long a list of choices may take to come up.
const optionWait = 2 * time.Second

// choose chooses in a list that a page builds itself, as a person does: it is
// opened, typed into where the choice is not to be seen, the options are
// clicked, and it is closed.
func (o *operation) choose(ctx context.Context, values []string) (reply, []string, error) {
	c, err := o.askElement(ctx, "chooser")
	if err != nil {
		return c, nil, err
	}
	if len(values) == 0 {
		return c, nil, fmt.Errorf("The element %s (%s) is a list of the page's own: name the options to choose.", o.ref.ref, o.ref)
	}
	list := o.ref
	left := clicking{button: input.MouseButtonLeft, count: 1}
	acted := false
	click := func() error {
		_, _, err := o.click(ctx, left)
		acted = acted || o.acted
		o.acted = acted
		if err == nil && o.dialog() != nil {
			err = errDialog
		}
		return err
	}
	if !c.Open {
		if err := click(); err != nil {
			return c, nil, err
		}
	}
	for i, v := range values {
		el, r, err := o.option(ctx, list, v, c.Editable)
		if err != nil {
			if !c.Open && !acted {
				return r, nil, err
			}
			if acted && errors.Is(err, ErrStaleRef) {
				return r, nil, o.madeWay(list)
			}
			o.ref = list
			_ = o.pressKeys(ctx, "Escape")
			return r, nil, err
		}
		if i > 0 && !r.Many {
			return r, nil, fmt.Errorf("The element %s (%s) takes one choice only: %q was chosen.", list.ref, list, values[0])
		}
		if r.On != nil && *r.On { // a second click might take it away
			continue
		}
		o.ref = el
		err = click()
		o.ref = list
		if err != nil {
			return r, nil, err
		}
	}
	now := func() (reply, error) {
		return o.anew(ctx, func() (reply, error) { return o.askElement(ctx, "chosenNow") })
	}
	r, err := now()
	if err == nil && r.Open {
		if err = o.pressKeys(ctx, "Escape"); err == nil {
			r, err = now()
		}
	}
	if errors.Is(err, ErrStaleRef) && acted {
		r.State.Selected = values
		return r, []string{"The page drew something else in the list's place: call read_page to see what it holds."}, nil
	}
	if err != nil {
		return r, nil, err
	}
	o.noteReply(r)
	got := strings.Join(r.Selected, " ") + " " + r.Text
	r.State.Selected = r.Selected
	if len(r.Selected) == 0 && r.Text != "" {
		r.State.Selected = []string{r.Text}
	}
	for _, v := range values {
		if !strings.Contains(strings.ToLower(got), strings.ToLower(strings.Join(strings.Fields(v), " "))) {
			return r, []string{fmt.Sprintf("The option %q was clicked, but what the list shows now does not name it: look with read_page.", v)}, nil
		}
	}
	return r, nil, nil
}

// option finds an option of a list as an element to be clicked.
func (o *operation) option(ctx context.Context, list *element, want string, editable bool) (*element, reply, error) {
	o.ref = list
	look := func(wait time.Duration, gone bool) (*element, reply, error) {
		s, err := o.onElement()
		if err != nil {
			return nil, reply{}, err
		}
		f := s.on("findOption", want, wait.Milliseconds(), gone)
		d := o.ref.doc
		got := add(s.sequence, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: "function([t]){const s=globalThis.sidekick;return s&&s.token===t?s.foundOption():null}",
			Arguments:           arguments(d, nil), Silent: &yes, ObjectGroup: objectGroup,
		}, s.object(), f.use("result.value.what", ""))
		node := add(s.sequence, dom.DescribeNode, dom.DescribeNodeParams{}, got.use("result.objectId", "objectId"))
		if err := s.run(ctx); err != nil {
			return nil, reply{}, err
		}
		r, err := s.reply(f)
		if err != nil {
			return nil, r, err
		}
		n, err := node.of(s.sequence)
		if err != nil {
			return nil, r, err
		}
		return &element{ref: list.ref, tab: list.tab, doc: d, node: n.Node.BackendNodeID, role: "option", name: r.What}, r, nil
	}
	find := func(wait time.Duration) (el *element, r reply, err error) {
		r, err = o.anew(ctx, func() (r reply, err error) { el, r, err = look(wait, false); return r, err })
		if errors.Is(err, ErrStaleRef) && o.acted { // what opened it may have made way for it
			return look(wait, true)
		}
		return el, r, err
	}
	if !editable {
		return find(optionWait)
	}
	el, r, err := find(optionWait / 4)
	if err == nil || o.broken(ctx, err) {
		return el, r, err
	}
	// The list may show only what fits what was typed.
	if _, kerr := o.press(ctx, o.ref.doc, func(s *keySequences) {
		if c, err := parseChord("ControlOrMeta+a"); err == nil {
			for _, e := range c.events() {
				s.key(e)
			}
		}
		s.insert(want)
	}); kerr != nil {
		return nil, r, kerr
	}
	return find(optionWait)
}
