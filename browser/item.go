package browser

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// item is one entry of an outline; without a role it is text.
type item struct {
	role     string
	name     string
	marks    []string
	box      string // the role of what it lies in alone and that is not told
	title    string // its name, where a heading in it says that
	value    string
	url      string
	children []*item
	options  []*item           // what a select field offers, which is told in its line
	left     int               // how many it stands for that were left out
	node     cdp.BackendNodeID // that it stands for
	ref      string
	apart    bool // a text of ours, not of the page's
	block    bool // a text that stands by itself: a paragraph, a line
	run      run  // of a text
	gap      bool // a line's end between texts
	inline   bool // a text that is clicked, as such
	told     bool // its value is ours: what is drawn
	soft     bool // it is no control: a person sees that it can be clicked
}

// write prints the item, as "- role "name" [marks]: value". A link's address is
// a mark before its ref.
func (it *item) write(w *strings.Builder, indent int) {
	pad := strings.Repeat("  ", indent)
	if it.role == "" {
		fmt.Fprintf(w, "%s- text: %s\n", pad, unforged(it.value))
		return
	}
	w.WriteString(pad + "- " + it.role)
	if it.name != "" {
		w.WriteString(" " + quote(it.name))
	}
	at := ""
	if it.url != "" {
		at = " [url=" + it.url + "]"
	}
	for _, m := range it.marks {
		if strings.HasPrefix(m, "ref=") {
			w.WriteString(at)
			at = ""
		}
		w.WriteString(" [" + m + "]")
	}
	w.WriteString(at)
	inner := len(it.children) > 0
	switch {
	case len(it.options) > 0:
		w.WriteString(": " + it.optionsLine())
	case it.value != "" && !inner:
		w.WriteString(": " + unforged(it.value))
	case it.value != "" || inner:
		w.WriteString(":")
	}
	w.WriteByte('\n')
	if it.value != "" && inner {
		fmt.Fprintf(w, "%s  - text: %s\n", pad, unforged(it.value))
	}
	for _, c := range it.children {
		c.write(w, indent+1)
	}
}

// marks are the states that a reader needs, in a fixed order.
func marks(p map[string]string, role string) []string {
	var m []string
	add := func(name string) {
		switch v := p[name]; v {
		case "", "false":
		case "true":
			m = append(m, name)
		default:
			m = append(m, name+"="+v)
		}
	}
	add("checked")
	add("disabled")
	if p["expanded"] == "false" {
		m = append(m, "collapsed")
	} else {
		add("expanded")
	}
	if role == "heading" {
		add("level")
	}
	add("pressed")
	add("selected")
	add("required")
	if p["invalid"] != "" && p["invalid"] != "false" {
		m = append(m, "invalid")
	}
	if p["multiline"] == "true" && role == "textbox" {
		m = append(m, "multiline") // Enter makes a line there
	}
	if p["readonly"] == "true" && role == "textbox" {
		m = append(m, "readonly")
	}
	if p["modal"] == "true" {
		m = append(m, "modal")
	}
	if p["focused"] == "true" {
		m = append(m, "focused")
	}
	return m
}

// properties returns the AX properties of a node as text.
func properties(n *accessibility.Node) map[string]string {
	m := make(map[string]string, len(n.Properties))
	for _, p := range n.Properties {
		m[string(p.Name)] = value(p.Value)
	}
	return m
}

// value returns an AX value as text.
func value(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	raw := string(v.Value)
	if raw[0] == '"' {
		var s string
		// encoding/json turns lone surrogates into U+FFFD, as the outline must.
		if json.Unmarshal(v.Value, &s) == nil {
			return s
		}
		return ""
	}
	if f, err := strconv.ParseFloat(raw, 64); err == nil {
		bits := 64
		if f == float64(float32(f)) { // what the browser itself keeps so: 0.7, not 0.699999988079071
			bits = 32
		}
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return raw
}

// squeeze makes one line of a text, without control characters.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// words is a text without the signs that only an icon font gives a shape.
func words(s string) string {
	return squeeze(strings.Map(func(r rune) rune {
		if r >= '\ue000' && r <= '\uf8ff' {
			return -1
		}
		return r
	}, s))
}

// quote puts a name in quotes that it cannot end itself.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// unforged is a text in which nothing can be taken for a ref of ours.
func unforged(s string) string { return strings.ReplaceAll(s, "[ref=", "[ ref=") }
