package browser

import (
	"context"
	"fmt"
)

// fillKeyed replaces the text of an editor that keeps its document apart from
// what takes the keys: all is selected with its own chord, and the text given
// to it as from a clipboard. What it holds is read off what it draws.
func (o *operation) fillKeyed(ctx context.Context, value string) (reply, []string, error) {
	keys := []string{"ControlOrMeta+a"}
	if value == "" {
		keys = append(keys, "Delete")
	}
	// It draws what it holds, which is how it is read; a tab that is not in
	// front hardly draws by itself.
	stop := o.draw(ctx)
	defer stop()
	if err := o.pressKeys(ctx, keys...); err != nil {
		return reply{}, nil, err
	}
	if value != "" {
		r, err := o.askElement(ctx, "pasteKeyed", value)
		if err == nil && r.Insert {
			_, err = o.insert(ctx, value, false)
		}
		if err != nil {
			return r, nil, err
		}
	}
	r, err := o.askElement(ctx, "keyedState", value)
	if err != nil {
		return r, nil, err
	}
	o.noteReply(r)
	r.State.Value = &value
	if r.Seen {
		return r, nil, nil
	}
	r.State.Value = &r.Text
	return r, []string{fmt.Sprintf("The editor shows another text than the one asked for: %q.", clip(r.Text, 200))}, nil
}

// pressKeys presses keys where the focus is in the element's document.
func (o *operation) pressKeys(ctx context.Context, names ...string) error {
	var chords []chord
	for _, n := range names {
		c, err := parseChord(n)
		if err != nil {
			return err
		}
		chords = append(chords, c)
	}
	_, err := o.press(ctx, o.ref.doc, func(s *keySequences) {
		for _, c := range chords {
			for _, e := range c.events() {
				s.key(e)
			}
		}
	})
	return err
}
