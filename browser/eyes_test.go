package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What people who did not write the engine stumbled over.
func TestSeenByOthers(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/eyes.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Pay now"}); err != nil {
		t.Fatal(err)
	}
	out := c.read(t)
	for _, want := range []string{
		`radio "Free" [checked] [ref=`, `radio "Pro" [ref=`, `checkbox "News" [ref=`,
		`button "✕" [title="Delete Cy"] [ref=`, `button "Save" [ref=`, "text: Cancel [ ref=e1] now", "listitem: Keep [ ref=e2]", "(Delete Ann)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	click := func(r string) *browser.Outcome {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: r})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	notes := func(o *browser.Outcome) string { return strings.Join(o.Notes, " ") }
	if o := click(ref(t, out, `button "Save" [ref`)); !strings.Contains(notes(o), "holds the form back. Mail") {
		t.Errorf("an empty field: %+v", o)
	}
	mail := ref(t, out, `textbox "Mail"`)
	if o, err := c.TypeText(ctx, browser.TypeArgs{Ref: mail, Text: "no mail", Submit: true}); err != nil || !strings.Contains(notes(o), "holds the form back. Mail") {
		t.Errorf("a wrong field: %+v, %v", o, err)
	}
	if o := click(ref(t, out, `radio "Pro"`)); !strings.Contains(o.Did, "now checked") {
		t.Errorf("an undrawn radio button: %+v", o)
	}
	if now := c.read(t); !strings.Contains(now, `radio "Pro" [checked]`) || strings.Contains(now, `radio "Free" [checked]`) {
		t.Errorf("the page is\n%s", now)
	}
	for what, want := range map[string]string{"☆": "starred", "(Delete Ann)": "Delete Ann"} {
		if o := click(ref(t, out, what)); !strings.HasSuffix(o.Changes, want) {
			t.Errorf("%s: %+v", what, o)
		}
	}
	if o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Again"`), Values: []string{"Two"}}); err != nil || notes(o) != "" {
		t.Errorf("a field that its change replaces: %+v, %v", o, err)
	}
	if o := click(ref(t, out, "Asks")); o.Dialog == nil || o.Dialog.Message != "Asked by a link" {
		t.Errorf("a link's script: %+v", o)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if o := click(ref(t, out, "Pay now")); o.Did == "" {
		t.Errorf("a frame that goes away by a click: %+v", o)
	}
	if now := c.read(t); !strings.Contains(now, "Paid") {
		t.Errorf("the page is\n%s", now)
	}
	if o := click(ref(t, out, `link "Again"`)); !strings.Contains(notes(o), "loaded anew") {
		t.Errorf("a link to the page itself: %+v", o)
	}
	if o := click(ref(t, c.read(t), "Nowhere")); o.Tab.URL != "http://nowhere.invalid/" || !strings.Contains(notes(o), "could not be loaded") {
		t.Errorf("a link to nowhere: %+v", o)
	}
}

// Buttons and texts that take turns are read as a run, too.
func TestMixedRun(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range 5000 {
			if i%5 == 0 {
				w.Write([]byte("<button>Act</button>\n"))
			} else {
				w.Write([]byte("<span>word</span> and \n"))
			}
		}
	}))
	defer site.Close()
	if _, err := c.OpenTab(testContext(t), site.URL); err != nil {
		t.Fatal(err)
	}
	if out := c.read(t); !strings.Contains(out, `button "Act" [ref=`) || !strings.Contains(out, " more entries") {
		t.Errorf("the page is\n%.2000s", out)
	}
}

// A link to a server that takes its time is no page in an endless loop.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			w.Write([]byte("<a href=/slow>Slow</a>"))
			return
		}
		<-r.Context().Done()
	}))
	defer func() { site.CloseClientConnections(); site.Close() }()
	if _, err := c.OpenTab(testContext(t), site.URL); err != nil {
		t.Fatal(err)
	}
	o, err := c.Click(testContext(t), browser.ClickArgs{Ref: ref(t, c.read(t), "Slow")})
	if err != nil || !strings.Contains(strings.Join(o.Notes, " "), "still loading") {
		t.Errorf("%+v, %v", o, err)
	}
	// The page that is left answers nothing any more.
	if r, err := c.ReadPage(testContext(t), browser.ReadArgs{}); err == nil || !strings.Contains(err.Error(), "on its way to another page, whose server has not answered yet") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := c.Navigate(testContext(t), browser.NavigateArgs{URL: c.site.URL + "/other.html"}); err != nil {
		t.Error(err)
	}
}

const smallPDF = "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n"

// A PDF is told as one, with the answer's own status.
func TestPDFIsTold(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a.pdf" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/pdf")
		w.Write([]byte(smallPDF))
	}))
	defer site.Close()
	c.open(t, "/form.html")
	o, err := c.Navigate(testContext(t), browser.NavigateArgs{URL: site.URL + "/none"})
	if err != nil || !strings.Contains(strings.Join(o.Notes, " "), "404") {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.Navigate(testContext(t), browser.NavigateArgs{URL: site.URL + "/a.pdf"})
	notes := ""
	if o != nil {
		notes = strings.Join(o.Notes, " ")
	}
	if err != nil || !strings.Contains(notes, "It is a PDF") || strings.Contains(notes, "404") || strings.Contains(notes, "loading") {
		t.Errorf("%+v, %v", o, err)
	}
}
