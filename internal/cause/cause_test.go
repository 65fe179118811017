package cause

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestAbout(t *testing.T) {
	c := PolicyExtension.About("Chromium", "a list", "abc")
	if want := "a policy forbids Chromium the Sidekick extension (a list): have whoever administers this computer put its id abc into ExtensionInstallAllowlist"; c.Error() != want {
		t.Errorf("got %q, want %q", c.Error(), want)
	}
	err := fmt.Errorf("looking: %w", c)
	if !errors.Is(err, PolicyExtension) || errors.Is(err, PolicyDebugger) {
		t.Error("a cause that is about something is not told from others")
	}
}

// The extension cannot import this table; what it tells people has to name the
// same commands.
func TestExtensionSaysTheSame(t *testing.T) {
	installed, _, _ := strings.Cut(ManifestMissing.What, " for %s")
	_, debugger, _ := strings.Cut(PolicyDebugger.What, "%s ")
	debugger, _, _ = strings.Cut(debugger, " (%s)")
	for file, wants := range map[string][]string{
		"link.js":      {installed, strings.TrimPrefix(ManifestMissing.Mend, "run ")},
		"debuggers.js": {debugger, PolicyDebugger.Mend},
	} {
		b, err := os.ReadFile("../../extension/worker/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(`\'`, `'`, "“", `"`, "”", `"`).Replace(string(b))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("extension/worker/%s does not say %q", file, want)
			}
		}
	}
}

// Every cause has a name of its own, says what is wrong in the middle of a
// sentence, and what to do.
func TestTable(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The one that is told both with a name and without.
	const twice = "profile-gone"
	seen := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		var text [3]string
		for i, e := range lit.Elts {
			s, err := strconv.Unquote(e.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			text[i] = s
		}
		id, what, mend := text[0], text[1], text[2]
		if seen[id]++; seen[id] > 1 && id != twice {
			t.Errorf("%s is there twice", id)
		}
		if id == "" || what == "" || mend == "" || strings.HasSuffix(what+mend, ".") || strings.HasSuffix(what, ".") {
			t.Errorf("%s: no part of a sentence: %q, %q", id, what, mend)
		}
		if n := strings.Count(what+mend, "%"); n != strings.Count(what+mend, "%s") {
			t.Errorf("%s: more than %%s in it", id)
		}
		return false
	})
	if len(seen) < 50 {
		t.Errorf("only %d causes were looked at", len(seen))
	}
}
