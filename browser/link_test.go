package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// fakeLink is a browser of one tab that answers from a table: for what a real
// one cannot be made to do at a chosen moment.
type fakeLink struct {
	in     chan *cdproto.Message
	closed chan struct{}
	once   sync.Once
	answer func(l *fakeLink, m *cdproto.Message) (result string, err *cdproto.Error)
}

func newFakeLink(answer func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error)) *fakeLink {
	return &fakeLink{in: make(chan *cdproto.Message, 100), closed: make(chan struct{}), answer: answer}
}

func (l *fakeLink) Read(_ context.Context, m *cdproto.Message) error {
	select {
	case got := <-l.in:
		*m = *got
		return nil
	case <-l.closed:
		return errors.New("the link broke")
	}
}

func (l *fakeLink) Write(_ context.Context, m *cdproto.Message) error {
	select {
	case <-l.closed:
		return io.ErrClosedPipe
	default:
	}
	result, err := l.answer(l, m)
	if result == "" && err == nil {
		return nil // no answer
	}
	l.in <- &cdproto.Message{ID: m.ID, SessionID: m.SessionID, Result: jsonv2.Value(result), Error: err}
	return nil
}

func (l *fakeLink) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *fakeLink) event(session, method, params string) {
	l.in <- &cdproto.Message{SessionID: target.SessionID(session), Method: cdproto.MethodType(method), Params: jsonv2.Value(params)}
}

// usual answers as a browser with one tab that shows one button would.
func usual(m *cdproto.Message) string {
	switch m.Method {
	case "Target.getTargets":
		return `{"targetInfos":[{"targetId":"t1","type":"page","url":"http://x.example/","title":"X","active":true}]}`
	case "Target.attachToTarget":
		return `{"sessionId":"t1","targetInfo":{"targetId":"t1","type":"page"}}`
	case "Page.getFrameTree":
		return `{"frameTree":{"frame":{"id":"F","loaderId":"L","url":"http://x.example/"}}}`
	case "Page.createIsolatedWorld":
		return `{"executionContextId":7}`
	case "Runtime.evaluate":
		return `{"result":{"type":"object","value":{"token":"token","page":{"url":"http://x.example/","title":"X"}}}}`
	case "Sidekick.reserveRefs":
		return `{"first":1001}`
	case "Accessibility.getFullAXTree":
		return `{"nodes":[{"nodeId":"1","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},"childIds":["2"],"backendDOMNodeId":1},
			{"nodeId":"2","ignored":false,"role":{"type":"role","value":"button"},"name":{"type":"computedString","value":"Go"},"backendDOMNodeId":2}]}`
	case "DOM.resolveNode":
		return `{"object":{"type":"object","objectId":"O"}}`
	case "Runtime.callFunctionOn":
		if strings.Contains(string(m.Params), "s.prepare(") {
			return `{"result":{"type":"object","value":{"x":5,"y":5,"state":{}}}}`
		}
		return `{"result":{"type":"object","value":{"whole":true,"state":{},"page":{"url":"http://x.example/","title":"X"}}}}`
	}
	return `{}`
}

func engineOn(t *testing.T, links ...*fakeLink) *browser.Browser {
	t.Helper()
	var list []browser.Transport
	for _, l := range links {
		list = append(list, l)
	}
	return engineOnAny(t, list...)
}

// engineOnAny is an engine that dials one link after the other.
func engineOnAny(t *testing.T, links ...browser.Transport) *browser.Browser {
	t.Helper()
	b := browser.New(func(context.Context) (browser.Transport, error) {
		if len(links) == 0 {
			return nil, errors.New("no more links")
		}
		l := links[0]
		links = links[1:]
		return l, nil
	}, browser.Options{})
	t.Cleanup(func() { b.Close() })
	return b
}

func TestStopEndsTheCallUnderWay(t *testing.T) {
	const text = "The user stopped this agent in Sidekick."
	var mu sync.Mutex
	stopped, broken := false, false
	stop := func(on bool) { mu.Lock(); defer mu.Unlock(); stopped = on }
	broke := func(is bool) { mu.Lock(); defer mu.Unlock(); broken = is }
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case broken:
			return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
		case stopped:
			return "", &cdproto.Error{Code: -31001, Message: text}
		}
		if strings.Contains(string(m.Params), "s.waitText(") {
			stopped = true
			l.event("", "Sidekick.stopped", `{"message":"`+text+`"}`)
			return "", nil
		}
		return usual(m), nil
	})
	b := engineOn(t, l)
	_, err := b.WaitFor(testContext(t), browser.WaitArgs{Text: "never", Timeout: time.Minute})
	if !errors.Is(err, browser.ErrStopped) || err.Error() != text {
		t.Errorf("got %v", err)
	}
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); !errors.Is(err, browser.ErrStopped) {
		t.Errorf("the next call: %v", err)
	}
	if _, err := b.Tabs(testContext(t)); !errors.Is(err, browser.ErrStopped) {
		t.Errorf("the next call: %v", err)
	}
	// A hop that breaks under the question whether it still holds answers nothing.
	broke(true)
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); !errors.Is(err, browser.ErrStopped) || err.Error() != text {
		t.Errorf("over a broken hop: %v", err)
	}
	broke(false)
	// The user lets it go on; the event that says so is late, or lost.
	stop(false)
	if _, err = b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Errorf("after the user let it go on: %v", err)
	}
	// And when it comes, it ends nothing.
	l.event("", "Sidekick.resumed", `{}`)
	if _, err = b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Errorf("after the late event: %v", err)
	}
}

func TestReadingIsRepeatedOverABrokenHop(t *testing.T) {
	lost := 0
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == "Accessibility.getFullAXTree" && lost == 0 {
			lost++
			return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
		}
		return usual(m), nil
	})
	r, err := engineOn(t, l).ReadPage(testContext(t), browser.ReadArgs{})
	if err != nil || r.Text != `- button "Go" [ref=e1001]` {
		t.Errorf("%+v, %v", r, err)
	}
}

// A browser that was killed takes its tabs along: the call under way says what
// broke, and says it soon.
func TestCutOffCallNamesTheHop(t *testing.T) {
	for name, after := range map[string]func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error){
		"tab gone": func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
			if m.Method == "Target.getTargets" {
				return `{"targetInfos":[]}`, nil
			}
			return usual(m), nil
		},
		"browser slow": func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) { return "", nil },
	} {
		broken := false
		l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
			if broken {
				return after(l, m)
			}
			if m.Method == "Runtime.evaluate" && strings.Contains(string(m.Params), "sidekick") {
				broken = true
				return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
			}
			return usual(m), nil
		})
		start := time.Now()
		_, err := engineOn(t, l).ReadPage(testContext(t), browser.ReadArgs{Tab: "t1"})
		if err == nil || !strings.Contains(err.Error(), "The connection to the browser broke") {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: answered after %s", name, d)
		}
	}
}

func TestNothingIsRunTwiceOverABrokenHop(t *testing.T) {
	presses := 0
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == "Input.dispatchMouseEvent" && strings.Contains(string(m.Params), "mousePressed") {
			presses++
			return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
		}
		return usual(m), nil
	})
	b := engineOn(t, l)
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Fatal(err)
	}
	_, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"})
	if !errors.Is(err, browser.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "read_page") {
		t.Errorf("got %v", err)
	}
	if presses != 1 {
		t.Errorf("pressed %d times", presses)
	}
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func TestDeadLinkIsDialledAnew(t *testing.T) {
	first := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		if m.Method == "Accessibility.getFullAXTree" {
			l.Close()
			return "", nil
		}
		return usual(m), nil
	})
	second := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) { return usual(m), nil })
	b := engineOn(t, first, second)
	r, err := b.ReadPage(testContext(t), browser.ReadArgs{})
	if err != nil || !strings.Contains(r.Text, "Go") {
		t.Errorf("%+v, %v", r, err)
	}
	second.Close()
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err == nil || !strings.HasSuffix(err.Error(), "no more links") {
		t.Errorf("with no more links: %v", err)
	}
}

func TestDetachedTabIsAttachedAnew(t *testing.T) {
	attached := 0
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		switch {
		case m.Method == "Target.attachToTarget":
			attached++
		case m.Method == "DOM.resolveNode" && attached == 1:
			return "", &cdproto.Error{Code: -31011, Message: "attach first"}
		}
		return usual(m), nil
	})
	b := engineOn(t, l)
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"}); err != nil || attached != 2 {
		t.Errorf("attached %d times, %v", attached, err)
	}
}

func TestLoneSurrogatesDoNotBreakAReading(t *testing.T) {
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		s := usual(m)
		if m.Method == "Accessibility.getFullAXTree" {
			s = strings.Replace(s, `"Go"`, `"a \ud83d b \"q\" \n c"`, 1)
		}
		return s, nil
	})
	r, err := engineOn(t, l).ReadPage(testContext(t), browser.ReadArgs{})
	if err != nil || r.Text != `- button "a � b \"q\" c" [ref=e1001]` {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}
