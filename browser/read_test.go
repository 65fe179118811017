package browser_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// ref returns the ref of the first line of an outline that holds what.
func ref(t *testing.T, outline, what string) string {
	t.Helper()
	for l := range strings.Lines(outline) {
		if !strings.Contains(l, what) {
			continue
		}
		if m := regexp.MustCompile(`\[ref=(e\d+)\]`).FindStringSubmatch(l); m != nil {
			return m[1]
		}
	}
	t.Fatalf("no ref for %s in\n%s", what, outline)
	return ""
}

func (c *chromium) open(t *testing.T, page string) {
	t.Helper()
	if _, err := c.OpenTab(testContext(t), c.site.URL+page); err != nil {
		t.Fatal(err)
	}
}

func (c *chromium) read(t *testing.T) string {
	t.Helper()
	r, err := c.ReadPage(testContext(t), browser.ReadArgs{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

const formOutline = `- heading "Order" [level=1]
- paragraph:
  - text: Some bold text and a
  - link "link to another page" [url=/other.html] [ref=e1]
  - text: .
- textbox "Name" [ref=e2]
- textbox "Mail" [required] [placeholder="you@host"] [ref=e3]
- checkbox "Newsletter" [ref=e4]
- combobox "Size" [ref=e5]: "Small", "Medium" [selected], "Large"
- textbox "Note" [multiline] [ref=e6]
- textbox "Secret" [ref=e7]
- button "Send" [ref=e8]
- button "Not now" [disabled] [ref=e9]
- list:
  - listitem: One
  - listitem: Two
- button "Alert" [ref=e10]
- button "Prompt" [ref=e11]
- button "Pop-up" [ref=e12]
- button "Later" [ref=e13]
- link "Download" [url=/file] [ref=e14]
- textbox "Editor" [ref=e15]: old
- button "Go there later" [ref=e16]`

func TestOutline(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/form.html")
	want := strings.ReplaceAll(formOutline, "SITE", c.site.URL)
	for range 2 { // refs stay the same
		if got := c.read(t); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestOutlineOfElementAndInParts(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	whole := c.read(t)
	r, err := c.ReadPage(ctx, browser.ReadArgs{Ref: ref(t, whole, `combobox "Size"`)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Text, `- combobox "Size"`) || strings.Contains(r.Text, "Newsletter") || !strings.Contains(r.Text, `option "Large"`) {
		t.Errorf("the subtree is\n%s", r.Text)
	}
	var parts string
	for offset := 0; ; {
		r, err := c.ReadPage(ctx, browser.ReadArgs{Offset: offset, MaxChars: 200})
		if err != nil {
			t.Fatal(err)
		}
		if len([]rune(r.Text)) > 200 {
			t.Errorf("a part has %d characters", len([]rune(r.Text)))
		}
		if !strings.HasPrefix(strings.TrimLeft(r.Text, " "), "- ") || r.NextOffset > 0 && !strings.HasSuffix(r.Text, "\n") {
			t.Errorf("a part does not end with a line: %q", r.Text)
		}
		parts += r.Text
		if r.NextOffset == 0 {
			break
		}
		offset = r.NextOffset
	}
	if parts != whole {
		t.Errorf("the parts make\n%s\nwant\n%s", parts, whole)
	}
	// The parts of one reading fit together, whatever the page does meanwhile;
	// a reading from the beginning sees what it did.
	first, err := c.ReadPage(ctx, browser.ReadArgs{MaxChars: 200})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, whole, `"Newsletter"`)}); err != nil {
		t.Fatal(err)
	}
	rest, err := c.ReadPage(ctx, browser.ReadArgs{Offset: first.NextOffset})
	if err != nil || first.Text+rest.Text != whole {
		t.Errorf("the rest is %+v, %v", rest, err)
	}
	if now := c.read(t); !strings.Contains(now, `checkbox "Newsletter" [checked]`) {
		t.Errorf("a new reading is\n%s", now)
	}
	text, err := c.ReadPage(ctx, browser.ReadArgs{Mode: browser.ReadText})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.Text, "Some **bold** text and a [link to another page]("+c.site.URL+"/other.html).") || strings.Contains(text.Text, "never seen") {
		t.Errorf("the text is\n%s", text.Text)
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/frames.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Inner deep"}); err != nil {
		t.Fatal(err)
	}
	// It is there as long as one frame has it.
	for _, text := range []string{"Inner same", "Inner deep"} {
		if o, err := c.WaitFor(ctx, browser.WaitArgs{TextGone: text, Timeout: 300 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still there") {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	out := c.read(t)
	for _, where := range []string{"same", "deep"} {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Inside `+where+`"`)}); err != nil {
			t.Errorf("%s: %v\n%s", where, err, out)
			continue
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: where + " clicked"}); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		field := ref(t, out, `"Field `+where+`"`)
		if o, err := c.Fill(ctx, browser.FillArgs{Ref: field, Value: "filled " + where}); err != nil || !strings.Contains(o.Did, "filled "+where) {
			t.Errorf("%s: %+v, %v", where, o, err)
		}
		if o, err := c.TypeText(ctx, browser.TypeArgs{Ref: field, Text: "!X"}); err != nil || !strings.Contains(o.Did, "filled "+where+"!X") {
			t.Errorf("%s: %+v, %v", where, o, err)
		}
	}
	for _, where := range []string{"same", "deep"} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Ask `+where+`"`)})
		if err != nil || o.Dialog == nil || o.Dialog.Message != "Really "+where+"?" {
			t.Fatalf("%s: %+v, %v", where, o, err)
		}
		if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: where + " yes"}); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	text, err := c.ReadPage(ctx, browser.ReadArgs{Mode: browser.ReadText})
	if err != nil || !strings.Contains(text.Text, "deep clicked") || !strings.Contains(text.Text, "Outside") {
		t.Errorf("%v\n%s", err, text.Text)
	}
}

func TestStaleRefs(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	out := c.read(t)
	gone := ref(t, out, `"Replaces itself"`)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: gone}); err != nil {
		t.Fatal(err)
	}
	later := c.read(t)
	if r := ref(t, later, `"Replaced"`); r == gone {
		t.Errorf("the new element has the old one's ref %s", r)
	}
	swallow := ref(t, out, `"Swallow"`)
	wantStale := func(ref string) {
		t.Helper()
		_, err := c.Click(ctx, browser.ClickArgs{Ref: ref})
		if !errors.Is(err, browser.ErrStaleRef) || !strings.Contains(err.Error(), "read_page") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	wantStale(gone)
	wantStale("e4711")
	wantStale("nonsense")
	if _, err := c.Navigate(ctx, browser.NavigateArgs{Action: "reload"}); err != nil {
		t.Fatal(err)
	}
	wantStale(swallow)
	// To another process and back: CDP counts nodes and contexts anew there.
	if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: strings.Replace(c.site.URL, "127.0.0.1", "far.example", 1) + "/hard.html"}); err != nil {
		t.Fatal(err)
	}
	again := ref(t, c.read(t), `"Swallow"`)
	if again == swallow {
		t.Errorf("the ref %s was given to another element", again)
	}
	wantStale(swallow)
}
