package browser

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// lineHead is how a line with a role begins, as far as its marks; what the page
// says in quotes cannot pass for one.
const lineHead = `^ *(?:- )?[a-z-]+(?: "(?:[^"\\]|\\.)*")?(?: \[[a-z]+(?:=(?:"(?:[^"\\]|\\.)*"|[^"\]]*))?\])*?`

var refMarkIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(lineHead + ` \[ref=(e\d+)\]`) })

// plain is a line as it is compared: where it lies and which thing has the
// focus is not what a reader asks for.
func plain(line string) string {
	return strings.TrimSpace(unfocused(line))
}

// difference returns the lines that tell an outline from another.
func difference(before, after []string) []string {
	was, is := plainLines(before), plainLines(after)
	for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
		was, is, before, after = was[1:], is[1:], before[1:], after[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	if len(was)*len(is) > maxCompared {
		return []string{"Many lines changed: call read_page."}
	}
	wasRef, isRef := refsOf(was), refsOf(is)
	// common[i][j] is how many lines was[i:] and is[j:] have in common.
	common := make([][]int, len(was)+1)
	for i := range common {
		common[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out, group []string
	gone := 0
	// Lines that follow each other are told with their nesting.
	flush := func() { out, group = append(out, outdented(group)...), nil }
	for i, j := 0, 0; i < len(was) || j < len(is); {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			flush()
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1]:
			if ref := refIn(was[i]); ref == "" || !isRef[ref] {
				if gone++; gone <= maxGone {
					group = append(group, "- "+unbulleted(before[i]))
				}
			}
			i++
		default:
			sign := "+ "
			if ref := refIn(is[j]); ref != "" && wasRef[ref] {
				sign = "~ "
			}
			group = append(group, sign+unbulleted(after[j]))
			j++
		}
	}
	flush()
	if gone > maxGone {
		out = append(out, fmt.Sprintf("… and %d more lines are gone.", gone-maxGone))
	}
	return out
}

// Bounds of a comparison.
const (
	// maxCompared is how many pairs of lines are compared with each other.
	maxCompared = 250_000
	// maxGone is how many of the lines that are gone are told.
	maxGone = 8
)

func plainLines(lines []string) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		list[i] = plain(l)
	}
	return list
}

func refIn(line string) string {
	if m := refMarkIn().FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func refsOf(lines []string) map[string]bool {
	refs := map[string]bool{}
	for _, l := range lines {
		refs[refIn(l)] = true
	}
	return refs
}

// outdented drops the indentation that lines with signs have in common.
func outdented(lines []string) []string {
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l[2:], " ")) - 2; least < 0 || n < least {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[:2] + l[2+least:]
	}
	return lines
}

// unbulleted drops the bullet of an outline's line, in whose place the sign is,
// and keeps how far it is indented.
func unbulleted(line string) string {
	text := strings.TrimLeft(line, " ")
	return unfocused(line[:len(line)-len(text)] + strings.TrimPrefix(text, "- "))
}

var focusedMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(` + lineHead + `) \[focused\]`) })

func unfocused(line string) string { return focusedMark().ReplaceAllString(line, "$1") }
