package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

const unanswered = "still waits for an answer"

// answers is a server that answers when its test says so.
type answers struct {
	*httptest.Server
	asked  chan string   // what was asked for, by its query
	answer chan struct{} // lets one of them be answered
	over   chan struct{} // closed when the test ends: a browser asks again for what was cut off
}

func newAnswers(t *testing.T) *answers {
	s := &answers{asked: make(chan string, 50), answer: make(chan struct{}, 50), over: make(chan struct{})}
	sub, err := fs.Sub(pages, "testdata/pages")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(sub))
	mux.HandleFunc("/items", func(w http.ResponseWriter, r *http.Request) {
		q, _ := url.QueryUnescape(r.URL.RawQuery)
		s.asked <- q
		select {
		case <-s.answer:
			fmt.Fprintf(w, "item %s", q)
		case <-s.over:
		case <-r.Context().Done():
		}
	})
	until := func(r *http.Request) {
		select {
		case <-s.over:
		case <-r.Context().Done():
		}
	}
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { until(r) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		until(r)
	})
	mux.HandleFunc("/unread", func(w http.ResponseWriter, r *http.Request) {
		part := make([]byte, 1<<20)
		for range 8 {
			w.Write(part)
		}
		w.(http.Flusher).Flush()
		until(r)
	})
	mux.HandleFunc("/chunk.js", func(w http.ResponseWriter, _ *http.Request) {
		s.asked <- "chunk"
		select {
		case <-s.answer:
		case <-s.over:
		}
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "export const show = () => { said('from the chunk') }")
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { close(s.over); s.CloseClientConnections(); s.Close() })
	return s
}

// held runs a call that must not be over before the requests that it sets off
// are answered, each after the one before it.
func (s *answers) held(t *testing.T, asks []string, call func() (*browser.Outcome, error)) *browser.Outcome {
	t.Helper()
	type result struct {
		o   *browser.Outcome
		err error
	}
	done := make(chan result, 1)
	go func() { o, err := call(); done <- result{o, err} }()
	for _, want := range asks {
		select {
		case got := <-s.asked:
			if got != want {
				t.Fatalf("the page asked for %q, not for %q", got, want)
			}
		case r := <-done:
			t.Fatalf("over before the page asked for %q: %+v, %v", want, r.o, r.err)
		case <-time.After(20 * time.Second):
			t.Fatalf("the page did not ask for %q", want)
		}
		select {
		case r := <-done:
			t.Fatalf("over before %q was answered: %+v, %v", want, r.o, r.err)
		default:
		}
		s.answer <- struct{}{}
	}
	r := <-done
	if r.err != nil {
		t.Fatalf("%v: %v", asks, r.err)
	}
	return r.o
}

func has(t *testing.T, o *browser.Outcome, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(o.Changes, w) {
			t.Errorf("%s\nthe changes have no %q:\n%s", o.Did, w, o.Changes)
		}
	}
	if strings.Contains(o.Changes, "Loading") {
		t.Errorf("%s\nit is shown as it loads:\n%s", o.Did, o.Changes)
	}
	if n := strings.Join(o.Notes, " "); strings.Contains(n, unanswered) {
		t.Errorf("%s\nall was answered, and yet: %s", o.Did, n)
	}
}

func (c *chromium) openAnswers(t *testing.T, s *answers, page string) string {
	t.Helper()
	if _, err := c.Navigate(testContext(t), browser.NavigateArgs{URL: s.URL + page}); err != nil {
		t.Fatal(err)
	}
	return c.read(t)
}

// An action is over when the page shows the answer to what it asked for.
func TestAnswersToWhatAnActionAskedFor(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), newAnswers(t)
	ctx := testContext(t)
	out := c.openAnswers(t, s, "/answers.html")
	click := func(name string) func() (*browser.Outcome, error) {
		return func() (*browser.Outcome, error) {
			return c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"`+name+`"`)})
		}
	}
	has(t, s.held(t, []string{"one"}, click("List")), "listitem: item one")
	has(t, s.held(t, []string{"first", "second"}, click("Chain")), "item first", "item second")
	has(t, s.held(t, []string{"chunk"}, click("Chunk")), "from the chunk")
	has(t, s.held(t, []string{"Zaire"}, func() (*browser.Outcome, error) {
		return c.SelectOption(ctx, browser.SelectArgs{Ref: ref(t, out, `combobox "Country"`), Values: []string{"Zaire"}})
	}), "item Zaire")
	has(t, s.held(t, []string{"pear"}, func() (*browser.Outcome, error) {
		return c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `textbox "Search"`), Value: "pear"})
	}), "item pear")
	has(t, s.held(t, []string{"pears"}, func() (*browser.Outcome, error) {
		return c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Search"`), Text: "s"})
	}), "item pears")
	if _, err := c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `textbox "Name"`), Value: "Ada"}); err != nil {
		t.Fatal(err)
	}
	has(t, s.held(t, []string{"form"}, func() (*browser.Outcome, error) {
		return c.PressKey(ctx, browser.PressArgs{Ref: ref(t, out, `textbox "Name"`), Key: "Enter"})
	}), "saved Ada")
	o := s.held(t, []string{"eval"}, func() (*browser.Outcome, error) {
		ev, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { get('/items?eval') }"})
		if ev == nil {
			return nil, err
		}
		return &ev.Outcome, err
	})
	has(t, o, "item eval")
	o = s.held(t, []string{"route"}, click("Route"))
	has(t, o, "item route")
	if !o.URLChanged || o.Tab.Title != "Route" {
		t.Errorf("a route was taken: %+v", o)
	}
	// Without the changes it is waited for as well: the next call finds it.
	s.held(t, []string{"one"}, func() (*browser.Outcome, error) {
		return c.Click(browser.WithoutChanges(ctx), browser.ClickArgs{Ref: ref(t, out, `"List"`)})
	})
	if now := c.read(t); strings.Count(now, "item one") != 2 || strings.Contains(now, "Loading") {
		t.Errorf("after the call:\n%s", now)
	}
	if o := s.held(t, []string{"moves"}, click("Moves")); !o.URLChanged || o.Tab.Title != "Other" {
		t.Errorf("the answer led to another page: %+v", o)
	}
}

// What is asked for once a dialog was answered is waited for too, and a dialog
// ends a wait.
func TestAnswersAndDialogs(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), newAnswers(t)
	ctx := testContext(t)
	out := c.openAnswers(t, s, "/answers.html")
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Confirm"`)})
	if err != nil || o.Dialog == nil {
		t.Fatalf("%+v, %v", o, err)
	}
	o = s.held(t, []string{"sure"}, func() (*browser.Outcome, error) {
		return c.HandleDialog(ctx, browser.DialogArgs{Accept: true})
	})
	if o.Dialog != nil {
		t.Errorf("%+v", o)
	}
	if now := c.read(t); !strings.Contains(now, "item sure") {
		t.Errorf("after the dialog:\n%s", now)
	}
	o = s.held(t, []string{"alert"}, func() (*browser.Outcome, error) {
		return c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Alerts"`)})
	})
	if o.Dialog == nil || o.Dialog.Message != "told" {
		t.Errorf("an alert opened meanwhile: %+v", o)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
		t.Error(err)
	}
}

func TestAnswersInFrames(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), newAnswers(t)
	ctx := testContext(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "far.example"} {
		t.Run(host, func(t *testing.T) {
			c.openAnswers(t, s, "/other.html")
			if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: fmt.Sprintf(`() => new Promise((done) => {
				const f = document.createElement('iframe');
				f.width = f.height = 700;
				f.onload = () => done();
				f.src = 'http://%s:%s/answers.html';
				document.body.append(f);
			})`, host, port)}); err != nil {
				t.Fatal(err)
			}
			out := c.read(t)
			has(t, s.held(t, []string{"one"}, func() (*browser.Outcome, error) {
				return c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"List"`)})
			}), "item one")
			has(t, s.held(t, []string{"plum"}, func() (*browser.Outcome, error) {
				return c.Fill(ctx, browser.FillArgs{Ref: ref(t, out, `textbox "Search"`), Value: "plum"})
			}), "item plum")
			has(t, s.held(t, []string{"plums"}, func() (*browser.Outcome, error) {
				return c.TypeText(ctx, browser.TypeArgs{Ref: ref(t, out, `textbox "Search"`), Text: "s"})
			}), "item plums")
		})
	}
}

// What an action did not ask for, or what is never answered, holds nothing up.
func TestWhatIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), newAnswers(t)
	ctx := testContext(t)
	// On a page that polls and has a clock, an action that asks for nothing takes
	// as many round trips as on one that rests.
	costs := func(page string) int {
		out := c.openAnswers(t, s, page)
		plain := ref(t, out, `"Plain"`)
		_, before := c.RoundTrips()
		o, err := c.Click(browser.WithoutChanges(ctx), browser.ClickArgs{Ref: plain})
		if err != nil || len(o.Notes) > 0 {
			t.Errorf("%s: %+v, %v", page, o, err)
		}
		_, after := c.RoundTrips()
		return after - before
	}
	calm, busy := costs("/answers.html"), costs("/answers.html?busy")
	if busy != calm {
		t.Errorf("a click takes %d round trips, and %d where the page is busy with itself", calm, busy)
	}
	var out string
	click := func(name string, noted bool, want string) {
		t.Helper()
		o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"`+name+`"`)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Contains(strings.Join(o.Notes, " "), unanswered); got != noted {
			t.Errorf("%s: noted %v: %v", name, got, o.Notes)
		}
		if !strings.Contains(o.Changes, want) {
			t.Errorf("%s: no %q in\n%s", name, want, o.Changes)
		}
	}
	// A browser has few connections to a host: each kind has a page of its own.
	out = c.openAnswers(t, s, "/answers.html")
	click("Beacons", false, "beacons")
	out = c.openAnswers(t, s, "/answers.html")
	click("Stream", false, "streams")
	click("Unread", false, "unread")
	out = c.openAnswers(t, s, "/answers.html?busy")
	// Once it is told; from then on the page is known for it.
	click("Never", true, "asked")
	click("Plain", false, "plain")
	click("Never", false, "asked")
	has(t, s.held(t, []string{"one"}, func() (*browser.Outcome, error) {
		return c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"List"`)})
	}), "item one")
}

// A call that is called off while it waits ends, and leaves a page that works.
func TestWaitForAnAnswerIsCalledOff(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), newAnswers(t)
	out := c.openAnswers(t, s, "/answers.html")
	ctx, cancel := context.WithCancel(testContext(t))
	go func() { <-s.asked; cancel() }()
	_, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"List"`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.answer <- struct{}{}
	if o, err := c.WaitFor(testContext(t), browser.WaitArgs{Text: "item one"}); err != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

// A page whose pictures never come is taken as it is, before it has been open
// for as long as one that still changes would be waited for.
func TestPageThatNeverEndsLoading(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	o, err := c.Navigate(ctx, browser.NavigateArgs{URL: c.site.URL + "/unending.html"})
	if err != nil || o.Tab.Title != "Unending" {
		t.Errorf("%+v, %v", o, err)
	}
	select {
	case <-c.told:
		t.Error("the page was waited for as if its picture could still come")
	default:
	}
	if out := c.read(t); !strings.Contains(out, "Advertisement") {
		t.Errorf("its content is there:\n%s", out)
	}
}
