package mcpserver

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frogbotai/sidekick-mcp/cache"
)

// What the user switches off is refused at the next call, is in no list from
// then on, whatever the cache says, and the client is told.
func TestEvaluateIsSwitchedOff(t *testing.T) {
	var off atomic.Bool
	var broken atomic.Bool
	changed := make(chan struct{})
	b := &fakeBrowser{}
	dir := t.TempDir()
	options := func(o *Options) {
		o.Cache = cache.New(func(id string) string { return dir + "/" + id })
		o.Limits = func(_ context.Context, id Identity) (Limits, error) {
			if id.ID != "p1" {
				t.Errorf("asked of %+v", id)
			}
			if broken.Load() {
				return Limits{}, errors.New("the list is damaged")
			}
			return Limits{NoEvaluate: off.Load()}, nil
		}
		o.LimitsChanged = changed
	}
	s := start(t, b, options)
	s.greet("researcher")
	s.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	has := func(want bool) {
		t.Helper()
		if _, byName := listed(t, s); (byName["evaluate"] != nil) != want || byName["click"] == nil {
			t.Errorf("evaluate is listed: %v", !want)
		}
	}
	has(true)
	if text, isError := s.call("1", "evaluate", `{"function":"x"}`); isError {
		t.Error(text)
	}
	off.Store(true)
	calls := len(b.seen())
	for _, arguments := range []string{`{"function":"x"}`, `{}`} {
		text, isError := s.call("1", "evaluate", arguments)
		if !isError || !strings.HasPrefix(text, "The user switched evaluate off for this agent in Sidekick.") {
			t.Errorf("a call: %q, isError %v", text, isError)
		}
	}
	if text, isError := s.call("1", "click", `{"ref":"e1"}`); isError {
		t.Error(text)
	}
	if got := b.seen()[calls:]; len(got) != 1 {
		t.Errorf("asked of the browser: %q", got)
	}
	changed <- struct{}{}
	if told := s.Receive(hang); told.Method != "notifications/tools/list_changed" {
		t.Errorf("told of %s", told.Method)
	}
	has(false)
	off.Store(false)
	changed <- struct{}{}
	if told := s.Receive(hang); told.Method != "notifications/tools/list_changed" {
		t.Errorf("told of %s", told.Method)
	}
	has(true)
	// Where nobody can tell, the answer is no.
	broken.Store(true)
	has(false)
	if text, isError := s.call("1", "evaluate", `{"function":"x"}`); !isError || !strings.Contains(text, "the list is damaged") {
		t.Errorf("%q, isError %v", text, isError)
	}
	broken.Store(false)
	s.end()

	// The next process answers from the cache, and the limit holds all the same.
	off.Store(true)
	s = start(t, b, options)
	has(false)
	s.end()
}
