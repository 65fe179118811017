package browser

import "strings"

// wordSet is a set of words, written "|button|link|". Unlike a map it costs
// nothing when the program starts, which each agent pays for.
type wordSet string

// has reports whether the set has a word.
func (w wordSet) has(word string) bool { return strings.Contains(string(w), "|"+word+"|") }
