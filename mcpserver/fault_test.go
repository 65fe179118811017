package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

type tokenError struct{ reason, text string }

func (e *tokenError) Error() string  { return e.text }
func (e *tokenError) Reason() string { return e.reason }

func refusing(err error) func(*Options) {
	return func(o *Options) {
		o.Authenticate = func(context.Context, string) (Identity, error) { return Identity{}, err }
		o.Connect = func(context.Context, Identity, string) (browser.API, error) {
			panic("connected without a token")
		}
	}
}

func TestTokenFaultIsTheAnswerToTheFirstRequest(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   int64
		reason string
	}{
		{&tokenError{ReasonMissing, "SIDEKICK_TOKEN is not set: run sidekick-mcp pair."}, -31101, "token_missing"},
		{&tokenError{ReasonMalformed, "SIDEKICK_TOKEN is no token."}, -31102, "token_malformed"},
		{&tokenError{ReasonMistyped, "SIDEKICK_TOKEN has a typing error."}, -31103, "token_mistyped"},
		{&tokenError{ReasonUnknown, "SIDEKICK_TOKEN is not known here."}, -31104, "token_unknown"},
		{fmt.Errorf("checking: %w", &tokenError{ReasonRevoked, "SIDEKICK_TOKEN was revoked."}), -31105, "token_revoked"},
		{&tokenError{ReasonKeyring, "The keyring does not answer."}, -31106, "keyring_unavailable"},
		{errors.New("reading the pairings: permission denied"), -32603, ""},
		{&tokenError{"token_from_the_future", "something new"}, -32603, ""},
	} {
		for _, first := range []string{
			mcptest.Initialize("7", "x"),
			mcptest.Request("7", "server/discover", `{}`),
			mcptest.Request("7", "tools/call", `{"name":"tabs","arguments":{"action":"list"}}`),
		} {
			s := start(t, nil, refusing(c.err))
			s.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``, first)
			r := s.Receive(hang)
			if r.Error == nil || r.Error.Code != c.code || string(r.ID) != "7" || r.Error.Message != c.err.Error() {
				t.Errorf("%v: got id %s, error %+v", c.err, r.ID, r.Error)
			}
			want := ""
			if c.reason != "" {
				want = `{"reason":"` + c.reason + `"}`
			}
			if r.Error != nil && string(r.Error.Data) != want {
				t.Errorf("%v: data %s, want %s", c.err, r.Error.Data, want)
			}
			// At once, with stdin still open.
			if code := s.wait(); code != 1 {
				t.Errorf("%v: exit code %d", c.err, code)
			}
			if out := s.Stderr.String(); out != "sidekick-mcp: "+c.err.Error()+"\n" {
				t.Errorf("%v: stderr %q", c.err, out)
			}
		}
	}
}

func TestTokenFaultIsOnStderrAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil, refusing(&tokenError{ReasonUnknown, "not known\nhere"}))
		synctest.Wait()
		if out := s.Stderr.String(); out != "sidekick-mcp: not known here\n" {
			t.Errorf("stderr %q", out)
		}
		s.Stdin.Close()
		if code := s.wait(); code != 1 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestTokenFaultDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := start(t, nil, refusing(&tokenError{ReasonRevoked, "revoked"}))
		s.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		code := <-s.code
		if took := time.Since(begin); code != 1 || took != 30*time.Second {
			t.Errorf("exit code %d after %v of the bubble's clock", code, took)
		}
	})
}

func TestTokenFaultEndsWithASignal(t *testing.T) {
	s := start(t, nil, refusing(&tokenError{ReasonRevoked, "revoked"}))
	s.signal()
	if code := s.wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestTokenFaultAfterABadLine(t *testing.T) {
	s := start(t, nil, refusing(&tokenError{ReasonRevoked, "revoked"}))
	s.Send(`{bad`, mcptest.Request("1", "ping", "{}"))
	if r := s.Receive(hang); r.Error == nil || r.Error.Code != -32700 {
		t.Errorf("bad line: %+v", r.Error)
	}
	if r := s.Receive(hang); r.Error == nil || r.Error.Code != CodeTokenRevoked {
		t.Errorf("request: %+v", r.Error)
	}
	s.wait()
}

func TestByHandInATerminal(t *testing.T) {
	// Stdin stays open: nobody has to press anything to get out.
	s := start(t, nil, refusing(&tokenError{ReasonMissing, "no token"}), func(o *Options) { o.Terminal = true })
	if code := s.wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if out := s.Stderr.String(); !strings.Contains(out, "sidekick-mcp pair") || !strings.Contains(out, "SIDEKICK_TOKEN") {
		t.Errorf("stderr: %s", out)
	}
	s = start(t, nil, refusing(&tokenError{ReasonRevoked, "It was revoked."}), func(o *Options) { o.Terminal = true })
	if code := s.wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if out := s.Stderr.String(); out != "sidekick-mcp: It was revoked.\n" {
		t.Errorf("stderr: %q", out)
	}
}
