package browser

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// maxAddress is how many characters of a link's address an outline tells: host,
// path and the first words of a query say where a link goes; what trackers add
// says nothing. A reading of the link alone has all of it.
const maxAddress = 100

// shownAddress is a link's address as an outline tells it, on a page. It is empty
// where it says nothing: a link that scripts alone follow.
func shownAddress(to, page string, whole bool) string {
	to = fromHere(squeeze(to), page)
	scheme, rest, _ := strings.Cut(to, ":")
	switch strings.ToLower(scheme) {
	case "javascript":
		switch strings.TrimRight(strings.ReplaceAll(rest, " ", ""), ";") {
		case "", "void(0)", "void0", "//":
			return ""
		}
		if !whole {
			to = clip(to, maxAddress/2)
		}
	case "data":
		if head, _, is := strings.Cut(to, ","); is && !whole {
			to = clip(head, maxAddress/2) + ",…"
		}
	case "#":
		return ""
	}
	if !whole {
		to = clippedAddress(to)
	}
	return escapedAddress(to)
}

// clippedAddress cuts an address that is too long, in its query or fragment if
// the path is not too long itself, and there behind one of the parts.
func clippedAddress(to string) string {
	cut := clip(to, maxAddress)
	if cut == to {
		return to
	}
	head := strings.TrimSuffix(cut, "…")
	query := strings.IndexAny(head, "?#")
	if part := strings.LastIndexAny(head, "&;"); query >= 0 && part > query {
		return head[:part+1] + "…"
	}
	return cut
}

// escapedAddress has nothing that could end the mark it stands in, or show the
// line in another order than it has.
func escapedAddress(to string) string {
	var b strings.Builder
	for _, r := range to {
		if strings.ContainsRune("[]\"", r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fromHere writes an address as the page itself would: without the origin that
// it shares with the page, and as a query or a fragment where that is all that
// differs.
func fromHere(to, page string) string {
	here, err := url.Parse(page)
	if err != nil || here.Host == "" {
		return to
	}
	base, _, _ := strings.Cut(page, "#")
	if rest, is := strings.CutPrefix(to, base); is && strings.HasPrefix(rest, "#") {
		return rest
	}
	base, _, _ = strings.Cut(base, "?")
	if rest, is := strings.CutPrefix(to, base); is && strings.HasPrefix(rest, "?") {
		return rest
	}
	if rest, is := strings.CutPrefix(to, here.Scheme+"://"+here.Host); is && strings.HasPrefix(rest, "/") {
		return rest
	}
	return to
}
