package browser

import (
	"fmt"
	"slices"
	"strings"
)

// save is a file that a page began to save, by a link with the attribute
// download. Of a download that the browser holds back because the page began
// another one before, this is the only sign: the debugger, the console and
// chrome.downloads say nothing.
type save struct {
	ID   string `json:"id"`
	URL  string `json:"url"`
	Name string `json:"name"`
	done bool   // a download of it is known
	told bool   // a call told that there is none so far
	late bool   // a call waited for it in vain: it is not waited for again
}

// maxSaves is how many files of a page without a download are kept in mind.
const maxSaves = 100

// noteSaves takes in what a page began to save; it says each more than once.
func (o *operation) noteSaves(list []save) {
	if len(list) == 0 {
		return
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	for _, s := range list {
		if !slices.ContainsFunc(o.t.saves, func(known *save) bool { return known.ID == s.ID }) {
			o.t.saves = append(o.t.saves, &s)
		}
	}
	o.t.saves = o.t.saves[max(0, len(o.t.saves)-maxSaves):]
}

// pair finds the downloads of the saves, and returns those without. One may have
// come before its save, and from another address, where that of the link sent the
// browser on: so what no address fits may be any download of no other link. b.mu
// is held.
func (t *tab) pair() (left []*save) {
	for _, same := range []bool{true, false} {
		left = nil
		for _, s := range t.saves {
			if s.done {
				continue
			}
			if d := t.unpaired(s, same); d != nil {
				d.linked, s.done = true, true
			} else {
				left = append(left, s)
			}
		}
	}
	return left
}

func (t *tab) unpaired(s *save, same bool) *download {
	for _, d := range t.downloads {
		if !d.linked && (!same || d.URL == s.URL) {
			return d
		}
	}
	return nil
}

// awaited reports whether a download may be about to begin. b.mu is held.
func (t *tab) awaited() bool {
	return slices.ContainsFunc(t.pair(), func(s *save) bool { return !s.late })
}

// heldBack says which files the page began to save, or seems to have gone to,
// with no download of it. Each is told once.
func (o *operation) heldBack(m mark) string {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	left := o.t.pair()
	for _, s := range left {
		s.late = true
	}
	if len(o.t.downloads) == 0 {
		return "" // the first download of a tab is never held back
	}
	var list []*save
	for _, s := range left {
		if !s.told {
			s.told = true
			list = append(list, s)
		}
	}
	const why = "A browser lets a page begin one download by itself, and waits for its user to allow more, by a question in its window or a sign in the address bar. Ask the user to allow it, or open the page in a new tab and get one file there."
	switch {
	case len(list) > 0:
		var names []string
		for _, s := range list[:min(len(list), 5)] {
			name := s.Name
			if name == "" {
				name = "a file"
			}
			names = append(names, fmt.Sprintf("%q", name))
		}
		more := ""
		if n := len(list) - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf("The page asked for the download of %s%s, and none has begun: the server may be slow, or the browser does not let it. ", strings.Join(names, ", "), more) + why
	case o.t.load.stayed(m.load) && len(o.t.downloads) == m.downloads:
		return "The page asked for an address and got neither a page nor a download from it. If it is a file's, the browser may not let it. " + why
	}
	return ""
}
