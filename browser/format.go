package browser

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// formatted returns what a page logged as text. If the first value is a text,
// its specifiers take the values that follow, as the Console standard's
// Formatter says; what is left over comes behind, one after the other.
func formatted(args []remote) string {
	var parts []string
	if len(args) > 1 {
		if format, ok := args[0].str(); ok && strings.Contains(format, "%") {
			var s string
			s, args = specified(format, args[1:])
			parts = append(parts, s)
		}
	}
	for i := range args {
		parts = append(parts, args[i].text())
	}
	return strings.Join(parts, " ")
}

// specified fills in a format, and returns the values that it did not take.
func specified(format string, args []remote) (string, []remote) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found || after == "" {
			if found {
				b.WriteByte('%')
			}
			return b.String(), args
		}
		verb := after[0]
		format = after[1:]
		switch {
		case verb == '%':
			b.WriteByte('%')
		case !strings.ContainsRune("sdifoOc", rune(verb)) || len(args) == 0:
			b.WriteByte('%')
			format = after
		default:
			switch arg := &args[0]; verb {
			case 's':
				b.WriteString(arg.text())
			case 'd', 'i':
				b.WriteString(arg.number(true))
			case 'f':
				b.WriteString(arg.number(false))
			case 'o', 'O':
				b.WriteString(arg.shown())
			}
			// The style that %c takes shows nothing.
			args = args[1:]
		}
	}
}

// number is the value as parseInt or parseFloat read it.
func (r *remote) number(whole bool) string {
	s := r.Number
	if t, ok := r.str(); ok {
		s = t
	} else if r.Type == "number" && s == "" {
		s = string(r.Value)
	}
	if r.Type == "bigint" {
		return s
	}
	var f float64
	if r.Type == "number" {
		if jsonv2.Unmarshal(r.Value, &f, jsonOptions) != nil {
			return s // NaN and its kin
		}
	} else {
		form := leading()[1]
		if whole {
			form = leading()[0]
		}
		var err error
		if f, err = strconv.ParseFloat(form.FindString(strings.TrimSpace(s)), 64); err != nil {
			return "NaN"
		}
	}
	if whole {
		f = math.Trunc(f)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// leading are the numbers that a text may begin with: a whole one, and any.
var leading = sync.OnceValue(func() (list [2]*regexp.Regexp) {
	return [2]*regexp.Regexp{regexp.MustCompile(`^[+-]?\d+`), regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)}
})
