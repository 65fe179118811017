package mcpserver

import (
	"regexp"
	"testing"
)

// What a page says stands between marks, whichever tool it comes through.
func TestPageWordsOfOtherTools(t *testing.T) {
	s := start(t, &fakeBrowser{})
	for _, c := range []struct{ tool, args, want string }{
		{"evaluate", `{"function":"() => 1"}`, `^did Evaluate\nIt returned:\n<page-content id="(\w{12})">\n\{"a":1\}\n</page-content id="\w{12}">\nCut: this was the first 7 of 9 characters\. Have the function return less\.$`},
		{"console", `{}`, `^Tab t1, 1 of 3 console messages:\n<page-content id="\w{12}">\na line\n</page-content id="\w{12}">$`},
		{"network", `{}`, `^Tab t1 has no requests that fit\.\nNote: from now on$`},
	} {
		text, isError := s.call("1", c.tool, c.args)
		if isError || !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
	s.end()
}
