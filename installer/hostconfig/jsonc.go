package hostconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// space is what may stand between the words of JSON.
const space = " \t\r\n"

// parseJSONC parses a document. A comment may be its end, without a newline,
// which the parser does not allow: one is put behind it, past all offsets.
func parseJSONC(text []byte) (hujson.Value, error) {
	root, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		// Which library reads it is nobody's concern.
		return root, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, errors.New("it does not hold an object")
	}
	return root, nil
}

// readJSONC reads a document's values, without regard to how it is written.
func readJSONC(text []byte) (map[string]any, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	root = root.Clone()
	root.Standardize()
	d := json.NewDecoder(bytes.NewReader(root.Pack()))
	d.UseNumber()
	var v map[string]any
	return v, d.Decode(&v)
}

// member finds a member of an object; -1 without one.
func member(o *hujson.Object, key string) (int, error) {
	at := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != key {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("it has the key %q twice in one object", key)
		}
		at = i
	}
	return at, nil
}

// elements are the items of an object or an array, each with where it begins.
type element struct {
	start int
	value *hujson.Value
}

func elements(v *hujson.Value) []element {
	var list []element
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			list = append(list, element{c.Members[i].Name.StartOffset, &c.Members[i].Value})
		}
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, element{c.Elements[i].StartOffset, &c.Elements[i]})
		}
	}
	return list
}

// layoutOf finds out how a document is written.
func layoutOf(text []byte, root *hujson.Value) layout {
	l := layout{newline: "\n", unit: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		l.newline = "\r\n"
	}
	items := elements(root)
	if len(items) == 0 {
		return l
	}
	before := text[root.StartOffset+1 : items[0].start]
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		if indent := leadingSpace(before[i+1:]); indent != "" {
			l.unit = indent
		}
		return l
	}
	l.flat = !bytes.ContainsRune(text[root.StartOffset:root.EndOffset], '\n')
	l.tight = len(items[0].value.BeforeExtra) == 0
	return l
}

func leadingSpace(b []byte) string {
	return string(b[:len(b)-len(bytes.TrimLeft(b, " \t"))])
}

// indentAt is the indentation of the line that holds an offset.
func indentAt(text []byte, offset int) string {
	return leadingSpace(text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset])
}

// splice replaces text[from:to].
func splice(text []byte, from, to int, by string) []byte {
	return append(append(bytes.Clone(text[:from]), by...), text[to:]...)
}

// appendItem puts an item at the end of an object or an array. item renders it
// for an indentation.
func appendItem(text []byte, in *hujson.Value, l layout, item func(l layout, indent string) string) []byte {
	open, end := in.StartOffset+1, in.EndOffset-1 // after { and at }
	items := elements(in)
	if len(items) == 0 {
		at := open + len(bytes.TrimRight(text[open:end], space))
		if l.flat {
			return splice(text, at, at, item(l, ""))
		}
		closing := indentAt(text, in.StartOffset)
		indent := closing + l.unit
		if rest := text[at:end]; bytes.ContainsRune(rest, '\n') {
			return splice(text, at, at, l.newline+indent+item(l, indent))
		}
		return splice(text, at, end, l.newline+indent+item(l, indent)+l.newline+closing)
	}
	last := items[len(items)-1]
	trailing := last.value.AfterExtra != nil
	comma := last.value.EndOffset + len(last.value.AfterExtra) // where it is, or is to be
	before := text[open:items[0].start]
	line := bytes.LastIndexByte(before, '\n')
	if line < 0 {
		// The items follow each other on one line.
		l.flat = true
		if trailing {
			return splice(text, comma+1, comma+1, l.gap()+item(l, "")+",")
		}
		return splice(text, comma, comma, ","+l.gap()+item(l, ""))
	}
	indent := leadingSpace(before[line+1:])
	text2 := l.newline + indent + item(l, indent)
	// Behind the comments that belong to the last item.
	if trailing {
		at := comma + 1 + len(bytes.TrimRight(text[comma+1:end], space))
		return splice(text, at, at, text2+",")
	}
	at := comma + len(bytes.TrimRight(text[comma:end], space))
	return splice(splice(text, at, at, text2), comma, comma, ",")
}

// removeItem takes the item with an index out of an object or an array.
func removeItem(text []byte, in *hujson.Value, index int) []byte {
	items := elements(in)
	this := items[index]
	open, end := in.StartOffset+1, in.EndOffset-1
	from := open // after what comes before, its comma included
	prevComma := -1
	if index > 0 {
		prev := items[index-1].value
		prevComma = prev.EndOffset + len(prev.AfterExtra)
		from = prevComma + 1
	}
	to := this.value.EndOffset
	last := index == len(items)-1
	if !last || this.value.AfterExtra != nil {
		to += len(this.value.AfterExtra) + len(",")
		prevComma = -1 // it stays
	}
	if len(items) == 1 && len(bytes.Trim(text[open:this.start], space)) == 0 && len(bytes.Trim(text[to:end], space)) == 0 {
		return splice(text, open, end, "")
	}
	cut := from + len(bytes.TrimRight(text[from:this.start], space))
	after := text[to:]
	if gap := after[:len(after)-len(bytes.TrimLeft(after, space))]; bytes.ContainsRune(text[cut:this.start], '\n') && !bytes.ContainsRune(gap, '\n') {
		// What follows on our line must not come behind a comment.
		cut = this.start
	}
	out := splice(text, cut, to, "")
	if prevComma >= 0 {
		out = splice(out, prevComma, prevComma+1, "")
	}
	return out
}

// errNotObject says that a key holds something else than an object.
type errNotObject struct{ key string }

func (e errNotObject) Error() string { return fmt.Sprintf("its %q is not an object", e.key) }

// walk follows keys down from the root as far as they exist, and returns the
// last value and how many keys led there.
func walk(root *hujson.Value, path []string) (*hujson.Value, int, error) {
	at := root
	for depth, key := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, 0, errNotObject{path[depth-1]}
		}
		i, err := member(o, key)
		if err != nil {
			return nil, 0, err
		}
		if i < 0 {
			return at, depth, nil
		}
		at = &o.Members[i].Value
	}
	return at, len(path), nil
}

// setJSONC sets the value at a path. A value that is there and equal stays as it
// is written.
func setJSONC(text []byte, path []string, v any) ([]byte, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	at, depth, err := walk(&root, path)
	if err != nil {
		return nil, err
	}
	l := layoutOf(text, &root)
	if depth == len(path) {
		var have any
		one := at.Clone()
		one.Standardize()
		d := json.NewDecoder(bytes.NewReader(one.Pack()))
		d.UseNumber()
		if err := d.Decode(&have); err != nil {
			return nil, err
		}
		if same(have, plain(v)) {
			return text, nil
		}
		l.flat = l.flat || !bytes.ContainsRune(text[at.StartOffset:at.EndOffset], '\n') && isObject(at)
		return splice(text, at.StartOffset, at.EndOffset, l.render(v, indentAt(text, at.StartOffset))), nil
	}
	if _, ok := at.Value.(*hujson.Object); !ok {
		return nil, errNotObject{path[depth-1]}
	}
	for i := len(path) - 1; i > depth; i-- {
		v = object{{path[i], v}}
	}
	return appendItem(text, at, l, func(l layout, indent string) string {
		return quote(path[depth]) + ":" + l.gap() + l.render(v, indent)
	}), nil
}

func isObject(v *hujson.Value) bool { _, ok := v.Value.(*hujson.Object); return ok }

// deleteJSONC removes the member at a path; that there is none is no error.
func deleteJSONC(text []byte, path []string) ([]byte, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	parent, depth, err := walk(&root, path[:len(path)-1])
	if err != nil || depth < len(path)-1 {
		return text, err
	}
	o, ok := parent.Value.(*hujson.Object)
	if !ok {
		return nil, errNotObject{strings.Join(path[:len(path)-1], ".")}
	}
	i, err := member(o, path[len(path)-1])
	if err != nil || i < 0 {
		return text, err
	}
	return removeItem(text, parent, i), nil
}
