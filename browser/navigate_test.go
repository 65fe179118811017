package browser_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What keeps an address from being opened is said in a plain sentence, and the
// tab can be used as before.
func TestAddressesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	c := startChromium(t, "--host-resolver-rules=MAP nowhere.example ~NOTFOUND, MAP *.example 127.0.0.1")
	ctx := testContext(t)
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String() + "/"
	closed.Close()
	faults := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
			return
		case "/rude":
			panic(http.ErrAbortHandler) // ends the connection
		}
		status, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.WriteHeader(status)
	}))
	defer faults.Close()
	c.open(t, "/other.html")
	for _, tc := range []struct{ url, want string }{
		{"http://nowhere.example/", "there is no host of that name (net::ERR_NAME_NOT_RESOLVED)"},
		{nobody, "nothing answers there"},
		{tls.URL, "its certificate is not trusted"},
		{strings.Replace(c.site.URL, "http://", "https://", 1), "it does not speak https; try http:// (net::ERR_SSL_PROTOCOL_ERROR)"},
		{faults.URL + "/rude", "the server ended the connection"},
		{faults.URL + "/circle", "it redirects in a circle"},
		{faults.URL + "/204", "the server answered that there is nothing to show, or"},
		{faults.URL + "/500", "the server answered with an error and no page (net::ERR_HTTP_RESPONSE_CODE_FAILURE)"},
		{"http://127.0.0.1:1/", "the browser does not use that port"},
	} {
		out, err := c.Navigate(ctx, browser.NavigateArgs{URL: tc.url})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), tc.url) {
			t.Errorf("%s: %+v, %v", tc.url, out, err)
		}
	}
	c.open(t, "/form.html") // as before
	if out := c.read(t); !strings.Contains(out, "ref=") {
		t.Errorf("the page is\n%s", out)
	}
}

// An error that comes with a page is said beside it.
func TestPagesOfErrors(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, `<title>A page</title><p>Some words</p><a href="/missing">Broken link</a>`)
	}))
	defer site.Close()
	out, err := c.Navigate(ctx, browser.NavigateArgs{URL: site.URL + "/missing"})
	if err != nil || !strings.Contains(strings.Join(out.Notes, " "), "404 Not Found") {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = c.Navigate(ctx, browser.NavigateArgs{URL: site.URL})
	if err != nil || len(out.Notes) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), "Broken link")})
	if err != nil || !strings.Contains(strings.Join(out.Notes, " "), "404 Not Found") {
		t.Errorf("%+v, %v", out, err)
	}
	if text := c.read(t); !strings.Contains(text, "Some words") {
		t.Errorf("the page is\n%s", text)
	}
	out, err = c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), "Broken link")})
	if err != nil || !strings.Contains(strings.Join(out.Notes, " "), "404 Not Found") {
		t.Errorf("once more: %+v, %v", out, err)
	}
}

func TestNavigate(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	goTo := func(t *testing.T, page string) {
		t.Helper()
		if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + page}); err != nil {
			t.Fatal(err)
		}
	}
	goTo(t, "/form.html")
	t.Run("redirect", func(t *testing.T) {
		out, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/redirect?to=/redirect%3Fto%3D/other.html"})
		if err != nil || out.Tab.URL != c.site.URL+"/other.html" || !out.URLChanged {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("part of the page", func(t *testing.T) {
		goTo(t, "/article.html")
		out, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/article.html#part"})
		if err != nil || out.Tab.URL != c.site.URL+"/article.html#part" || len(out.Notes) > 0 {
			t.Errorf("%+v, %v", out, err)
		}
		if out, err = c.Navigate(ctx, browser.NavigateArgs{Action: "back"}); err != nil || out.Tab.URL != c.site.URL+"/article.html" {
			t.Errorf("back: %+v, %v", out, err)
		}
	})
	t.Run("download", func(t *testing.T) {
		goTo(t, "/other.html")
		out, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/file"})
		if err != nil || len(out.Downloads) != 1 || out.Downloads[0].Name != "report.csv" || out.Tab.URL != c.site.URL+"/other.html" {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// A page that asks whether it may be left is asked about, not left.
func TestLeavingAPageThatAsks(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	for _, leave := range []struct {
		how string
		do  func() (*browser.Outcome, error)
		to  string
	}{
		{"navigate", func() (*browser.Outcome, error) {
			return c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/other.html"})
		}, "/other.html"},
		{"back", func() (*browser.Outcome, error) { return c.Navigate(ctx, browser.NavigateArgs{Action: "back"}) }, "/form.html"},
		{"reload", func() (*browser.Outcome, error) { return c.Navigate(ctx, browser.NavigateArgs{Action: "reload"}) }, "/leaving.html"},
		{"link", func() (*browser.Outcome, error) {
			return c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), "Away")})
		}, "/other.html"},
	} {
		t.Run(leave.how, func(t *testing.T) {
			c.open(t, "/form.html")
			if _, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/leaving.html"}); err != nil {
				t.Fatal(err)
			}
			// A page that nobody touched may not ask.
			if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, c.read(t), "Touch")}); err != nil {
				t.Fatal(err)
			}
			for _, accept := range []bool{false, true} {
				out, err := leave.do()
				if err != nil || out.Dialog == nil || out.Dialog.Type != "beforeunload" {
					t.Fatalf("%+v, %v", out, err)
				}
				if leave.how != "link" && out.Did != "A dialog opened before the page was left." || len(out.Notes) > 0 {
					t.Errorf("the result is %q, with the notes %q", out.Did, out.Notes)
				}
				out, err = c.HandleDialog(ctx, browser.DialogArgs{Accept: accept})
				want := "/leaving.html"
				if accept {
					want = leave.to
				}
				if err != nil || out.Tab.URL != c.site.URL+want {
					t.Fatalf("accept %v: %+v, %v", accept, out, err)
				}
			}
		})
	}
}

// A site that does not answer, or not to its end, costs a bound, and what is
// there can be used.
func TestSlowSites(t *testing.T) {
	t.Parallel()
	c := startChromiumWith(t, browser.Options{Timeout: 3 * time.Second})
	ctx := testContext(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Begun</title><p>The first half</p>`+strings.Repeat("<!-- -->", 500))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer func() { site.CloseClientConnections(); site.Close() }()
	c.open(t, "/other.html")
	if out, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/slow"}); err == nil || !strings.Contains(err.Error(), "did not answer within 3s") {
		t.Errorf("%+v, %v", out, err)
	}
	if text := c.read(t); !strings.Contains(text, "Another page") {
		t.Errorf("the page before it is\n%s", text)
	}
	out, err := c.Navigate(ctx, browser.NavigateArgs{URL: site.URL})
	if err != nil || !strings.Contains(strings.Join(out.Notes, " "), "still loading") {
		t.Errorf("%+v, %v", out, err)
	}
	if text := c.read(t); !strings.Contains(text, "The first half") {
		t.Errorf("what was loaded is\n%s", text)
	}
}
