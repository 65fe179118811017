package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// sequencer is a fakeLink that takes Sidekick.run, as an agent's tab group does.
type sequencer struct{ *fakeLink }

func (sequencer) RunsSequences() bool { return true }

// stepsOf returns the methods of a sequence, with the functions that are called
// of the page script; nil for another command.
func stepsOf(m *cdproto.Message) []string {
	if m.Method != "Sidekick.run" {
		return nil
	}
	var p struct {
		Steps []struct {
			Method string
			Params json.RawMessage
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return []string{err.Error()}
	}
	var names []string
	for _, s := range p.Steps {
		name := s.Method
		if _, fn, ok := strings.Cut(string(s.Params), "?s."); ok {
			name, _, _ = strings.Cut(fn, "(")
		}
		names = append(names, name)
	}
	return names
}

// clicker answers as usual does, sequences step by step; click answers those
// that press.
func clicker(click func(l *fakeLink, id int64, steps []string) (string, *cdproto.Error)) *fakeLink {
	return newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		steps := stepsOf(m)
		if steps == nil {
			return usual(m), nil
		}
		for _, s := range steps {
			if s == "Input.dispatchMouseEvent" {
				return click(l, m.ID, steps)
			}
		}
		return answered(steps, len(steps)), nil
	})
}

// answered is the answer to a sequence of which n steps were answered.
func answered(steps []string, n int) string { return endedEarly(steps, n, len(steps), "") }

// endedEarly is the answer to one of which n steps were answered and some begun,
// when it ended for a reason.
func endedEarly(steps []string, n, begun int, why string) string {
	list := make([]string, len(steps))
	for i, s := range steps {
		if i >= begun {
			list[i] = `{"error":{"code":-31014,"message":"not run"}}`
			continue
		}
		if i >= n {
			list[i] = "null"
			continue
		}
		m := &cdproto.Message{Method: cdproto.MethodType(s)}
		if !strings.Contains(s, ".") {
			m.Method, m.Params = "Runtime.callFunctionOn", []byte(`"s.`+s+`("`)
		}
		list[i] = `{"result":` + usual(m) + `}`
	}
	end := ""
	if why != "" {
		end = `,"ended":"` + why + `"`
	}
	return `{"answers":[` + strings.Join(list, ",") + `]` + end + `}`
}

func onSequencer(t *testing.T, l *fakeLink) *browser.Browser {
	t.Helper()
	b := engineOnAny(t, sequencer{l})
	if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestClickIsOneSequence(t *testing.T) {
	var got []string
	b := onSequencer(t, clicker(func(_ *fakeLink, _ int64, steps []string) (string, *cdproto.Error) {
		got = steps
		return answered(steps, len(steps)), nil
	}))
	_, before := b.RoundTrips()
	if _, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"}); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, " "); s != "DOM.resolveNode Network.enable prepare report Runtime.releaseObjectGroup Input.dispatchMouseEvent Input.dispatchMouseEvent Input.dispatchMouseEvent Accessibility.getFullAXTree marked planned DOMSnapshot.captureSnapshot" {
		t.Errorf("%s", s)
	}
	// The fake's click is seen by nobody, so that the page is asked once more; and
	// then what changed.
	if _, after := b.RoundTrips(); after-before != 3 {
		t.Errorf("%d round trips", after-before)
	}
}

func TestDialogInASequence(t *testing.T) {
	for _, tc := range []struct {
		name            string
		answered, begun int
		want            string
	}{
		{"as it is pressed", 5, 8, `Clicked button "Go".`},
		{"before it is prepared", 2, 3, "A dialog opened before anything was done."},
	} {
		b := onSequencer(t, clicker(func(l *fakeLink, id int64, steps []string) (string, *cdproto.Error) {
			// As the extension does: first the answer, then the event.
			l.in <- &cdproto.Message{ID: id, Result: jsonv2.Value(endedEarly(steps, tc.answered, tc.begun, "dialog"))}
			l.event("t1", "Page.javascriptDialogOpening", `{"type":"alert","message":"Hi","url":"http://x.example/"}`)
			return "", nil
		}))
		out, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"})
		if err != nil || out.Did != tc.want || out.Dialog == nil || out.Dialog.Message != "Hi" {
			t.Errorf("%s: %+v, %v", tc.name, out, err)
		}
	}
}

func TestSequenceThatWasCutOff(t *testing.T) {
	clicks := 0
	b := onSequencer(t, clicker(func(*fakeLink, int64, []string) (string, *cdproto.Error) {
		clicks++
		return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
	}))
	_, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"})
	if !errors.Is(err, browser.ErrOutcomeUnknown) || clicks != 1 {
		t.Errorf("clicked %d times: %v", clicks, err)
	}
}

// A sequence of which nothing was run is run again once the tab is attached.
func TestSequenceOnADetachedTab(t *testing.T) {
	clicks := 0
	b := onSequencer(t, clicker(func(_ *fakeLink, _ int64, steps []string) (string, *cdproto.Error) {
		if clicks++; clicks > 1 {
			return answered(steps, len(steps)), nil
		}
		list := strings.Repeat(`,{"error":{"code":-31014,"message":"not run"}}`, len(steps)-1)
		return `{"answers":[{"error":{"code":-31011,"message":"attach first"}}` + list + `]}`, nil
	}))
	if _, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"}); err != nil || clicks != 2 {
		t.Errorf("clicked %d times: %v", clicks, err)
	}
}

// A sequence that is called off is answered by how far it came: only what had
// been begun may have happened.
func TestSequenceThatTookTooLong(t *testing.T) {
	for _, tc := range []struct {
		name            string
		answered, begun int
		unknown         bool
	}{
		{"before it was prepared", 2, 3, false},
		{"as it was pressed", 5, 8, true},
	} {
		calledOff := make(chan int64, 1)
		l := clicker(nil)
		usually := l.answer
		l.answer = func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
			if steps := stepsOf(m); slices.Contains(steps, "Input.dispatchMouseEvent") {
				go func() {
					if id := <-calledOff; id == m.ID {
						l.in <- &cdproto.Message{ID: id, Result: jsonv2.Value(endedEarly(steps, tc.answered, tc.begun, "cancel"))}
					}
				}()
				return "", nil
			}
			return usually(l, m)
		}
		link := calledOffLink{sequencer{l}, calledOff}
		b := browser.New(func(context.Context) (browser.Transport, error) { return link, nil }, browser.Options{Timeout: time.Second})
		t.Cleanup(func() { b.Close() })
		if _, err := b.ReadPage(testContext(t), browser.ReadArgs{}); err != nil {
			t.Fatal(err)
		}
		_, err := b.Click(testContext(t), browser.ClickArgs{Ref: "e1001"})
		if errors.Is(err, browser.ErrOutcomeUnknown) != tc.unknown || err == nil || !strings.Contains(err.Error(), "did not answer within") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// calledOffLink tells what is called off on it.
type calledOffLink struct {
	sequencer
	ids chan int64
}

func (l calledOffLink) Cancel(id int64) { l.ids <- id }

// What was asked in a frame's session ends with it.
func TestFrameThatGoesAwayEndsWhatWasAskedInIt(t *testing.T) {
	l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
		switch {
		case m.Method == "Target.setAutoAttach" && m.SessionID == "t1":
			l.event("t1", "Target.attachedToTarget", `{"sessionId":"t1:F","targetInfo":{"targetId":"FF","type":"iframe","url":"http://y.example/"},"waitingForDebugger":false}`)
			return `{}`, nil
		case m.SessionID == "t1:F" && m.Method == "Page.getFrameTree":
			return `{"frameTree":{"frame":{"id":"FF","loaderId":"L","url":"http://y.example/"}}}`, nil
		case m.SessionID == "t1:F" && m.Method == "Accessibility.getFullAXTree":
			l.event("t1", "Target.detachedFromTarget", `{"sessionId":"t1:F"}`)
			return "", nil
		}
		return usual(m), nil
	})
	r, err := engineOn(t, l).ReadPage(testContext(t), browser.ReadArgs{})
	if err != nil || !strings.Contains(r.Text, "Go") {
		t.Errorf("%+v, %v", r, err)
	}
}
