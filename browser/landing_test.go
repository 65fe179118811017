package browser_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What is read back is what there is after the last handler.
func TestReadBackAfterTheLastHandler(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	for what, a := range map[string]browser.ClickArgs{
		`"Twice"`: {Count: 2},
		`"Aside"`: {Button: "right"},
	} {
		a.Ref = ref(t, out, what)
		if o, err := c.Click(ctx, a); err != nil || !strings.Contains(o.Did, "pressed is now true") {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
}

func TestTabsThatAClickOpensOrClosesAreTold(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	link := ref(t, out, `"Elsewhere"`)
	for _, a := range []browser.ClickArgs{
		{Ref: link, Modifiers: []string{"Control"}}, {Ref: link, Button: "middle"}, {Ref: link, Modifiers: []string{"Shift"}},
		{Ref: ref(t, out, `"Opens"`)},
	} {
		o, err := c.Click(ctx, a)
		if err != nil || len(o.Opened) != 1 {
			t.Errorf("%+v: %+v, %v", a, o, err)
		}
	}
	tab := tabOf(t, c, "/closes.html")
	page, err := c.ReadPage(ctx, browser.ReadArgs{Tab: tab})
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, page.Text, `"Close"`)})
	if err != nil || len(o.Closed) != 1 || o.Closed[0] != tab {
		t.Errorf("closing: %+v, %v", o, err)
	}
}

// A tab that opens after the result of what led to it is named in the next one,
// once.
func TestTabThatOpensLateIsTold(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	first, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Opens late"`)})
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Opened) == 0 { // else the click took longer than the page
		for there := false; !there; {
			tabs, err := c.Tabs(ctx)
			if err != nil {
				t.Fatal(err)
			}
			there = slices.ContainsFunc(tabs, func(tab browser.Tab) bool { return strings.HasSuffix(tab.URL, "/other.html") })
		}
		if first, err = c.Hover(ctx, browser.HoverArgs{Ref: ref(t, out, `"Twice"`)}); err != nil || len(first.Opened) != 1 {
			t.Errorf("%+v, %v", first, err)
		}
	}
	if o, err := c.Hover(ctx, browser.HoverArgs{Ref: ref(t, out, `"Aside"`)}); err != nil || len(o.Opened) != 0 {
		t.Errorf("told again: %+v, %v", o, err)
	}
}

func TestLinksToOtherPrograms(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	if o, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, out, `"Write"`)}); err != nil || len(o.Opened) != 0 || !strings.Contains(strings.Join(o.Notes, " "), "mailto:a@b.example") {
		t.Errorf("%+v, %v", o, err)
	}
	if !strings.Contains(c.read(t), `"Write"`) {
		t.Error("the page is not there any more")
	}
}

// An element that moves is waited for as long as it moves, though nothing in the
// document changes.
func TestClickWaitsForAnAnimation(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	for _, what := range []string{`"Slide"`, `"Sliding"`} {
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, what)}); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(c.read(t), `"Slid"`) {
		t.Error("the click did not land")
	}
}

func TestHoverInQuirksMode(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/quirks.html")
	o, err := c.Hover(testContext(t), browser.HoverArgs{Ref: ref(t, c.read(t), `"Menu"`)})
	if err != nil || len(o.Notes) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if !strings.Contains(c.read(t), "Opened") {
		t.Error("the menu is not open")
	}
}

// Keys that were sent before a dialog opened go on once it is handled, and what
// comes of them is told then.
func TestWhatWaitedBehindADialogIsTold(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	o, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `"Loud"`), Text: "ab"})
	if err != nil || o.Dialog == nil || o.Dialog.Message != "a" || !strings.Contains(strings.Join(o.Notes, " "), "handle_dialog") {
		t.Fatalf("%+v, %v", o, err)
	}
	o, err = c.HandleDialog(ctx, browser.DialogArgs{Accept: true})
	if err != nil || o.Dialog == nil || o.Dialog.Message != "b" {
		t.Fatalf("%+v, %v", o, err)
	}
	if o, err = c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil || o.Dialog != nil {
		t.Fatalf("%+v, %v", o, err)
	}
	if !strings.Contains(c.read(t), `textbox "Loud" [focused]`) {
		t.Errorf("%s", c.read(t))
	}
}

// A page that is busy takes a click that was called off for none.
func TestCalledOffClickIsNotMade(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/landing.html")
	out := c.read(t)
	// A tab of the same process has the one thread for itself.
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Opens"`)}); err != nil {
		t.Fatal(err)
	}
	other, err := c.ReadPage(ctx, browser.ReadArgs{Tab: tabOf(t, c, "/closes.html")})
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan error, 1)
	go func() {
		_, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, other.Text, `"Blocks"`)})
		busy <- err
	}()
	<-c.told
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if _, err := c.Click(short, browser.ClickArgs{Ref: ref(t, out, `"Go"`)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if err := <-busy; err != nil {
		t.Fatal(err)
	}
	if after := c.read(t); !strings.Contains(after, `"Go"`) {
		t.Errorf("%s", after)
	}
}

var frameButton = regexp.MustCompile(`iframe "(\w+)":\n\s+- paragraph:\n\s+- button "([^"]*)" (?:\[focused\] )?\[ref=(e\d+)\]`)

// A click in a frame must hit it through the frames around.
func TestClicksInFramesThatAreCovered(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/under.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Show bar"}); err != nil {
		t.Fatal(err)
	}
	buttons := func() (out string, refs, names map[string]string) {
		out = c.read(t)
		refs, names = map[string]string{}, map[string]string{}
		for _, m := range frameButton.FindAllStringSubmatch(out, -1) {
			names[m[1]], refs[m[1]] = m[2], m[3]
		}
		return out, refs, names
	}
	// The frames of the other site load by themselves.
	var out string
	var refs map[string]string
	for len(refs) != 5 {
		if out, refs, _ = buttons(); ctx.Err() != nil {
			t.Fatalf("not all frames came:\n%s", out)
		}
	}
	for frame, want := range map[string]string{"Same": "", "Far": "", "Zoomed": "", "Scaled": "", "Off": "pointer-events"} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: refs[frame]})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", frame, o, err)
		}
	}
	_, _, names := buttons()
	for frame, name := range names {
		if got := strings.HasPrefix(name, "Got"); got != (frame != "Off") {
			t.Errorf("the button in %s says %q", frame, name)
		}
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Show bar"`)}); err != nil {
		t.Fatal(err)
	}
	for _, frame := range []string{"Same", "Far"} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: refs[frame]})
		if err == nil || !strings.Contains(err.Error(), `covered by dialog#bar "Cookies"`) {
			t.Errorf("%s under the bar: %+v, %v", frame, o, err)
		}
	}
}

// A frame that is taken away while a call waits in it ends the call.
func TestFrameThatIsRemovedUnderACall(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/under.html")
	var never []string
	var out string
	for len(never) == 0 {
		out = c.read(t)
		_, far, _ := strings.Cut(out, `iframe "Far"`)
		never = regexp.MustCompile(`^:\n.*\n.*\n\s+- button "Never" \[disabled\] \[ref=(e\d+)\]`).FindStringSubmatch(far)
		if ctx.Err() != nil {
			t.Fatalf("no frame:\n%s", out)
		}
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Remove far"`)}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: never[1]}); !errors.Is(err, browser.ErrStaleRef) && !strings.Contains(err.Error(), "disabled") {
		t.Errorf("%+v, %v", o, err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("answered after %s", d)
	}
}
