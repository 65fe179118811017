package mcpserver

import (
	"regexp"
	"testing"
)

// What a page says stands between marks, whichever tool it comes through.
func TestPageWordsOfOtherTools(t *testing.T) {
	s := start(t, &fakeBrowser{})
	for _, c := range []struct{ tool, args, want string }{
		{"evaluate", `{"function":"() => 1"}`, `^did Evaluate\nIt returned:\n<page (\w{8})>\n\{"a":1\}\n</page \w{8}>\nCut: this was the first 7 of 9 characters\. Have the function return less\.$`},
		{"tabs", `{"action":"list"}`, `^t1 \(current\): "A" — https://a\.example/\nt2: about:blank, dialog open: confirm "Delete \\"a\\"\? \(sure\)"$`},
		{"console", `{}`, `^Tab t1, 1 of 3 console messages:\n<page \w{8}>\n\d\d:\d\d:00 log: a line \(https://a\.example/x\.js:3\)\n</page \w{8}>$`},
		{"network", `{"filter":"api"}`, `^Tab t1, 1 of 1 requests:\n<page \w{8}>\nn2 POST fetch https://a\.example/api → 200 application/json, 12 bytes in 3 ms\n</page \w{8}>$`},
		{"network", `{"request":"n2"}`, `^Tab t1, request n2:\n<page \w{8}>\nn2 POST .*\n</page \w{8}>\nIt sent application/json:\n<page \w{8}>\n\{"a":1\}\n</page \w{8}>\n` +
			`It got application/json:\n<page \w{8}>\n\[1,2\n</page \w{8}>\nCut: of what it got this was the first 4 of 30000 characters\.$`},
		{"network", `{"request":"n3"}`, `\nIt got image/png, 1001 bytes that are no text and so not shown\.\nNote: What it sent is not there\.$`},
		{"network", `{"request":"n4"}`, `</page \w{8}>\nIt has no body\.$`},
		{"network", `{}`, `^Tab t1 has no requests that fit\.\nNote: from now on$`},
	} {
		text, isError := s.call("1", c.tool, c.args)
		if isError || !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
	s.end()
}
