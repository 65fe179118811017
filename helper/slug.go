package helper

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
)

// maxSlug is how long a slug may be, in characters.
const maxSlug = 40

// colors are those of Chrome's tab groups.
var colors = [...]string{"grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"}

// slugOf makes the name that an agent's host gave it safe for a title and an
// id.
func slugOf(client string) string {
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
	r := []rune(b.String())
	slug := strings.Trim(string(r[:min(len(r), maxSlug)]), "-")
	if slug == "" {
		return "agent"
	}
	return slug
}

// numbered is the first of "slug", "slug 2", "slug 3" … that is not taken. An
// agent that comes back gets the one that it had, if that is still free.
func numbered(slug, had string, taken func(string) bool) string {
	if n, ok := strings.CutPrefix(had, slug+" "); ok || had == slug {
		if i, err := strconv.Atoi(n); (had == slug || err == nil && i >= 2 && i < 10_000 && strconv.Itoa(i) == n) && !taken(had) {
			return had
		}
	}
	s := slug
	for i := 2; taken(s); i++ {
		s = slug + " " + strconv.Itoa(i)
	}
	return s
}

// colorOf is the colour that an agent has always.
func colorOf(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	return colors[h.Sum32()%uint32(len(colors))]
}

// titleOf is the title of an agent's tab group.
func titleOf(pairing, slug string) string { return pairing + " · " + slug }
