package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

const articleText = `# On *pears*

A pear has **seeds** and a [stalk](SITE/stalk%20%28x%29); see ` + "`pear.go`" + `.
Second line_with_marks \*here\*.

## Kinds

- Green
  - Small
  - Large
- Red

3. Third
4. Fourth
   goes on

Prices

| Kind | Price |
| --- | --- |
| Green | 1\|2 |
| Red | 3 |

` + "```go\nfunc main() {\n\teat()\n}\n```" + `

> Eat more.
>
> Really.

![A ripe pear] Not shouted

**Stalk**

What it hangs on

More

In the shadow

---

\# no heading

Name Ann

---

[Home](SITE/) [About us](SITE/about)

Imprint`

func TestTextIsMarkdown(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/article.html")
	r, err := c.ReadPage(ctx, browser.ReadArgs{Mode: browser.ReadText})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(articleText, "SITE", c.site.URL); r.Text != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text, want)
	}
	f, err := c.Find(ctx, browser.FindArgs{Query: "Small", Role: "listitem"})
	if err != nil {
		t.Fatal(err)
	}
	r, err = c.ReadPage(ctx, browser.ReadArgs{Mode: browser.ReadText, Ref: ref(t, f.Text(), "Small")})
	if err != nil || r.Text != "Small" {
		t.Errorf("%q, %v", r.Text, err)
	}
}
