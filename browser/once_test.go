package browser_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What may have been done when the hop broke is not done once more, whatever it
// is, and the next call works.
func TestNoActionIsDoneTwiceOverABrokenHop(t *testing.T) {
	broke := &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
	for _, tc := range []struct {
		name string
		acts string // what the command is known by that does it
		call func(ctx context.Context, b *browser.Browser) error
	}{
		{"click", `"mousePressed"`, func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Click(ctx, browser.ClickArgs{Ref: "e1001"})
			return err
		}},
		{"fill", "s.fill(", func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Fill(ctx, browser.FillArgs{Ref: "e1001", Value: "x"})
			return err
		}},
		{"select_option", "s.select(", func(ctx context.Context, b *browser.Browser) error {
			_, err := b.SelectOption(ctx, browser.SelectArgs{Ref: "e1001", Values: []string{"x"}})
			return err
		}},
		{"type_text", `"keyDown"`, func(ctx context.Context, b *browser.Browser) error {
			_, err := b.TypeText(ctx, browser.TypeArgs{Text: "x"})
			return err
		}},
		{"press_key", `"Enter"`, func(ctx context.Context, b *browser.Browser) error {
			_, err := b.PressKey(ctx, browser.PressArgs{Key: "Enter"})
			return err
		}},
		{"navigate", `"Page.navigate"`, func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Navigate(ctx, browser.NavigateArgs{URL: "http://y.example/"})
			return err
		}},
		{"reload", `"Page.reload"`, func(ctx context.Context, b *browser.Browser) error {
			_, err := b.Navigate(ctx, browser.NavigateArgs{Action: "reload"})
			return err
		}},
	} {
		for _, sequences := range []bool{false, true} {
			done := 0
			l := newFakeLink(func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
				steps := stepsOf(m)
				if strings.Contains(`"`+string(m.Method)+`"`+string(m.Params), tc.acts) && (m.Method != "Input.dispatchKeyEvent" || !strings.Contains(string(m.Params), `"keyUp"`)) {
					done++
					return "", broke
				}
				if steps != nil {
					return answered(steps, len(steps)), nil
				}
				return usual(m), nil
			})
			var b *browser.Browser
			if sequences {
				b = onSequencer(t, l)
			} else {
				b = engineOn(t, l)
			}
			ctx := testContext(t)
			if _, err := b.ReadPage(ctx, browser.ReadArgs{}); err != nil {
				t.Fatal(err)
			}
			if err := tc.call(ctx, b); !errors.Is(err, browser.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "read_page") {
				t.Errorf("%s (in sequences: %v): %v, want that its outcome is unknown", tc.name, sequences, err)
			}
			if done != 1 {
				t.Errorf("%s (in sequences: %v) was sent %d times", tc.name, sequences, done)
			}
			if _, err := b.ReadPage(ctx, browser.ReadArgs{}); err != nil {
				t.Errorf("%s: the next call: %v", tc.name, err)
			}
		}
	}
}

// The next dialog is another one: an answer that may have been given is not
// given to it.
func TestDialogIsNotAnsweredTwiceOverABrokenHop(t *testing.T) {
	for name, breaks := range map[string]func(l *fakeLink) (string, *cdproto.Error){
		"the hop": func(*fakeLink) (string, *cdproto.Error) {
			return "", &cdproto.Error{Code: -31005, Message: "The connection to the browser broke."}
		},
		"the link": func(l *fakeLink) (string, *cdproto.Error) { l.Close(); return "", nil },
	} {
		answers := 0
		message := "First?"
		page := func(l *fakeLink, m *cdproto.Message) (string, *cdproto.Error) {
			switch m.Method {
			case "Target.getTargets":
				return `{"targetInfos":[{"targetId":"t1","type":"page","url":"http://x.example/","title":"X","active":true,"dialog":{"type":"confirm","message":"` + message + `"}}]}`, nil
			case "Target.attachToTarget":
				return `{"sessionId":"t1","targetInfo":{"targetId":"t1","type":"page","dialog":{"type":"confirm","message":"` + message + `"}}}`, nil
			case "Page.handleJavaScriptDialog":
				answers++
				message = "Delete all?"
				return breaks(l)
			}
			return usual(m), nil
		}
		b := engineOn(t, newFakeLink(page), newFakeLink(page))
		ctx := testContext(t)
		_, err := b.HandleDialog(ctx, browser.DialogArgs{Accept: true})
		if !errors.Is(err, browser.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "read_page") {
			t.Errorf("%s: %v, want that its outcome is unknown", name, err)
		}
		if answers != 1 {
			t.Errorf("%s: answered %d times", name, answers)
		}
		if _, err := b.ReadPage(ctx, browser.ReadArgs{}); err == nil || !strings.Contains(err.Error(), "Delete all?") {
			t.Errorf("%s: the next call: %v, want to be told of the other dialog", name, err)
		}
	}
}
