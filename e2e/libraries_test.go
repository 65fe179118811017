//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// libraries is where the pages of widely used libraries are made: package.json
// there pins each one's version.
const libraries = "libraries"

// libraryJobs are what is done on each page of libraries/pages, by the page's
// name. They are the uses that the library's own demonstration shows.
var libraryJobs = []struct {
	page string
	job  func(*library)
}{
	{"react", todoMVC}, {"vue", todoMVC}, {"svelte", todoMVC}, {"lit", todoMVC}, {"angular", todoMVC},
	{"mui", materialUI}, {"antd", antDesign}, {"shoelace", shoelace}, {"jqueryui", jQueryUI}, {"bootstrap", bootstrap},
	{"quill", quill}, {"prosemirror", proseMirror}, {"lexical", lexical}, {"codemirror", codeMirror}, {"monaco", monaco},
	{"flatpickr", flatpickr}, {"select2", select2}, {"datatables", dataTables}, {"leaflet", leaflet},
	{"sortable", sortableJS},
}

// TestLibraries drives pages made with libraries that nobody here wrote, by
// refs alone. The page's own state is the witness of each step.
func TestLibraries(t *testing.T) {
	pages := serveLibraries(t)
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("start.html"))
	p := e.probe()
	for _, j := range libraryJobs {
		t.Run(j.page, func(t *testing.T) {
			a := a.in(t)
			a.ok("navigate", args{"tab": tab, "url": pages + "/" + j.page + ".html"})
			session, err := p.attach(p.pageAt("/" + j.page + ".html").ID)
			if err != nil {
				t.Fatal(err)
			}
			defer p.detach(session)
			j.job(&library{agent: a, t: t, tab: tab, probe: p, session: session})
		})
	}
}

// serveLibraries builds the pages, unless that is done, and serves them
// together with the packages that they name.
func serveLibraries(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	// It is quick when all is in place (scripts/setup.sh does it too).
	out, err := exec.CommandContext(ctx, "../scripts/libraries.sh").CombinedOutput()
	if err != nil {
		t.Fatalf("making the libraries' pages: %v\n%s", err, out)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(libraries, "dist"))))
	mux.Handle("/node_modules/", http.FileServer(http.Dir(libraries)))
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// library is the page of one library in the agent's tab.
type library struct {
	*agent
	t       *testing.T
	tab     string
	probe   *probe
	session string
}

// read is the page as the agent reads it.
func (l *library) read() string {
	l.t.Helper()
	return l.ok("read_page", args{"tab": l.tab})
}

// ref is the ref of an element, which may take a moment to appear. Of several
// whose role and name fit it is the nth, counted from 0; the last is -1.
func (l *library) ref(role, name string, nth ...int) string {
	l.t.Helper()
	n, outline := 0, ""
	if len(nth) > 0 {
		n = nth[0]
	}
	var refs []string
	if !holds(5*time.Second, func() bool {
		outline = l.read()
		refs = findRefs(outline, role, name)
		return len(refs) > max(n, 0)
	}) {
		l.t.Fatalf("no %s %q (number %d) in:\n%s", role, name, n, outline)
	}
	if n < 0 {
		n += len(refs)
	}
	return refs[n]
}

// found is the ref of the one element that shows a text.
func (l *library) found(text string) string {
	l.t.Helper()
	lines := l.ok("find", args{"tab": l.tab, "query": text})
	refs := findRefs(lines, "[a-z]+", regexp.QuoteMeta(text))
	if len(refs) != 1 {
		l.t.Fatalf("%d elements show %q: %s", len(refs), text, lines)
	}
	return refs[0]
}

func (l *library) click(role, name string, nth ...int) string {
	l.t.Helper()
	return l.ok("click", args{"ref": l.ref(role, name, nth...)})
}

func (l *library) fill(role, name, value string, nth ...int) string {
	l.t.Helper()
	return l.ok("fill", args{"ref": l.ref(role, name, nth...), "value": value})
}

// typeIn types into an element; submit presses Enter after it.
func (l *library) typeIn(role, name, text string, submit bool) string {
	l.t.Helper()
	return l.ok("type_text", args{"ref": l.ref(role, name), "text": text, "submit": submit})
}

// press presses a key where the focus is.
func (l *library) press(key string) string {
	l.t.Helper()
	return l.ok("press_key", args{"tab": l.tab, "key": key})
}

// want waits for the page to be in a state, as a script in the page sees it.
func (l *library) want(what, expression, want string) {
	l.t.Helper()
	var got string
	var err error
	// all finds elements in shadow roots too.
	script := `(() => { const all = (s, r = document) => [...r.querySelectorAll(s), ...[...r.querySelectorAll('*')].filter((n) => n.shadowRoot).flatMap((n) => all(s, n.shadowRoot))];
		return String(` + expression + `) })()`
	if !holds(5*time.Second, func() bool {
		err = l.probe.evalIn(l.session, script, &got)
		return err == nil && got == want
	}) {
		l.t.Fatalf("%s: %s is %q (%v), not %q; the agent reads:\n%s", what, expression, got, err, want, l.read())
	}
}

// findRefs are the refs of all elements in an outline whose role and name match
// two patterns; one without a name may be called by its text. Case is the
// page's style, which is not what these tests are about.
func findRefs(outline, role, name string) []string {
	kind := regexp.MustCompile("^(?:" + role + ")$")
	pattern := regexp.MustCompile("(?i)^(?:" + name + ")$")
	var refs []string
	for line := range strings.Lines(outline) {
		m := outlineLine.FindStringSubmatch(line)
		called := ""
		if m == nil || !kind.MatchString(m[1]) || m[2] != "" && json.Unmarshal([]byte(m[2]), &called) != nil {
			continue
		}
		_, text, _ := strings.Cut(strings.TrimSpace(line), "]: ")
		if pattern.MatchString(called) || called == "" && text != "" && pattern.MatchString(text) {
			refs = append(refs, m[3])
		}
	}
	return refs
}
