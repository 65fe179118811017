package browser

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// remote is a value of a page's script as CDP tells of it (Runtime.RemoteObject),
// with a preview of an object's members where it was asked to make one.
type remote struct {
	Type        string       `json:"type"`
	Subtype     string       `json:"subtype"`
	Class       string       `json:"className"`
	Value       jsonv2.Value `json:"value"`
	Number      string       `json:"unserializableValue"` // NaN, -0, 12n
	Description string       `json:"description"`
	ID          string       `json:"objectId"`
	Preview     *preview     `json:"preview"`
}

// preview is Runtime.ObjectPreview: the first members of an object.
type preview struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Description string          `json:"description"`
	Overflow    bool            `json:"overflow"`
	Properties  []memberPreview `json:"properties"`
	Entries     []struct {
		Key   *preview `json:"key"`
		Value preview  `json:"value"`
	} `json:"entries"`
}

// memberPreview is Runtime.PropertyPreview. Its value is text already, and a
// long one is cut.
type memberPreview struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Subtype string   `json:"subtype"`
	Value   *string  `json:"value"`
	Preview *preview `json:"valuePreview"`
}

// text returns a string as it is, and everything else as a developer reads it.
func (r *remote) text() string {
	if s, ok := r.str(); ok {
		return s
	}
	return r.shown()
}

// str returns the value of a string.
func (r *remote) str() (s string, ok bool) {
	return s, r.Type == "string" && jsonv2.Unmarshal(r.Value, &s, jsonOptions) == nil
}

// shown shows the value on one line: {a: 1, b: 'x'}, (2) [1, 2], ƒ f(x).
func (r *remote) shown() string {
	s, isString := r.str()
	switch {
	case isString:
		return quotedText(s)
	case r.Subtype == "error":
		return errorLine(r.Description, true)
	case r.Type == "function":
		return functionLine(r.Description)
	case r.Preview != nil && membersTell(r.Subtype):
		return r.Preview.shown(0)
	case r.Number != "":
		return r.Number
	case len(r.Value) > 0:
		return string(r.Value)
	case r.Description != "":
		return r.Description
	}
	return r.Type // undefined
}

// closed reports whether it is told by members that are not there.
func (r remote) closed() bool {
	return r.ID != "" && r.Type == "object" && r.Preview == nil && membersTell(r.Subtype)
}

// membersTell reports whether an object of a kind is told by its members: a
// date, a pattern or an element says more by its description.
func membersTell(subtype string) bool {
	switch subtype {
	case "date", "regexp", "node", "error", "null":
		return false
	}
	return true
}

const (
	// previewDepth is how deep members of members are shown: rows of a table.
	previewDepth = 3
	// maxMember is how long the text of one member may be.
	maxMember = 100
)

func (p *preview) shown(depth int) string {
	switch {
	case p.Type == "string":
		return quotedText(p.Description)
	case p.Type == "function":
		return functionLine(p.Description)
	case p.Subtype == "error":
		return errorLine(p.Description, false)
	case p.Type != "object" || !membersTell(p.Subtype) || depth > previewDepth:
		return p.Description
	}
	if p.Subtype == "promise" {
		return p.promise()
	}
	list := p.Subtype == "array" || p.Subtype == "typedarray"
	var parts []string
	for i, m := range p.Properties {
		switch {
		case strings.HasPrefix(m.Name, "[["), p.Subtype == "typedarray" && strings.Trim(m.Name, "0123456789") != "": // the browser's own
		case p.Entries != nil && m.Name == "size":
		case list && m.Name == fmt.Sprint(i):
			parts = append(parts, m.shown(depth))
		default:
			parts = append(parts, m.Name+": "+m.shown(depth))
		}
	}
	for _, e := range p.Entries {
		s := e.Value.shown(depth + 1)
		if e.Key != nil {
			s = e.Key.shown(depth+1) + " => " + s
		}
		parts = append(parts, s)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	all := strings.Join(parts, ", ")
	name := p.Description
	if name == "Object" {
		name = ""
	}
	if n, ok := strings.CutPrefix(name, "Array"); ok && p.Subtype == "array" {
		name = n // (3)
		if n == "(0)" || depth > 0 {
			name = ""
		}
	}
	if name != "" {
		name += " "
	}
	if list {
		return name + "[" + all + "]"
	}
	return name + "{" + all + "}"
}

// promise shows what became of a promise.
func (p *preview) promise() string {
	state, result := "", ""
	for _, m := range p.Properties {
		switch m.Name {
		case "[[PromiseState]]":
			state = m.shownValue()
		case "[[PromiseResult]]":
			result = m.shown(previewDepth)
		}
	}
	if state != "pending" {
		state += ", " + result
	}
	return fmt.Sprintf("%s {%s}", p.Description, state)
}

func (m *memberPreview) shownValue() string {
	if m.Value == nil {
		return ""
	}
	return *m.Value
}

func (m *memberPreview) shown(depth int) string {
	v := clip(m.shownValue(), maxMember)
	switch {
	case m.Preview != nil:
		return m.Preview.shown(depth + 1)
	case m.Type == "string":
		return quotedText(v)
	case m.Type == "accessor":
		return "(…)" // to read it would run the page's code
	case m.Type == "function":
		return "ƒ"
	case m.Type == "object" && v == "Object":
		return "{…}"
	case m.Subtype == "error":
		return errorLine(v, false)
	}
	return v
}

// quotedText puts a text that is a member of something between quotes.
func quotedText(s string) string { return "'" + s + "'" }

// functionLine shows a function by its head.
func functionLine(source string) string {
	head, _, _ := strings.Cut(source, "{")
	if strings.HasPrefix(head, "class") {
		return strings.TrimSpace(head)
	}
	head, _, _ = strings.Cut(head, "=>")
	return "ƒ " + clip(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(head), "function")), maxMember)
}

// errorLine shows an error by its message, and on request where it was made:
// the first line of its stack.
func errorLine(description string, place bool) string {
	m := stackLine().FindStringSubmatchIndex(description)
	if m == nil {
		return strings.TrimSpace(description)
	}
	text := strings.TrimSpace(description[:m[0]])
	if place {
		text += " at " + description[m[2]:m[3]]
	}
	return text
}

var stackLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^    at (.+)$`) })
