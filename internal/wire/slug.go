package wire

import (
	"strings"
	"unicode"
)

// maxSlug is how long a slug may be, in characters.
const maxSlug = 40

// Slug makes the name that an agent's host gives it safe for an id and for the
// title of a tab group: lower case, letters, digits and "-_." alone, at most 40
// characters. A name with nothing of that in it becomes "agent".
//
// The helper names agents by it; the MCP server tells the model the title
// before there is a helper.
func Slug(client string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range strings.ToLower(client) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) {
			gap = true
			continue
		}
		if gap && n > 0 {
			b.WriteByte('-')
			n++
		}
		gap = false
		if n >= maxSlug {
			break
		}
		b.WriteRune(r)
		n++
	}
	if slug := strings.Trim(b.String(), "-"); slug != "" {
		return slug
	}
	return "agent"
}
