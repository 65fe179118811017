package browser

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"pgregory.net/rapid"
)

// Any line of an outline: an address, a text, or a role with its name in quotes
// that end where they should, its marks, and a text.
var outlineLine = regexp.MustCompile(`^((?:  )*)- (?:text: \S.*|[a-z-]+(?: "(?:[^"\\]|\\.)*")?(?: \[[a-z]+(?:=(?:[^\]"]*|"(?:[^"\\]|\\.)*"))?\])*(?::|: \S.*)?)$`)

var someRoles = []string{
	"button", "link", "textbox", "heading", "generic", "none", "StaticText", "StaticText", "StaticText", "paragraph", "list", "listitem",
	"row", "cell", "table", "img", "combobox", "option", "Date", "LabelText", "ListMarker", "Iframe", gapRole, "dialog", "checkbox", "image",
}

// draw makes an accessibility tree of random nodes with random texts.
func draw(t *rapid.T) *frameTree {
	f := &frameTree{doc: &document{}, marked: marked{clicks: map[cdp.BackendNodeID]click{}, cased: map[cdp.BackendNodeID]string{}, hints: map[cdp.BackendNodeID]string{}}}
	text := rapid.OneOf(
		rapid.String(), rapid.SampledFrom([]string{"", " ", "same", "\"quoted\" \\", "- text: x", "a\nb", "[ref=e1]", "x]: y", "\u2028", "\xff", "\x00\x1b[0m", ": "}),
	)
	val := func(s string) *accessibility.Value {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return &accessibility.Value{Value: b}
	}
	n := rapid.IntRange(1, 40).Draw(t, "nodes")
	for i := range n {
		node := &accessibility.Node{
			NodeID: accessibility.NodeID(fmt.Sprint(i)), BackendDOMNodeID: cdp.BackendNodeID(i + 1),
			Role: val(rapid.SampledFrom(someRoles).Draw(t, "role")), Name: val(text.Draw(t, "name")),
			Ignored: rapid.IntRange(0, 5).Draw(t, "ignored") == 0,
		}
		if rapid.IntRange(0, 3).Draw(t, "valued") == 0 {
			node.Value = val(text.Draw(t, "value"))
		}
		for _, p := range []accessibility.PropertyName{"focusable", "modal", "disabled", "invalid"} {
			if rapid.IntRange(0, 5).Draw(t, string(p)) == 0 {
				node.Properties = append(node.Properties, &accessibility.Property{Name: p, Value: &accessibility.Value{Value: []byte("true")}})
			}
		}
		if rapid.IntRange(0, 5).Draw(t, "url") == 0 {
			node.Properties = append(node.Properties, &accessibility.Property{Name: "url", Value: val(text.Draw(t, "url"))})
		}
		switch rapid.IntRange(0, 8).Draw(t, "mark") {
		case 0:
			f.clicks[node.BackendDOMNodeID] = click{hint: text.Draw(t, "hint"), shown: rapid.Bool().Draw(t, "shown")}
		case 1:
			f.hints[node.BackendDOMNodeID] = text.Draw(t, "hint")
		case 2:
			f.cased[node.BackendDOMNodeID] = text.Draw(t, "cased")
		}
		f.nodes = append(f.nodes, node)
		if i > 0 {
			parent := f.nodes[rapid.IntRange(0, i-1).Draw(t, "parent")]
			parent.ChildIDs = append(parent.ChildIDs, node.NodeID)
		}
	}
	f.nodes[0].Role = val("RootWebArea")
	return f
}

func TestOutlineIsWellFormedForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		b := New(nil, Options{})
		b.refs.next, b.refs.limit = 1, 1000
		o := &operation{b: b, t: newTab("t1")}
		d := newDrawing(o, []*frameTree{f})
		items := modal(d.build(f, f.nodes[0]), f.nodes)
		d.notePlaces(items)
		var w strings.Builder
		for _, it := range items {
			it.write(&w, 0)
		}
		depth := -1
		refs := map[string]bool{}
		for line := range strings.SplitSeq(strings.TrimSuffix(w.String(), "\n"), "\n") {
			if line == "" && w.Len() == 0 {
				break
			}
			m := outlineLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("no line of an outline: %q in\n%s", line, w.String())
			}
			in := len(m[1]) / 2
			if in > depth+1 {
				t.Fatalf("%q is %d deep, after %d, in\n%s", line, in, depth, w.String())
			}
			depth = in
		}
		var walk func(items []*item)
		walk = func(items []*item) {
			for _, it := range items {
				if it.ref != "" && refs[it.ref] {
					t.Fatalf("%s is there twice in\n%s", it.ref, w.String())
				}
				refs[it.ref] = true
				walk(it.children)
			}
		}
		walk(items)
	})
}
