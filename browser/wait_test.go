package browser_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestWaits(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "never", Timeout: 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "did not appear") {
		t.Errorf("%v", err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{TextGone: "Order", Timeout: 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "still there") {
		t.Errorf("%v", err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{TextGone: "never there"}); err != nil {
		t.Error(err)
	}
	// What nobody sees is not there, in shadow roots too.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: `() => {
		document.body.append(Object.assign(document.createElement('div'), { id: 'shady' }));
		shady.attachShadow({ mode: 'open' }).innerHTML = '<p>In <b>the</b> shade <i style="display:none">hidden there</i><i style="visibility:hidden">veiled there</i></p>';
	}`}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "in the shade"}); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"never seen", "hidden there", "veiled there"} {
		if _, err := c.WaitFor(ctx, browser.WaitArgs{TextGone: text, Timeout: 5 * time.Second}); err != nil {
			t.Error(err)
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: text, Timeout: 200 * time.Millisecond}); err == nil {
			t.Errorf("%q is said to be there", text)
		}
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{URL: "*/form.h*"}); err != nil {
		t.Error(err)
	}
	if _, err := c.WaitFor(ctx, browser.WaitArgs{For: 50 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	// A wait goes on in the page that replaces the one it began in, and does
	// not keep another tab's calls waiting.
	tabs, err := c.Tabs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var waiting string
	for _, tab := range tabs {
		if tab.Current {
			waiting = tab.ID
		}
	}
	click := ref(t, c.read(t), `"Go there later"`)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: click}); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := c.WaitFor(ctx, browser.WaitArgs{Tab: waiting, Text: "Another page"})
		waited <- err
	}()
	c.open(t, "/hard.html")
	if !strings.Contains(c.read(t), "Runner") {
		t.Error("the other tab cannot be read")
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

func TestCancelledCallsEndAtOnce(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	for name, call := range map[string]func(ctx context.Context) error{
		"wait": func(ctx context.Context) error {
			_, err := c.WaitFor(ctx, browser.WaitArgs{Text: "never", Timeout: time.Minute})
			return err
		},
		"navigation": func(ctx context.Context) error {
			_, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/slow"})
			return err
		},
	} {
		cause := errors.New("given up")
		cctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
		start := time.Now()
		err := call(cctx)
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %s to end", name, d)
		}
		// The tab is free, and where it was.
		r, err := c.ReadPage(ctx, browser.ReadArgs{})
		if err != nil || r.Tab.URL != c.site.URL+"/form.html" {
			t.Errorf("%s: afterwards %+v, %v", name, r, err)
		}
	}
}

func TestScreenshots(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	decode := func(i *browser.Image, err error) image.Image {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		img, kind, err := image.Decode(bytes.NewReader(i.Data))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != i.Width || b.Dy() != i.Height || i.MIMEType != "image/"+kind {
			t.Errorf("a picture of %v is said to be %d × %d, %s", b, i.Width, i.Height, i.MIMEType)
		}
		return img
	}
	view := decode(c.Screenshot(ctx, browser.ScreenshotArgs{}))
	full := decode(c.Screenshot(ctx, browser.ScreenshotArgs{FullPage: true, FullSize: true}))
	if full.Bounds().Dy() < 4000 || view.Bounds().Dy() >= 4000 {
		t.Errorf("heights: view %d, full %d", view.Bounds().Dy(), full.Bounds().Dy())
	}
	button := decode(c.Screenshot(ctx, browser.ScreenshotArgs{Ref: ref(t, c.read(t), `"Far away"`)}))
	if b := button.Bounds(); b.Dx() > 200 || b.Dy() > 60 || b.Dx() < 20 {
		t.Errorf("the button's picture is %v", b)
	}
}

// TestScreenshotOfHiddenTab covers what makes a browser wait for ever: a page
// that changed by itself while another tab was in front.
func TestScreenshotOfHiddenTab(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Pop-up"`)}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Later"`)}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{For: 600 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			sctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			_, err := c.Screenshot(sctx, browser.ScreenshotArgs{Tab: tabOf(t, c, "form.html"), FullPage: full})
			cancel()
			if err != nil {
				t.Errorf("full page %t: %v", full, err)
			}
		}
	}
}

// tabOf returns the id of the tab that shows a page.
func tabOf(t *testing.T, c *chromium, page string) string {
	t.Helper()
	tabs, err := c.Tabs(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range tabs {
		if strings.HasSuffix(tab.URL, page) {
			return tab.ID
		}
	}
	t.Fatalf("no tab shows %s: %v", page, tabs)
	return ""
}

// TestRoundTrips holds the price of each call, which its speed follows from. A
// plain browser is asked for each step of a sequence by itself; what an agent's
// tab group is asked is counted in e2e. Two of an action's ask what it changed.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	count := func(what string, limit int, call func() error) {
		t.Helper()
		_, before := c.RoundTrips()
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, after := c.RoundTrips(); after-before > limit {
			t.Errorf("%s took %d round trips, want at most %d", what, after-before, limit)
		}
	}
	count("click", 6, func() error {
		_, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Newsletter"`)})
		return err
	})
	count("fill", 4, func() error {
		_, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"Name"`), Value: "x"})
		return err
	})
	count("select_option", 4, func() error {
		_, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"s"}})
		return err
	})
	count("type_text", 6, func() error {
		_, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `"Mail"`), Text: "a@b"})
		return err
	})
	count("press_key", 5, func() error {
		_, err := c.PressKey(ctx, browser.PressArgs{Key: "Tab"})
		return err
	})
	count("hover", 6, func() error {
		_, err := c.Hover(ctx, browser.HoverArgs{Ref: ref(t, out, `"Send"`)})
		return err
	})
	count("scroll", 3, func() error { _, err := c.Scroll(ctx, browser.ScrollArgs{}); return err })
	// One where the other end runs sequences.
	count("read_page", 4, func() error { _, err := c.ReadPage(ctx, browser.ReadArgs{}); return err })
	count("screenshot", 2, func() error { _, err := c.Screenshot(ctx, browser.ScreenshotArgs{}); return err })
}
