package browser_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestPageInAnEndlessLoop(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hang.html")
	out := c.read(t)
	// Work that ends is waited for.
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Work"`)}); err != nil {
		t.Error(err)
	}
	stuck := func(what string, call func() error) {
		t.Helper()
		start := time.Now()
		err := call()
		if err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "navigate") {
			t.Errorf("%s: %v", what, err)
		}
		if took := time.Since(start); took > 5500*time.Millisecond {
			t.Errorf("%s took %s", what, took)
		}
	}
	stuck("click", func() error { _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Hang"`)}); return err })
	stuck("read_page", func() error { _, err := c.ReadPage(ctx, browser.ReadArgs{}); return err })
	stuck("screenshot", func() error { _, err := c.Screenshot(ctx, browser.ScreenshotArgs{}); return err })
	if o, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/other.html"}); err != nil || o.Tab.Title != "Other" { // in the same process
		t.Fatalf("the way out: %+v, %v", o, err)
	}
	c.open(t, "/hang.html")
	tab := tabOf(t, c, "hang.html")
	stuck("click", func() error {
		_, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), `"Hang"`)})
		return err
	})
	if _, err := c.CloseTab(ctx, tab); err != nil {
		t.Errorf("the other way out: %v", err)
	}
}

// Navigation gets out of it wherever it leads: to another site in the tab itself,
// which has a process of its own then, and else in a new tab.
func TestWaysOutOfAnEndlessLoop(t *testing.T) {
	for _, out := range []struct {
		name, url, action, title string
		stays                    bool
	}{
		{"another site", "http://engine.example/other.html", "", "Other", true},
		{"the same page", "/hang.html", "", "Hang", false},
		{"reload", "", "reload", "Hang", false},
		{"back", "", "back", "", false},
	} {
		t.Run(out.name, func(t *testing.T) {
			c := startChromium(t)
			ctx := testContext(t)
			a := browser.NavigateArgs{URL: out.url, Action: out.action}
			if strings.HasPrefix(out.url, "/") {
				a.URL = c.site.URL + out.url
			} else {
				a.URL = strings.Replace(out.url, ".example", ".example"+c.site.URL[strings.LastIndex(c.site.URL, ":"):], 1)
			}
			for _, again := range []bool{false, true} {
				c.open(t, "/other.html")
				o, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/hang.html"})
				if err != nil {
					t.Fatal(err)
				}
				tab := o.Tab.ID
				button := ref(t, c.read(t), `"Hang"`)
				if again { // the click ends at once, and nobody knows yet that the page does not answer
					button = ref(t, c.read(t), `"Hang again and again"`)
				}
				if _, err := c.Click(ctx, browser.ClickArgs{Ref: button}); again != (err == nil) {
					t.Fatal(err)
				}
				o, err = c.Navigate(ctx, a)
				if out.title == "" { // there is no way back, but on
					if err == nil || !strings.Contains(err.Error(), "Call navigate with the url") {
						t.Fatalf("again %v: %+v, %v", again, o, err)
					}
					out.title, a = "Other", browser.NavigateArgs{URL: c.site.URL + "/other.html"}
					o, err = c.Navigate(ctx, a)
				}
				if err != nil || o.Tab.Title != out.title {
					t.Fatalf("again %v: %+v, %v", again, o, err)
				}
				closed := !out.stays && o.Tab.ID != tab && slices.Equal(o.Closed, []string{tab}) && strings.Contains(strings.Join(o.Notes, " "), "took its place")
				if stayed := o.Tab.ID == tab && len(o.Closed)+len(o.Notes) == 0; stayed != out.stays || !stayed && !closed {
					t.Errorf("again %v: %+v", again, o)
				}
				if text := c.read(t); text == "" {
					t.Error("there is nothing on the page")
				}
			}
		})
	}
}

func TestWaitsForElementsAndQuiet(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hang.html")
	out := c.read(t)
	e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { soon.style.visibility = '' }"})
	if err != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	soon := ref(t, c.read(t), `"Soon"`)
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { soon.style.visibility = 'hidden' }"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Ref: soon, Timeout: 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still hidden") {
		t.Errorf("%v", err)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Show"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.WaitFor(ctx, browser.WaitArgs{Ref: soon}); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Stir"`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Idle: true, Timeout: 600 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still changes") {
		t.Errorf("%v", err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Idle: true}); err != nil {
		t.Error(err)
	}
	if got := c.read(t); !strings.Contains(got, "at rest") {
		t.Errorf("it was not quiet:\n%s", got)
	}
	// One that is there and cannot be acted on is not what is waited for.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { soon.disabled = true }"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Ref: soon, Timeout: 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still hidden or disabled") {
		t.Errorf("%v", err)
	}
	// Nor is a page quiet that changes nothing and asks its server all the time.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { globalThis.polls = setInterval(async () => (await fetch('/other.html')).text(), 50) }"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Idle: true, Timeout: 1500 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still changes, loads") {
		t.Errorf("%v", err)
	}
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { clearInterval(polls) }"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Idle: true}); err != nil {
		t.Error(err)
	}
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => soon.remove()"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Ref: soon}); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("%v", err)
	}
}

func TestSavePDF(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	downloads := filepath.Join(dir, "Downloads")
	if err := os.Mkdir(downloads, 0o700); err != nil {
		t.Fatal(err)
	}
	taken := writeFile(t, dir, "taken.pdf", "mine")
	for _, tc := range []struct{ path, want, err string }{
		{"", filepath.Join(downloads, "A form.pdf"), ""},
		{"", filepath.Join(downloads, "A form (2).pdf"), ""},
		{dir, filepath.Join(dir, "A form.pdf"), ""},
		{filepath.Join(dir, "x.pdf"), filepath.Join(dir, "x.pdf"), ""},
		{taken, "", "There is a file"},
		{"x.pdf", "", "not a whole one"},
		{filepath.Join(dir, "x.sh"), "", "must be called .pdf"},
		{filepath.Join(dir, "nowhere", "x.pdf"), "", "no folder"},
	} {
		o, err := c.SavePDF(ctx, browser.PDFArgs{Path: tc.path})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q: %+v, %v", tc.path, o, err)
			}
			continue
		}
		if err != nil || !strings.Contains(o.Did, tc.want) {
			t.Errorf("%q: %+v, %v", tc.path, o, err)
			continue
		}
		if b, err := os.ReadFile(tc.want); err != nil || !bytes.HasPrefix(b, []byte("%PDF-")) {
			t.Errorf("%q: %d bytes, %v", tc.path, len(b), err)
		}
	}
	// A title is the page's word, and leads nowhere.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: `() => { document.title = '../../etc/\u202Epass\nwd' }`}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.SavePDF(ctx, browser.PDFArgs{}); err != nil || !strings.Contains(o.Did, filepath.Join(downloads, "etc__pass wd.pdf")) && !strings.Contains(o.Did, downloads+string(filepath.Separator)+"etc") {
		t.Errorf("%+v, %v", o, err)
	}
}
