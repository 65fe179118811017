package hostconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object or a TOML table whose order is kept. Values are
// strings, lists of strings and objects.
type object []field

type field struct {
	key   string
	value any
}

// plain is a value as a parser would read it.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		m := map[string]any{}
		for _, f := range v {
			m[f.key] = plain(f.value)
		}
		return m
	case []object:
		list := []any{}
		for _, e := range v {
			list = append(list, plain(e))
		}
		return list
	case []string:
		list := []any{}
		for _, s := range v {
			list = append(list, s)
		}
		return list
	}
	return v
}

// same reports whether two values that parsers read are equal. (Printed, for a
// NaN is not equal to itself, and fmt sorts maps.)
func same(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// quote writes a string as JSON and TOML both read it.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("hostconfig: " + err.Error()) // a string always encodes
	}
	// The one control character that TOML wants escaped and JSON does not.
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// layout is how a document is written.
type layout struct {
	newline string
	unit    string // of indentation
	flat    bool   // on one line
	tight   bool   // without spaces after colons and commas
}

// gap is the space after a colon or a comma.
func (l layout) gap() string {
	if l.tight {
		return ""
	}
	return " "
}

// render writes a value whose own line is indented by indent.
func (l layout) render(v any, indent string) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case bool:
		return fmt.Sprint(v)
	case []string:
		words := make([]string, len(v))
		for i, s := range v {
			words[i] = quote(s)
		}
		return "[" + strings.Join(words, ","+l.gap()) + "]"
	case []object:
		items := make([]string, len(v))
		for i, o := range v {
			items[i] = l.render(o, indent+l.unit)
		}
		return l.enclose("[", items, "]", indent)
	case object:
		items := make([]string, len(v))
		for i, f := range v {
			items[i] = quote(f.key) + ":" + l.gap() + l.render(f.value, indent+l.unit)
		}
		return l.enclose("{", items, "}", indent)
	}
	panic(fmt.Sprintf("hostconfig: a value of type %T", v))
}

func (l layout) enclose(open string, items []string, end, indent string) string {
	if l.flat || len(items) == 0 {
		return open + strings.Join(items, ","+l.gap()) + end
	}
	line := l.newline + indent + l.unit
	return open + line + strings.Join(items, ","+line) + l.newline + indent + end
}
