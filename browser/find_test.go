package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestFind(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/finds.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Inner same"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		query, role string
		lines       []string // each has these, split at |
	}{
		{"put INTO  basket", "", []string{`- button "Put into basket" [ref=|under "Pears"`, `- button "Put into basket" [ref=|under "Apples"`}},
		{"Basket", "link", []string{`- link "Basket" [ref=|navigation "Main"`}},
		{"green pear", "", []string{`- paragraph|[ref=|ripe green pear|under "Pears"`}},
		{"street", "", []string{`- textbox "Street name" [ref=`}},
		{"post code", "textbox", []string{`- textbox "Your post code" [ref=|form "Address"`}},
		{"send it", "", []string{`- button "Send it off" [ref=`}},
		{"peru", "", []string{`- option "Peru" [ref=`}},
		{"open roof", "", []string{`- button "Under the open roof" [ref=`}},
		{"closed doors", "button", []string{`- button "Behind closed doors" [ref=`}},
		{"remove", "", []string{`[ref=|remove|item "One thing remove"`}},
		{"inside same", "", []string{`- button "Inside same" [ref=`}},
		{"hidden words", "", nil},
		{"put into basket", "link", nil},
	} {
		f, err := c.Find(ctx, browser.FindArgs{Query: q.query, Role: q.role})
		if err != nil {
			t.Errorf("%s: %v", q.query, err)
			continue
		}
		lines := strings.Split(f.Text(), "\n")
		if len(f.Matches) != len(q.lines) || len(f.Matches) > 0 && len(lines) != len(f.Matches) {
			t.Errorf("%s: %d lines, want %d:\n%s", q.query, len(f.Matches), len(q.lines), f.Text())
			continue
		}
		for i, want := range q.lines {
			for part := range strings.SplitSeq(want, "|") {
				if !strings.Contains(lines[i], part) {
					t.Errorf("%s: %q is not in %s", q.query, part, lines[i])
				}
			}
		}
	}
	f, err := c.Find(ctx, browser.FindArgs{Query: "red tomato"})
	if err != nil || len(f.Matches) != 0 || !strings.Contains(strings.Join(f.Near, "\n"), "A red apple.") {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := c.Find(ctx, browser.FindArgs{Query: " "}); err == nil || !strings.HasSuffix(err.Error(), ".") {
		t.Errorf("the error is %v", err)
	}
	// What a closed list offers is found with a ref, and not clicked.
	f, err = c.Find(ctx, browser.FindArgs{Query: "peru"})
	if err != nil {
		t.Fatal(err)
	}
	peru := ref(t, f.Text(), "Peru")
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: peru}); err == nil || !strings.Contains(err.Error(), "choose it with select_option") {
		t.Errorf("a click on an option: %v", err)
	}
	if o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: peru, Values: []string{"Peru"}}); err != nil || !strings.Contains(o.Did, `"Peru"`) {
		t.Errorf("%+v, %v", o, err)
	}
	f, err = c.Find(ctx, browser.FindArgs{Query: "remove"})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, f.Text(), "remove")}); err != nil || o.Tab.Title != "removed" {
		t.Errorf("%+v, %v", o, err)
	}
}

// The accessibility tree has no node for most elements that only hold a text in
// a line.
func TestFindInALine(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/findsinline.html")
	refs := map[string]string{}
	for query, want := range map[string]string{
		"nine francs": `: nine francs — under "Words"`, "deep word": `: Deep word — under "Words"`, "bold word": `: Bold word — under "Words"`,
		"sloped": `: sloped word — under "Words"`, "own element": `: Own element — under "Words"`,
		"under the hand": `: Under the hand — under "Words"`, "presented": `: Presented — under "Words"`,
		"without a box": `: Text without a box — under "Words"`, "boxless name": `: A boxless name — under "Words"`,
	} {
		f, err := c.Find(ctx, browser.FindArgs{Query: query})
		if err != nil || len(f.Matches) != 1 || f.Total != 1 {
			t.Errorf("%s: %+v, %v", query, f, err)
			continue
		}
		if m := f.Matches[0]; m.Role == "" || m.Ref == "" || m.Line != "- "+m.Role+" [ref="+m.Ref+"]"+want {
			t.Errorf("%s: %+v", query, m)
		}
		refs[query] = f.Matches[0].Ref
	}
	for _, query := range []string{"hidden boxless", "veiled boxless"} {
		if f, err := c.Find(ctx, browser.FindArgs{Query: query}); err != nil || len(f.Matches) != 0 {
			t.Errorf("%s: %+v, %v", query, f, err)
		}
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: refs["deep word"]}); err != nil || o.Tab.Title != "row clicked" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: refs["without a box"]}); err != nil || o.Tab.Title != "boxless clicked" {
		t.Errorf("%+v, %v", o, err)
	}
	f, err := c.Find(ctx, browser.FindArgs{Query: "deep word"})
	if err != nil || len(f.Matches) != 1 || f.Matches[0].Ref != refs["deep word"] {
		t.Errorf("found again it is %+v, %v; it was %s", f, err, refs["deep word"])
	}
}

func TestFindInLargeTable(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/table.html?rows=10000")
	c.read(t)
	start := time.Now()
	f, err := c.Find(ctx, browser.FindArgs{Query: "edit 10000"})
	t.Logf("%v\n%s", time.Since(start), f.Text())
	if err != nil || len(f.Matches) != 1 || !strings.Contains(f.Text(), `row "10000 Name 10000`) {
		t.Fatalf("%+v, %v", f, err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, f.Text(), "Edit 10000")}); err != nil || o.Tab.Title != "Clicked Edit 10000" {
		t.Errorf("%+v, %v", o, err)
	}
	f, err = c.Find(ctx, browser.FindArgs{Query: "Edit", Role: "button"})
	if err != nil || len(f.Matches) != 20 || f.Total < 2000 {
		t.Errorf("%d of %d, %v", len(f.Matches), f.Total, err)
	}
	for i, l := range strings.Split(f.Text(), "\n") {
		if !strings.HasPrefix(l, fmt.Sprintf(`- button "Edit %d" [ref=`, i+1)) {
			t.Errorf("line %d is %s", i, l)
		}
	}
}
