package browser_test

import (
	"encoding/json"
	"flag"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// Whatever a page does to its elements: no two have one ref, one that lives
// keeps its own, and no other ever gets it.
func TestRefsAreUniqueAndStable(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	checks := flag.Lookup("rapid.checks")
	defer flag.Set("rapid.checks", checks.Value.String())
	flag.Set("rapid.checks", "12") // of some 40 calls each
	names := 0
	button := regexp.MustCompile(`button "(b\d+)(?: v\d+)?"(?: \[[^\]]*\])* \[ref=(e\d+)\]`)
	rapid.Check(t, func(t *rapid.T) {
		if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/changing.html"}); err != nil {
			t.Fatal(err)
		}
		read := func() string {
			r, err := c.ReadPage(ctx, browser.ReadArgs{})
			if err != nil {
				t.Fatal(err)
			}
			return r.Text
		}
		field := regexp.MustCompile(`textbox "Orders".* \[ref=(e\d+)\]`).FindStringSubmatch(read())[1]
		byName, byRef := map[string]string{}, map[string]string{}
		for range rapid.IntRange(2, 6).Draw(t, "steps") {
			var orders [][3]any
			for range rapid.IntRange(1, 6).Draw(t, "orders") {
				what := rapid.SampledFrom([]string{"add", "add", "remove", "move", "retext", "replace", "hide"}).Draw(t, "what")
				n, m := rapid.IntRange(0, 9).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "m")
				names++
				switch what {
				case "add":
					n = names
				case "replace":
					m = names
				}
				orders = append(orders, [3]any{what, n, m})
			}
			text, err := json.Marshal(orders)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Fill(ctx, browser.FillArgs{Ref: field, Value: string(text)}); err != nil {
				t.Fatal(err)
			}
			out := read()
			here := map[string]bool{}
			for _, m := range button.FindAllStringSubmatch(out, -1) {
				name, ref := m[1], m[2]
				if here[ref] {
					t.Fatalf("%s is there twice in\n%s", ref, out)
				}
				here[ref] = true
				if old, known := byName[name]; known && old != ref {
					t.Fatalf("%s had %s, now has %s in\n%s", name, old, ref, out)
				}
				if old, known := byRef[ref]; known && old != name {
					t.Fatalf("%s was %s, now is %s in\n%s", ref, old, name, out)
				}
				byName[name], byRef[ref] = ref, name
			}
		}
	})
}
