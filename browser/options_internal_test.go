package browser

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var optionToken = regexp.MustCompile(`^(?:(group )?("(?:[^"\\]|\\.)*")((?: \[[a-z]+\])*)|… ([0-9,]+) more(?: options: find, or read_page with ref=e7)?)`)

// Whatever options say, their line can be read back: each with its group and its
// state, in their order, and how many are not there.
func TestOptionsLineIsUnambiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `a", "b`, `" [selected]`, `\`, `"; group "x": "y`, "… 5 more", "[ref=e1]"}))
		type told struct {
			name, group, state string
		}
		var want []told
		left, chosen := 0, 0
		option := func(group string) *item {
			o := &item{role: "option", name: squeeze(text.Draw(t, "label"))}
			if rapid.IntRange(0, 20).Draw(t, "selected") == 0 {
				o.marks = append(o.marks, "selected")
				chosen++
			}
			if rapid.IntRange(0, 5).Draw(t, "disabled") == 0 {
				o.marks = append(o.marks, "disabled")
			}
			want = append(want, told{o.name, group, strings.Join(o.marks, " ")})
			return o
		}
		field := &item{role: "combobox", ref: "e7"}
		for range rapid.IntRange(0, 30).Draw(t, "many") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				g := &item{role: "group", name: squeeze(text.Draw(t, "group"))}
				for range rapid.IntRange(1, 4).Draw(t, "inside") {
					g.children = append(g.children, option(g.name))
				}
				field.children = append(field.children, g)
			case 1:
				n := rapid.IntRange(1, 2000).Draw(t, "left")
				if rapid.Bool().Draw(t, "gap") {
					field.children = append(field.children, &item{apart: true, left: n})
					left += n
				}
			default:
				field.children = append(field.children, option(""))
			}
		}
		field.offer()
		if len(field.options) == 0 {
			return
		}
		line := field.optionsLine()
		var got []told
		group, after, missing := "", "", 0
		for rest := line; rest != ""; {
			m := optionToken.FindStringSubmatch(rest)
			if m == nil {
				t.Fatalf("%q cannot be read in %q", rest, line)
			}
			rest = rest[len(m[0]):]
			if after == "; " {
				group = ""
			}
			if m[4] != "" {
				n, _ := strconv.Atoi(strings.ReplaceAll(m[4], ",", ""))
				missing += n
			} else {
				name := unquoted(m[2])
				if m[1] != "" {
					group = name
					if rest, _ = strings.CutPrefix(rest, ": "); rest == "" {
						t.Fatalf("a group is empty in %q", line)
					}
					after = ": "
					continue
				}
				got = append(got, told{name, group, strings.NewReplacer("[", "", "]", "").Replace(strings.TrimSpace(m[3]))})
			}
			if rest != "" {
				if after = rest[:2]; after != ", " && after != "; " {
					t.Fatalf("%q is between options in %q", rest, line)
				}
				rest = rest[2:]
			}
		}
		if missing+len(got) != left+len(want) {
			t.Fatalf("%d are told and %d counted of %d and %d: %q", len(got), missing, len(want), left, line)
		}
		at := 0
		for _, g := range got {
			i := slices.IndexFunc(want[at:], func(w told) bool {
				return w.group == g.group && w.state == g.state && (w.name == g.name || clip(w.name, maxOptionName) == g.name)
			})
			if i < 0 {
				t.Fatalf("%+v is not among the options, or not in their order: %q", g, line)
			}
			at += i + 1
			if strings.Contains(g.state, "selected") {
				chosen--
			}
		}
		if chosen != 0 {
			t.Fatalf("%d of the chosen ones are not told: %q", chosen, line)
		}
	})
}

// unquoted is what quote put in quotes.
func unquoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s[1 : len(s)-1])
}
