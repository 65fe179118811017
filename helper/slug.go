package helper

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// colors are those of Chrome's tab groups.
var colors = [...]string{"grey", "blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"}

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
