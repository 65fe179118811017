package pairing

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNameChars is how many visible characters a name may have: a tab
	// group's title has to stay readable.
	maxNameChars = 40
	// maxNameRunes bounds what may pile up on the visible characters.
	maxNameRunes = 4 * maxNameChars
	// separator stands between a pairing's name and an agent's in the title
	// of a tab group.
	separator = " · "
)

// CleanName returns name as it will be kept: without white space at its ends,
// and with single spaces inside. A name that cannot be one is an error that is
// [ErrBadName] and says why.
func CleanName(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", badName("it is not valid UTF-8 text")
	}
	for _, r := range name {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return "", badName("it has a tab or a line break in it")
		case unicode.IsControl(r):
			return "", badName(fmt.Sprintf("it has the control character %U in it", r))
		case unicode.Is(unicode.Bidi_Control, r):
			return "", badName(fmt.Sprintf("it has %U in it, which changes the direction of the text around it", r))
		case unicode.In(r, unicode.Zl, unicode.Zp):
			return "", badName(fmt.Sprintf("it has the line break %U in it", r))
		case invisible(r) && !joiner(r):
			return "", badName(fmt.Sprintf("it has the invisible character %U in it", r))
		}
	}
	name = strings.Join(strings.Fields(name), " ")
	if strings.Contains(name, separator) {
		return "", badName(fmt.Sprintf("it has %q in it, which stands between the pairing and the agent in the title of a tab group", separator))
	}
	switch n := visibleChars(name); {
	case n == 0:
		return "", badName("it has no visible character")
	case n > maxNameChars:
		return "", badName(fmt.Sprintf("it has %d characters, and 40 is the most", n))
	case utf8.RuneCountInString(name) > maxNameRunes:
		return "", badName("it has too many marks over and under its letters")
	}
	return name, nil
}

func badName(why string) error {
	return &problem{ErrBadName, "that name cannot be used, for " + why + ": choose one of 1 to 40 visible characters, such as FrogBot"}
}

// visibleChars counts the characters that a reader sees: a letter with its
// accents is one, and so is an emoji that joiners hold together.
func visibleChars(s string) int {
	n := 0
	joined := false
	for _, r := range s {
		switch {
		case r == zeroWidthJoiner:
			joined = n > 0
			continue
		case invisible(r), unicode.In(r, unicode.Mn, unicode.Me), skinTone(r):
			continue
		}
		if !joined {
			n++
		}
		joined = false
	}
	return n
}

const zeroWidthJoiner = '\u200d'

// joiner reports whether r, though invisible itself, belongs to the writing of
// some names: Persian and Indian scripts need the two joiners, and emoji the
// variation selectors and tags as well.
func joiner(r rune) bool {
	return r == zeroWidthJoiner || r == '\u200c' || unicode.Is(unicode.Variation_Selector, r) ||
		r >= 0xe0020 && r <= 0xe007f
}

// invisible reports whether r takes no ink: format characters, what Unicode
// says will never be a character, and the letters that are blank by design
// (Hangul fillers, the empty Braille pattern).
func invisible(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800, 0x034f, 0x17b4, 0x17b5:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Noncharacter_Code_Point, r)
}

// skinTone reports whether r colours the emoji before it.
func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// sameName reports whether two clean names differ in case at most.
func sameName(a, b string) bool { return strings.EqualFold(a, b) }
