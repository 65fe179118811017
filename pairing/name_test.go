package pairing

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"FrogBot":                       "FrogBot",
		"  FrogBot  2 ":                 "FrogBot 2",
		"a":                             "a",
		strings.Repeat("a", 40):         strings.Repeat("a", 40),
		strings.Repeat("é", 40):         strings.Repeat("é", 40),
		strings.Repeat("e\u0301", 40):   strings.Repeat("e\u0301", 40), // decomposed
		"青蛙机器人":                         "青蛙机器人",
		"ضفدع":                          "ضفدع",
		"می\u200cخواهم":                 "می\u200cخواهم", // Persian needs its joiner
		"👩\u200d💻":                      "👩\u200d💻",
		"❤\ufe0f":                       "❤\ufe0f",
		strings.Repeat("👩🏽\u200d💻", 40): strings.Repeat("👩🏽\u200d💻", 40),
		`quotes "and" \backslashes`:     `quotes "and" \backslashes`,
		"a·b":                           "a·b",
		"a\u00a0b":                      "a b",
	} {
		got, err := CleanName(in)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestCleanNameRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "no visible character",
		"   ":                               "no visible character",
		"\u200d":                            "no visible character",
		"\u200c\ufe0f":                      "no visible character",
		"\u0301":                            "no visible character",
		"\u3164":                            "invisible character U+3164",
		"\u2800":                            "invisible character U+2800",
		"a\u200bb":                          "invisible character U+200B",
		"a\ufeff":                           "invisible character U+FEFF",
		"a\u00adb":                          "invisible character U+00AD",
		"a\ufdd0":                           "invisible character U+FDD0",
		"a\u202eb":                          "U+202E in it, which changes the direction",
		"\u200ea":                           "U+200E in it, which changes the direction",
		"\u2066a\u2069":                     "U+2066 in it, which changes the direction",
		"a\nb":                              "line break",
		"a\tb":                              "tab",
		"a\u2028b":                          "line break U+2028",
		"a\x00":                             "control character U+0000",
		"\x1b[31mred":                       "control character U+001B",
		"a\xffb":                            "UTF-8",
		"a\xed\xa0\x80":                     "UTF-8", // a lone surrogate
		"FrogBot · researcher":              "stands between",
		"FrogBot   ·   researcher":          "stands between",
		strings.Repeat("a", 41):             "41 characters",
		"a" + strings.Repeat("\u0301", 200): "too many marks",
	} {
		_, err := CleanName(in)
		if !errors.Is(err, ErrBadName) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want one with %q", in, err, want)
		}
	}
}

// Whatever is accepted is short, stays as it is, and has no second form.
func TestCleanNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "name")
		got, err := CleanName(in)
		if err != nil {
			if !errors.Is(err, ErrBadName) {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if again, err := CleanName(got); err != nil || again != got {
			t.Fatalf("%q became %q and then %q, %v", in, got, again, err)
		}
		if n := visibleChars(got); n < 1 || n > maxNameChars || utf8.RuneCountInString(got) > maxNameRunes {
			t.Fatalf("%q has %d visible characters", got, n)
		}
		if strings.ContainsAny(got, "\n\r\t\x00\u202e") || strings.TrimSpace(got) != got {
			t.Fatalf("%q was let pass", got)
		}
	})
}
