package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// FormField is a field and what it is to hold: a text, an option's label or
// value, or "true" and "false" for what is switched on and off.
type FormField struct{ Ref, Value string }

// FormArgs are the arguments of [Browser.FillForm].
type FormArgs struct {
	Tab    string
	Fields []FormField
}

// maxFields is how many fields one call fills.
const maxFields = 100

// formField is a field of a form that is being filled.
type formField struct {
	el    *element
	value string
	kind  string
	done  bool
}

// FillForm fills several fields in their order. Whether each is a field that
// can take its value is asked of all before the first is touched; one that
// fails then does not undo or stop the others. Round trips: 2, and 1 for each
// field (2 for one that is clicked).
func (b *Browser) FillForm(ctx context.Context, a FormArgs) (*Outcome, error) {
	switch n := len(a.Fields); {
	case n == 0:
		return nil, errors.New("Name the fields to fill, each with its ref and value.")
	case n > maxFields:
		return nil, fmt.Errorf("One call fills %d fields at most; use several.", maxFields)
	}
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Fields[0].Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		fields, err := o.form(ctx, a.Fields)
		if err != nil {
			return o.missed(err, m, &out)
		}
		var failed []string
		acted := false
		var halt error
		for i := range fields {
			f := &fields[i]
			o.ref, o.acted = f.el, false
			err := o.fillField(ctx, f)
			acted = acted || o.acted
			o.acted = acted
			if err == nil {
				f.done = true
				continue
			}
			if errors.Is(err, errDialog) || o.dialog() != nil {
				halt = errDialog
				f.done = acted
				break
			}
			if o.broken(ctx, err) {
				return err
			}
			failed = append(failed, err.Error())
		}
		did, notes := o.formHeld(ctx, fields, halt)
		out, err = o.finish(ctx, m, did, notes...)
		if err == nil && len(failed) > 0 {
			err = fmt.Errorf("%d of the %d fields did not take their values: %s", len(failed), len(fields), strings.Join(failed, " "))
		}
		return err
	})
	return out, err
}

// broken reports whether an error ends a call of many parts, because what
// follows cannot succeed either.
func (o *operation) broken(ctx context.Context, err error) bool {
	code := protocolCode(err)
	return context.Cause(ctx) != nil || code == codeHopLost || code == codeStopped || code == codeNotAttached || o.b.lost()
}

// form finds the fields' elements and asks each how it takes its value. Its
// error names all that are wrong.
func (o *operation) form(ctx context.Context, asked []FormField) ([]formField, error) {
	fields := make([]formField, len(asked))
	var wrong []string
	for i, f := range asked {
		t, el, err := o.b.find("", f.Ref)
		switch {
		case err != nil:
			wrong = append(wrong, err.Error())
		case t != o.t:
			wrong = append(wrong, fmt.Sprintf("The ref %s is in tab %s, not in tab %s.", f.Ref, t.id, o.t.id))
		}
		fields[i] = formField{el: el, value: f.Value}
	}
	if len(wrong) == 0 {
		els := make([]*element, len(fields))
		for i, f := range fields {
			els[i] = f.el
		}
		replies, errs, err := o.askEach(ctx, els, "formKind", func(i int) []any { return []any{fields[i].value} })
		if err != nil {
			return nil, err
		}
		for i := range fields {
			fields[i].kind = replies[i].Kind
			if errs[i] != nil {
				wrong = append(wrong, errs[i].Error())
			}
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("Nothing was filled: %s", strings.Join(wrong, " "))
	}
	return fields, nil
}

// askEach calls a function of the page script on several elements, in one round
// trip. Its own error is of what concerns all of them.
func (o *operation) askEach(ctx context.Context, els []*element, fn string, args func(i int) []any) ([]reply, []error, error) {
	replies, errs := make([]reply, len(els)), make([]error, len(els))
	runs := make([]*elementRun, len(els))
	calls := make([]slot[runtime.CallFunctionOnResult], len(els))
	var list []*sequence
	was := o.ref
	defer func() { o.ref = was }()
	for i, el := range els {
		o.ref = el
		if runs[i], errs[i] = o.onElement(); errs[i] != nil {
			continue
		}
		calls[i] = runs[i].on(fn, args(i)...)
		// What is held of them goes with the last, which all come before.
		if i == len(els)-1 {
			runs[i].letGo()
		}
		runs[i].start(ctx)
		list = append(list, runs[i].sequence)
	}
	if err := o.wait(ctx, list...); err != nil {
		return nil, nil, err
	}
	for i, el := range els {
		if errs[i] != nil {
			continue
		}
		o.ref = el
		if _, err := runs[i].found.of(runs[i].sequence); err != nil {
			if protocolCode(err) == -32000 || contextGone(err) {
				err = staleRef(el.ref, "its element is no longer in the page")
			}
			errs[i] = err
			continue
		}
		replies[i], errs[i] = runs[i].reply(calls[i])
	}
	return replies, errs, nil
}

// fillField gives one field of a form its value; where the fields before it had
// the page draw it anew, the one that took its place.
func (o *operation) fillField(ctx context.Context, f *formField) error {
	_, err := o.anew(ctx, func() (reply, error) {
		err := o.fillNow(ctx, f)
		if o.acted && errors.Is(err, ErrStaleRef) { // it had its value, or some of it
			err = o.madeWay(o.ref)
		}
		return reply{}, err
	})
	return err
}

func (o *operation) fillNow(ctx context.Context, f *formField) error {
	switch f.kind {
	case "toggle":
		return o.toggle(ctx, f.value == "true")
	case "select", "choose":
		_, _, err := o.selectOptions(ctx, []string{f.value})
		return err
	}
	_, _, err := o.fill(ctx, f.value)
	return err
}

// toggle clicks what is switched on and off until it is as wanted: some have a
// third state on the way.
func (o *operation) toggle(ctx context.Context, on bool) error {
	acted := false
	ask := func() (reply, error) { return o.askElement(ctx, "toggled") }
	for try := 0; ; try++ {
		r, err := ask()
		if acted && errors.Is(err, ErrStaleRef) {
			r, err = o.anew(ctx, ask)
		}
		if err != nil {
			return err
		}
		if r.On != nil && *r.On == on {
			return nil
		}
		if try == 2 {
			word := "off"
			if on {
				word = "on"
			}
			return fmt.Errorf("The element %s (%s) was clicked, but the page did not switch it %s.", o.ref.ref, o.ref, word)
		}
		_, _, err = o.click(ctx, clicking{button: input.MouseButtonLeft, count: 1})
		acted = acted || o.acted
		o.acted = acted
		if err != nil {
			return err
		}
		if o.dialog() != nil {
			return errDialog
		}
	}
}

// formHeld says what each field holds when all are done.
func (o *operation) formHeld(ctx context.Context, fields []formField, halt error) (string, []string) {
	var els []*element
	var notes []string
	var left []string
	for _, f := range fields {
		if f.done {
			els = append(els, f.el)
		} else if halt != nil {
			left = append(left, f.el.ref)
		}
	}
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("A dialog opened: %s were not filled.", strings.Join(left, ", ")))
	}
	if halt != nil || len(els) == 0 {
		return fmt.Sprintf("Filled %d of %d fields.", len(els), len(fields)), notes
	}
	replies, errs, err := o.askEach(ctx, els, "report", func(int) []any { return []any{false} })
	if err != nil {
		return fmt.Sprintf("Filled %d of %d fields; what they hold now could not be read.", len(els), len(fields)), notes
	}
	o.heldAnew(ctx, els, replies, errs)
	var held []string
	n := -1
	for _, f := range fields {
		if !f.done {
			continue
		}
		n++
		if errs[n] != nil || !replies[n].State.Connected {
			held = append(held, fmt.Sprintf("%s %s: gone from the page since", f.el.ref, f.el))
			continue
		}
		st := replies[n].State
		held = append(held, fmt.Sprintf("%s %s: %s", f.el.ref, f.el, st.holds()))
		if f.kind == "text" && st.Value != nil && !sameText(*st.Value, f.value, st.Type) {
			notes = append(notes, fmt.Sprintf("The page kept another value in %s than the one asked for.", f.el.ref))
		}
	}
	if len(els) > 0 {
		o.ref = els[len(els)-1]
		if errs[n] == nil {
			o.noteReply(replies[n])
		}
	}
	return fmt.Sprintf("Filled %d of %d fields. They hold now: %s.", len(els), len(fields), strings.Join(held, "; ")), notes
}

// heldAnew asks those that took the places of fields which are gone, since the
// page drew them anew.
func (o *operation) heldAnew(ctx context.Context, els []*element, replies []reply, errs []error) {
	var gone []*element
	for i, el := range els {
		if errors.Is(errs[i], ErrStaleRef) || errs[i] == nil && !replies[i].State.Connected {
			gone = append(gone, el)
		}
	}
	if len(gone) == 0 {
		return
	}
	found := o.succeedEach(ctx, gone, true)
	gone = slices.DeleteFunc(gone, func(el *element) bool { return !found[el] })
	if len(gone) == 0 {
		return
	}
	now, nerrs, err := o.askEach(ctx, gone, "report", func(int) []any { return []any{false} })
	if err != nil {
		return // they are told as gone
	}
	for i, el := range gone {
		at := slices.Index(els, el)
		replies[at], errs[at] = now[i], nerrs[i]
	}
}

// holds says in words what a field holds.
func (s elementState) holds() string {
	switch {
	case s.Checked != nil && *s.Checked:
		return "checked"
	case s.Checked != nil:
		return "unchecked"
	case s.Value != nil:
		return s.shown()
	case s.Tag == "select":
		return quoteList(s.Selected)
	case s.Pressed != "":
		return "pressed " + s.Pressed
	}
	return "no value that can be read"
}
