package browser

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp/kb"
)

// chord is a key with the modifier keys held down with it.
type chord struct {
	key  kb.Key
	mods int64
	name string
}

// namedKeys are the keys that have a name, by that name in lower case; among
// them are short forms that people and models write.
var namedKeys = func() map[string]rune {
	m := map[string]rune{
		"esc": '\u001b', "return": '\r', "del": '\u007f', "space": ' ', "spacebar": ' ', "ins": []rune(kb.Insert)[0],
		"up": []rune(kb.ArrowUp)[0], "down": []rune(kb.ArrowDown)[0], "left": []rune(kb.ArrowLeft)[0], "right": []rune(kb.ArrowRight)[0],
		"plus": '+', "minus": '-',
	}
	return m
}

// keyByName finds a key by the DOM's name for it (KeyboardEvent.key), or by the
// character that it types.
func keyByName(name string) (kb.Key, bool) {
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		if k, ok := kb.Keys[r]; ok && k.Print {
			return *k, true
		}
		// A character of no key of ours is typed as it is.
		return kb.Key{Key: name, Text: name, Unmodified: name, Print: true}, true
	}
	low := strings.ToLower(name)
	if r, ok := namedKeys()[low]; ok {
		return *kb.Keys[r], true
	}
	for r, k := range kb.Keys {
		if r != '\n' && len(k.Key) > 1 && strings.ToLower(k.Key) == low {
			return *k, true
		}
	}
	return kb.Key{}, false
}

// parseChord reads "Control+Shift+ArrowLeft".
func parseChord(s string) (chord, error) {
	if s == "" {
		return chord{}, errors.New(`Say which key: "Enter", "a", "Control+a".`)
	}
	if s != "+" && strings.HasSuffix(s, "+") && !strings.HasSuffix(s, "++") {
		return chord{}, fmt.Errorf("The combination %q names no key after its last +. Write it like \"Control+a\", or \"Control++\" for the plus key.", s)
	}
	parts := strings.Split(s, "+")
	if strings.HasSuffix(s, "+") { // "+" itself, "Control++"
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(s, "+"), "+"), "+"), "+")
		if parts[0] == "" {
			parts = parts[1:]
		}
	}
	c := chord{name: s}
	last := parts[len(parts)-1]
	for _, p := range parts[:len(parts)-1] {
		name := p
		if strings.EqualFold(p, "ControlOrMeta") || strings.EqualFold(p, "Mod") {
			name = "Control"
			if runtime.GOOS == "darwin" {
				name = "Meta"
			}
		}
		bit, ok := int64(0), false
		for n, b := range modifierBits {
			if strings.EqualFold(n, name) || strings.EqualFold(name, "Cmd") && n == "Meta" || strings.EqualFold(name, "Option") && n == "Alt" {
				bit, ok = b, true
			}
		}
		if !ok {
			return chord{}, fmt.Errorf("There is no modifier key %q in %q; use Alt, Control, Meta or Shift.", p, s)
		}
		c.mods |= bit
	}
	k, ok := keyByName(last)
	if !ok {
		return chord{}, fmt.Errorf("There is no key %q. Use a character or a name such as Enter, Tab, Escape, Backspace, ArrowDown, PageDown, Home, F5.", last)
	}
	if len(last) == 1 {
		switch lower, upper := strings.ToLower(last), strings.ToUpper(last); {
		case lower == upper:
		case c.mods&8 != 0:
			k, _ = keyByName(upper)
		case c.mods != 0: // menus and people write Control+A, and hold no Shift
			k, _ = keyByName(lower)
		}
	}
	if k.Shift {
		c.mods |= 8
	}
	c.key = k
	return c, nil
}

// events returns the key's events. With Control, Alt or Meta held a key types
// nothing; the editing commands that those chords mean on the platform are
// named, since the browser's own menu does not see keys that come over CDP.
func (c chord) events() []input.DispatchKeyEventParams {
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Modifiers: c.mods, Key: c.key.Key, Code: c.key.Code,
		WindowsVirtualKeyCode: c.key.Windows, NativeVirtualKeyCode: c.key.Native,
	}
	if runtime.GOOS == "darwin" {
		down.NativeVirtualKeyCode = 0
	}
	up := down
	up.Type = input.DispatchKeyEventTypeKeyUp
	if c.key.Text != "" && c.mods&^8 == 0 {
		down.Text, down.UnmodifiedText = c.key.Text, c.key.Unmodified
	} else {
		down.Type = input.DispatchKeyEventTypeRawKeyDown
		down.Commands = editing(c)
	}
	return []input.DispatchKeyEventParams{down, up}
}

func editing(c chord) []string {
	if c.mods != 2 && c.mods != 4 {
		return nil
	}
	switch strings.ToLower(c.key.Key) {
	case "a":
		return []string{"selectAll"}
	case "z":
		return []string{"undo"}
	case "y":
		return []string{"redo"}
	}
	return nil
}

// PressKey presses a key or a chord. Round trips: 2.
func (b *Browser) PressKey(ctx context.Context, a PressArgs) (*Outcome, error) {
	c, err := parseChord(a.Key)
	if err != nil {
		return nil, err
	}
	return b.keys(ctx, a.Tab, a.Ref, func(s *keySequences) {
		for _, e := range c.events() {
			s.key(e)
		}
	}, func(_ reply, after reply) (string, []string, error) {
		name := a.Key
		if name == " " {
			name = "Space"
		}
		return fmt.Sprintf("Pressed %s.%s", name, focusLine(after)), nil, nil
	})
}

// typeKeysMax is how many characters are typed key by key; a longer text is
// inserted as a whole, as from a clipboard.
const typeKeysMax = 2000

// TypeText types a text with real key events. Round trips: 2.
func (b *Browser) TypeText(ctx context.Context, a TypeArgs) (*Outcome, error) {
	if a.Text == "" && !a.Submit {
		return nil, errors.New("There is no text to type.")
	}
	for _, r := range a.Text {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return nil, fmt.Errorf("The text has the control character U+%04X in it, which no key types. Leave it out, or use press_key for keys such as Escape and Backspace.", r)
		}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(a.Text, "\r\n", "\n"), "\r", "\n")
	byKey := utf8.RuneCountInString(text) <= typeKeysMax
	return b.keys(ctx, a.Tab, a.Ref, func(s *keySequences) {
		if !byKey {
			s.insert(text)
		} else {
			for _, r := range text {
				k, ok := kb.Keys[r]
				if r == '\n' {
					k, ok = kb.Keys['\r'], true
				}
				if !ok || !k.Print && r != '\n' && r != '\t' {
					s.insert(string(r))
					continue
				}
				c := chord{key: *k}
				if k.Shift {
					c.mods = 8
				}
				for _, e := range c.events() {
					s.key(e)
				}
			}
		}
		if a.Submit {
			if text != "" {
				s.settle()
			}
			for _, e := range (chord{key: *kb.Keys['\r']}).events() {
				s.key(e)
			}
		}
	}, func(before, after reply) (string, []string, error) {
		if a.Text == "" {
			return "Pressed Enter." + focusLine(after), nil, nil
		}
		var notes []string
		if !byKey {
			notes = append(notes, fmt.Sprintf("The text has over %d characters: it was inserted as a whole, without key events.", typeKeysMax))
		}
		did := fmt.Sprintf("Typed %d characters", utf8.RuneCountInString(a.Text))
		if after.State.Secret || before.State.Secret {
			did = "Typed the text"
		}
		if a.Submit {
			return did + " and pressed Enter.", notes, nil
		}
		if !before.Editable {
			return did + ". No text field has the focus: the page got the keys alone.", notes, nil
		}
		if before.State.Value != nil && after.State.Value != nil && (after.State.Tag != before.State.Tag || after.State.Name != before.State.Name) {
			return did + fmt.Sprintf(". The focus moved to %q meanwhile, whose value is now %s.", after.State.Name, after.State.shown()), notes, nil
		}
		// (With a line break it may have been sent, and the field emptied for the next.)
		if !strings.Contains(text, "\n") && after.State.Value != nil && before.State.Value != nil && *after.State.Value == *before.State.Value {
			return "", nil, fmt.Errorf("Typed, but the page did not take the text: the field's value is still %s.", after.State.shown())
		}
		return did + "." + focusLine(after), notes, nil
	})
}

// focusLine says what the field with the focus holds.
func focusLine(r reply) string {
	if r.State.Value == nil {
		return ""
	}
	return fmt.Sprintf(" The field's value is now %s.", r.State.shown())
}

// keysAtOnce is how many events go out in one sequence.
const keysAtOnce = 200

// keySequences are key events for a session, in sequences of bounded length.
type keySequences struct {
	c       *conn
	session string
	doc     *document // where the keys go
	list    []*sequence
	settled bool                // the next key waits for all before it
	told    bool                // the page has answered by then
	text    bool                // they go into a text field, where a space is one
	calls   map[*sequence][]int // what is no key
}

func (s *keySequences) last() *sequence {
	if n := len(s.list); n > 0 && len(s.list[n-1].steps) < keysAtOnce {
		return s.list[n-1]
	}
	s.list = append(s.list, newSequence(s.c, s.session))
	return s.list[len(s.list)-1]
}

func (s *keySequences) key(e input.DispatchKeyEventParams) {
	if !s.told && (e.Key == "Enter" || e.Key == " " && !s.text) {
		// It may ask for a file. Dialogs are kept back from the sequence's begin on,
		// but only an answer of the page says that it knows.
		s.settle()
	}
	last := s.last()
	k := add(last, input.DispatchKeyEvent, e)
	last.steps[k].Await, s.settled = s.settled, false
}

// settle has the next key wait until the page has done what it put off while it
// took in the keys before: an application that draws itself in a task of its own
// (Angular) would see a field filled and emptied at once, and draw neither. A
// document of another process than the tab's is not waited for.
func (s *keySequences) settle() {
	if s.doc.session != s.session {
		return
	}
	last := s.last()
	call := add(last, cdpruntime.CallFunctionOn, inDocument(s.doc, "settled", nil))
	last.steps[call].Await = true
	s.calls[last], s.settled, s.told = append(s.calls[last], int(call)), true, true
}

func (s *keySequences) insert(text string) {
	add(s.last(), input.InsertText, input.InsertTextParams{Text: text})
}

// keys focuses the element of the ref, if there is one, sends key events and
// reads back what has the focus.
func (b *Browser) keys(ctx context.Context, tabID, ref string, press func(*keySequences), told func(before, after reply) (string, []string, error)) (*Outcome, error) {
	var out *Outcome
	err := b.do(ctx, tabID, ref, 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		var d *document
		var before reply
		var err error
		if o.ref != nil {
			d = o.ref.doc
			before, err = o.focusElement(ctx)
		} else {
			d, before, err = o.focused(ctx)
		}
		if err != nil {
			return o.missed(err, m, &out)
		}
		o.acted = true
		after, err := o.press(ctx, d, press)
		if err != nil {
			return o.missed(err, m, &out)
		}
		did, notes, err := told(before, after)
		if err != nil {
			return err
		}
		if o.dialog() != nil {
			notes = append(notes, "What was not typed yet as the dialog opened follows once handle_dialog has answered it.")
		}
		out, err = o.finish(ctx, m, did, notes...)
		return err
	})
	return out, err
}

// press sends key events to the tab, and then asks a document what has its
// focus: nothing where a dialog or another page came of them.
func (o *operation) press(ctx context.Context, d *document, press func(*keySequences)) (reply, error) {
	keys := keySequences{c: o.c, session: o.mainKey().session, doc: d, calls: map[*sequence][]int{}}
	keys.text = o.ref != nil && (o.ref.role == "textbox" || o.ref.role == "searchbox")
	press(&keys)
	last := keys.last()
	if d.session != keys.session {
		last = newSequence(o.c, d.session)
	}
	focused := add(last, cdpruntime.CallFunctionOn, inDocument(d, "focused", nil))
	last.steps[focused].Await = true
	o.bringNews(ctx, last, d, focused)
	for _, s := range keys.list {
		s.start(ctx)
	}
	err := o.wait(ctx, keys.list...)
	if err == nil && d.session != keys.session {
		err = o.wait(ctx, last)
	}
	var r reply
	if errors.Is(err, errDialog) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	for _, s := range keys.list {
		for i := range s.steps {
			if slices.Contains(keys.calls[s], i) || s == last && i >= int(focused) {
				continue
			}
			if _, err := slot[cdp.Empty](i).of(s); err != nil {
				return r, err
			}
		}
	}
	res, err := focused.of(last)
	if err == nil {
		err = returned(res, &r)
	}
	if err != nil && !contextGone(err) {
		return r, err
	}
	o.noteReply(r)
	return r, nil
}

// focusElement gives the operation's element the focus.
func (o *operation) focusElement(ctx context.Context) (reply, error) {
	s, err := o.onElement()
	if err != nil {
		return reply{}, err
	}
	o.listen(s.sequence)
	f := s.on("focusNext")
	if err := s.run(ctx); err != nil {
		return reply{}, err
	}
	return s.reply(f)
}

// focused returns the document that has the focus, and what has it there.
func (o *operation) focused(ctx context.Context) (*document, reply, error) {
	d, err := o.mainWorld(ctx)
	if err != nil {
		return nil, reply{}, err
	}
	o.listenIn(d.session)
	r, err := o.ask(ctx, o.startInDocument(ctx, d, "focusNow"))
	return d, r, err
}
