package browser_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestClicksThatCannotLand(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	out := c.read(t)
	for what, want := range map[string]string{
		`"Under"`:       `covered by dialog "Cookies"`,
		`"Untouchable"`: "pointer-events",
		`"Soon"`:        "disabled",
	} {
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, what)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
}

func TestClicksThatLand(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	out := c.read(t)
	click := func(what string) *browser.Outcome {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, what)})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return o
	}
	click(`"Far away"`)
	click(`"Start"`)
	click(`"Runner"`) // while it moves
	click(`"Enable"`)
	click(`"Soon"`) // once it is enabled
	click(`"Swallow"`)
	click(`"Span"`)
	click(`"In closed shadow"`)
	if o := click(`checkbox "Fancy"`); !strings.Contains(o.Did, "now checked") {
		t.Errorf("%s", o.Did)
	}
	after := c.read(t)
	for _, want := range []string{"Far clicked", "Caught", "Done", "Swallowed", "Span clicked", "Shadow clicked"} {
		if !strings.Contains(after, want) {
			t.Errorf("%s is missing in\n%s", want, after)
		}
	}
}

func TestFillSaysWhatThePageKept(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	out := c.read(t)
	for _, tc := range []struct{ field, value, did, note, err string }{
		{"Fixed", "other", "", "", "read-only"},
		{"Short", "abcdefgh", `"abcde"`, "5 characters", ""},
		{"Day", "2026-11-30", `"2026-11-30"`, "", ""},
		{"Day", "tomorrow", "", "", "YYYY-MM-DD"},
		{"Amount", "12.5", `"12.5"`, "does not accept it", ""},
		{"Amount", "", `""`, "", ""},
		{"Short", "", `""`, "", ""},
		{"Amount", "many", "", "", "a number"},
		{"Shout", "hello", `"HELLO"`, "another value", ""},
		{"Refuses", "hello", "", "", "did not keep"},
		{"Runner", "x", "", "", "not a field"},
	} {
		o, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"`+tc.field+`"`), Value: tc.value})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s %q: %+v, %v", tc.field, tc.value, o, err)
			}
			continue
		}
		if err != nil || !strings.Contains(o.Did, tc.did) || !strings.Contains(strings.Join(o.Notes, " "), tc.note) || (tc.note == "") != (len(o.Notes) == 0) {
			t.Errorf("%s %q: %+v, %v", tc.field, tc.value, o, err)
		}
	}
}

func TestForm(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	did := func(o *browser.Outcome, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o.Did + strings.Join(o.Notes, " ")
	}
	has := func(got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	has(did(c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"Name"`), Value: "Ann \"Q\" 😀"})), `"Ann \"Q\" 😀"`)
	has(did(c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"Note"`), Value: "two\r\nlines"})), `"two\nlines"`)
	has(did(c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"Editor"`), Value: "new text"})), `"new text"`)
	if got := did(c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `"Secret"`), Value: "hunter2"})); strings.Contains(got, "hunter2") {
		t.Errorf("a password is shown: %s", got)
	}
	has(did(c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `"Mail"`), Text: "Ann+b@x.example"})), `"Ann+b@x.example"`)
	has(did(c.PressKey(ctx, browser.PressArgs{Ref: ref(t, out, `"Mail"`), Key: "Backspace"})), `"Ann+b@x.exampl"`)
	has(did(c.PressKey(ctx, browser.PressArgs{Key: " "})), "Pressed Space.")
	did(c.PressKey(ctx, browser.PressArgs{Key: "Control+a"}))
	has(did(c.TypeText(ctx, browser.TypeArgs{Text: "z@z.example"})), `"z@z.example"`)
	has(did(c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"Large"}})), `"Large"`)
	if _, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`), Values: []string{"Huge"}}); err == nil || !strings.Contains(err.Error(), `"Small", "Medium", "Large"`) {
		t.Errorf("an option that is not there: %v", err)
	}
	has(did(c.Hover(ctx, browser.HoverArgs{Ref: ref(t, out, `"Send"`)})), "pointer is on")
	o, err := c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `"Name"`), Text: "ie", Submit: true})
	if err != nil || !o.TitleChanged || o.Tab.Title != "Sent" {
		t.Errorf("%+v, %v", o, err)
	}
	has(c.read(t), `Sent: Ann "Q" 😀ie`)
}

func TestDialogs(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Alert"`)})
	if err != nil || o.Dialog == nil || o.Dialog.Type != "alert" || o.Dialog.Message != "hello" {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := c.ReadPage(ctx, browser.ReadArgs{}); err == nil || !strings.Contains(err.Error(), "handle_dialog") {
		t.Errorf("reading behind a dialog: %v", err)
	}
	if o, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil || o.Dialog != nil {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err == nil || !strings.Contains(err.Error(), "No dialog") {
		t.Errorf("handling no dialog: %v", err)
	}
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Alert"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true, Text: "x"}); err == nil || !strings.Contains(err.Error(), "only a prompt takes a text") {
		t.Errorf("a text for an alert: %+v, %v", o, err)
	}
	// It is the only one that is open, though its tab is not the current one.
	c.open(t, "/other.html")
	if o, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil || o.Tab.Title != "A form" {
		t.Fatalf("in another tab: %+v, %v", o, err)
	}
	if _, err := c.SwitchTab(ctx, tabOf(t, c, "/form.html")); err != nil {
		t.Fatal(err)
	}
	// Without a text a prompt has what it proposes.
	if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Prompt"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil || !strings.Contains(o.Changes, "nobody") {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Prompt"`)}); err != nil || o.Dialog == nil || o.Dialog.Default != "nobody" {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true, Text: "Zoë"}); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t); !strings.Contains(got, "Zoë") {
		t.Errorf("the prompt's answer is missing in\n%s", got)
	}
}

// A download that a script begins between two calls is told by the second, once.
func TestDownloadBetweenCalls(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: `() => { setTimeout(() => {
		const a = document.createElement('a');
		a.href = URL.createObjectURL(new Blob(['text']));
		a.download = 'made.txt';
		a.click();
	}, 300); }`}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	for _, want := range []int{1, 0} {
		if o, err := c.WaitFor(ctx, browser.WaitArgs{For: time.Millisecond}); err != nil || len(o.Downloads) != want || want > 0 && o.Downloads[0].Name != "made.txt" {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

func TestWhatAnActionSetsOff(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Pop-up"`)})
	if err != nil || len(o.Opened) != 1 || o.Opened[0].URL != c.site.URL+"/other.html" {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Download"`)})
	if err != nil || len(o.Downloads) != 1 || o.Downloads[0].Name != "report.csv" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Later"`)}); err != nil {
		t.Fatal(err)
	}
	if o, err = c.WaitFor(ctx, browser.WaitArgs{Text: "LATE   text"}); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `link "link to another page"`)})
	if err != nil || !o.URLChanged || !o.TitleChanged || o.Tab.Title != "Other" {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Navigate(ctx, browser.NavigateArgs{Action: "back"})
	if err != nil || o.Tab.Title != "A form" {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Navigate(ctx, browser.NavigateArgs{Action: "forward"})
	if err != nil || o.Tab.Title != "Other" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = c.Navigate(ctx, browser.NavigateArgs{Action: "forward"}); err == nil {
		t.Errorf("%+v", o)
	}
	if o, err = c.Navigate(ctx, browser.NavigateArgs{URL: "http://127.0.0.1:1/"}); err == nil {
		t.Errorf("%+v", o)
	}
}

// A tab that another tab's page opens meanwhile is not said to be of a call.
func TestTabsOfOthersAreNotTold(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { setTimeout(() => window.open('/inner.html'), 500) }"}); err != nil {
		t.Fatal(err)
	}
	c.open(t, "/hard.html")
	own := tabOf(t, c, "/hard.html")
	for ctx.Err() == nil {
		o, err := c.WaitFor(ctx, browser.WaitArgs{Tab: own, For: 300 * time.Millisecond})
		if err != nil || len(o.Opened) > 0 {
			t.Fatalf("%+v, %v", o, err)
		}
		tabs, err := c.Tabs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(tabs, func(tab browser.Tab) bool { return strings.HasSuffix(tab.URL, "/inner.html") }) {
			return
		}
	}
	t.Error("no tab opened")
}

func TestCrashedPageComesBackByReload(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	waited := make(chan error, 1)
	go func() {
		_, err := c.WaitFor(ctx, browser.WaitArgs{For: 20 * time.Second})
		waited <- err
	}()
	c.killRenderers(t)
	if err := <-waited; err == nil || !strings.Contains(err.Error(), "crashed") {
		t.Errorf("the wait ended with %v", err)
	}
	if _, err := c.ReadPage(ctx, browser.ReadArgs{}); err == nil || !strings.Contains(err.Error(), `"reload"`) {
		t.Errorf("reading a crashed page: %v", err)
	}
	if o, err := c.Navigate(ctx, browser.NavigateArgs{Action: "reload"}); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
	if !strings.Contains(c.read(t), "Newsletter") {
		t.Error("the page is not back")
	}
	// The other ways out.
	crash := func() {
		t.Helper()
		c.killRenderers(t)
		for {
			_, err := c.WaitFor(ctx, browser.WaitArgs{For: time.Second})
			if err != nil && strings.Contains(err.Error(), "crashed") {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("no crash is told: %v", err)
			}
		}
	}
	crash()
	if o, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/other.html"}); err != nil || o.Tab.Title != "Other" {
		t.Errorf("%+v, %v", o, err)
	}
	crash()
	if o, err := c.CloseTab(ctx, tabOf(t, c, "/other.html")); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestChoosingNothing(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/form.html")
	out := c.read(t)
	_, err := c.SelectOption(testContext(t), browser.SelectArgs{Ref: ref(t, out, `combobox "Size"`)})
	if err == nil || !strings.Contains(err.Error(), "one choice") {
		t.Errorf("got %v", err)
	}
	if now := c.read(t); now != out {
		t.Errorf("the page changed:\n%s", now)
	}
}

func TestFillThatOpensADialog(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/hard.html")
	o, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, c.read(t), `"Asks"`), Value: "x"})
	if err != nil || o.Dialog == nil || o.Dialog.Message != "changed" || strings.Contains(o.Did, "before") {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if now := c.read(t); !strings.Contains(now, `textbox "Asks"`) || !strings.Contains(now, ": x") {
		t.Errorf("the value is missing in\n%s", now)
	}
}
