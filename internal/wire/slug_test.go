package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSlug(t *testing.T) {
	for client, want := range map[string]string{
		"researcher":                   "researcher",
		"Claude Code (v2)":             "claude-code-v2",
		"  Claude Code ":               "claude-code",
		"  a//b  ":                     "a-b",
		"a/b\\c":                       "a-b-c",
		"über.cool_x-1":                "über.cool_x-1",
		"Zoë_1.2":                      "zoë_1.2",
		"mcp-client-":                  "mcp-client",
		"":                             "agent",
		"///":                          "agent",
		"---":                          "agent",
		"\x00\u202e":                   "agent",
		"研究員":                          "研究員",
		strings.Repeat("x", 100):       strings.Repeat("x", 40),
		strings.Repeat("ü", 50):        strings.Repeat("ü", 40),
		strings.Repeat("ab ", 30):      "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-a",
		strings.Repeat("é", 39) + " b": strings.Repeat("é", 39),
		strings.Repeat("é", 40) + " b": strings.Repeat("é", 40),
	} {
		if got := Slug(client); got != want {
			t.Errorf("Slug(%q) = %q, want %q", client, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"researcher", "a b", "\xff\xfe", "İstanbul", "ǅ", strings.Repeat("ab ", 30)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, client string) {
		s := Slug(client)
		if s == "" || utf8.RuneCountInString(s) > maxSlug || strings.ContainsAny(s, " /\\\"<>\n\x00") {
			t.Errorf("Slug(%q) = %q", client, s)
		}
		if again := Slug(s); again != s {
			t.Errorf("Slug(%q) = %q, and of that %q", client, s, again)
		}
	})
}
