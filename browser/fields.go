package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
)

// longText is how many bytes of a value may keep a page busy for seconds.
const longText = 1 << 20

// Fill gives a field a value in one step. Round trips: 1, and 2 for editable
// regions.
func (b *Browser) Fill(ctx context.Context, a FillArgs) (*Outcome, error) {
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		if len(a.Value) > longText {
			o.patient.Store(true) // the page is busy with it, and not without end
		}
		m := o.mark()
		r, notes, err := o.fill(ctx, a.Value)
		if err != nil {
			return o.missed(err, m, &out)
		}
		did := fmt.Sprintf("Filled %s", o.ref)
		if r.State.Value != nil {
			did += ": its value is now " + r.State.shown()
		}
		out, err = o.finish(ctx, m, did+".", notes...)
		return err
	})
	return out, err
}

// fill gives the operation's element a value and says what it holds then.
func (o *operation) fill(ctx context.Context, value string) (reply, []string, error) {
	r, err := o.change(ctx, "fill", value)
	switch {
	case err == nil && r.Insert:
		r, err = o.insert(ctx, value, r.All)
	}
	if err == nil && r.Keyed {
		return o.fillKeyed(ctx, value)
	}
	if err != nil {
		return r, nil, err
	}
	o.noteReply(r)
	got := r.State.Value
	if r.Invalid != "" && got != nil && sameText(*got, value, r.State.Type) {
		return r, []string{fmt.Sprintf("The field holds it but does not accept it: %s", r.Invalid)}, nil
	}
	if got == nil || sameText(*got, value, r.State.Type) {
		return r, nil, nil
	}
	switch {
	case r.Cut != nil:
		return r, []string{fmt.Sprintf("The field takes %d characters at most: the rest was cut off.", *r.Cut)}, nil
	case *got == "":
		return r, nil, fmt.Errorf("The page did not keep the value: %s is empty again. Try type_text.", o.ref)
	}
	return r, []string{fmt.Sprintf("The page kept another value than the one asked for: %s.", r.State.shown())}, nil
}

// change has the page script change the operation's element.
func (o *operation) change(ctx context.Context, fn string, args ...any) (reply, error) {
	s, err := o.onElement()
	if err != nil {
		return reply{}, err
	}
	o.listen(s.sequence)
	f := s.on(fn, args...)
	s.letGo()
	o.bringNews(ctx, s.sequence, o.ref.doc, f)
	if err := o.sure(ctx); err != nil {
		return reply{}, err
	}
	o.acted = true
	if err := s.run(ctx); err != nil {
		// Of an element that was not found nothing was changed.
		_, ferr := f.of(s.sequence)
		o.acted = s.answers == nil && s.sent() || s.answers != nil && errors.Is(ferr, errNotAnswered)
		return reply{}, err
	}
	r, err := s.reply(f)
	if r.Error != "" || r.Stale { // refused before anything was done
		o.acted = false
	}
	return r, err
}

// insert puts a text in the place of what the page has selected, as from a
// clipboard, and reads the operation's element back. With all it has the page
// select everything first. To put in nothing is to press a key: what a script
// deletes is taken back by editors that keep a document of their own.
func (o *operation) insert(ctx context.Context, text string, all bool) (reply, error) {
	s, err := o.onElement()
	if err != nil {
		return reply{}, err
	}
	there := s.found.use("object.objectId", "")
	press := func(name string) (up slot[cdp.Empty]) {
		c, _ := parseChord(name) // of our own, so it is one
		for _, e := range c.events() {
			up = add(s.sequence, input.DispatchKeyEvent, e, there)
		}
		return up
	}
	if all {
		press("ControlOrMeta+a")
	}
	var ins slot[cdp.Empty]
	if text == "" {
		ins = press("Backspace")
	} else {
		ins = add(s.sequence, input.InsertText, input.InsertTextParams{Text: text}, there)
	}
	f := s.on("report", false)
	s.steps[f].Await = true
	s.letGo()
	o.bringNews(ctx, s.sequence, o.ref.doc, f)
	if err := s.run(ctx); err != nil {
		return reply{}, err
	}
	if _, err := ins.of(s.sequence); err != nil {
		return reply{}, err
	}
	return s.reply(f)
}

// sameText compares a field's value with what was put in, as the field's type
// keeps it: line ends are one character, and an editable region ends its
// paragraphs as it likes.
func sameText(got, want, typ string) bool {
	norm := func(s string) string {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		if typ == "contenteditable" {
			s = strings.Join(strings.Fields(strings.ReplaceAll(s, "\u00a0", " ")), " ")
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return norm(got) == norm(want)
}

// SelectOption chooses from a list. Round trips: 1.
func (b *Browser) SelectOption(ctx context.Context, a SelectArgs) (*Outcome, error) {
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		r, notes, err := o.selectOptions(ctx, a.Values)
		if err != nil {
			return o.missed(err, m, &out)
		}
		out, err = o.finish(ctx, m, fmt.Sprintf("Selected in %s: %s.", o.ref, quoteList(r.State.Selected)), notes...)
		return err
	})
	return out, err
}

// selectOptions chooses in the operation's element and says what is chosen then.
func (o *operation) selectOptions(ctx context.Context, values []string) (reply, []string, error) {
	r, err := o.change(ctx, "select", values)
	if err != nil {
		return r, nil, err
	}
	if r.Kind == "choose" {
		o.acted = false
		return o.choose(ctx, values)
	}
	o.noteReply(r)
	if strings.Join(r.State.Selected, "\n") != strings.Join(r.Want, "\n") {
		return r, []string{"The page kept another choice than the one asked for."}, nil
	}
	if r.Veiled {
		return r, []string{"The field itself is not to be seen: if what the page shows in its place did not follow, click that and its option."}, nil
	}
	return r, nil, nil
}

func quoteList(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(q, ", ")
}

// Scroll scrolls the page, a container, or to an element. Round trips: 1.
func (b *Browser) Scroll(ctx context.Context, a ScrollArgs) (*Outcome, error) {
	switch a.Direction {
	case "", "up", "down", "left", "right", "top", "bottom":
	default:
		return nil, fmt.Errorf("There is no direction %q; use up, down, left, right, top or bottom.", a.Direction)
	}
	pages := a.Pages
	if pages == 0 {
		pages = 1
	}
	if pages < 0 || pages > 1000 {
		return nil, errors.New("pages is between 0 and 1000.")
	}
	var out *Outcome
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		var r reply
		var err error
		if o.ref != nil {
			r, err = o.askElement(ctx, "scroll", a.Direction, pages)
		} else {
			d, derr := o.mainWorld(ctx)
			if derr != nil {
				return derr
			}
			r, err = o.ask(ctx, o.startInDocument(ctx, d, "scroll", nil, a.Direction, pages))
		}
		if err != nil {
			return o.missed(err, m, &out)
		}
		o.noteReply(r)
		var did string
		switch {
		case o.ref != nil && a.Direction == "" && !r.Visible:
			return fmt.Errorf("The element %s (%s) cannot be scrolled into view.", o.ref.ref, o.ref)
		case o.ref != nil && a.Direction == "":
			did = fmt.Sprintf("Scrolled to %s.", o.ref)
		default:
			what := "The page"
			if r.What != "" {
				what = "The " + r.What
			}
			verb := "was scrolled"
			if !r.Moved {
				verb = "did not move: it is at its end. It was scrolled"
			}
			did = fmt.Sprintf("%s %s to %d of %d px down", what, verb, int(r.Y), int(r.MaxY))
			if r.MaxX > 0 {
				did += fmt.Sprintf(", %d of %d px right", int(r.X), int(r.MaxX))
			}
			did += "."
		}
		out, err = o.finish(ctx, m, did)
		return err
	})
	return out, err
}
