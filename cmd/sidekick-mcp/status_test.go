package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// buffer is one that is written to while others look.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Whoever watches sees the helper come and go, each state once, and ends with
// Ctrl-C without a failure.
func TestWatchStatus(t *testing.T) {
	home, err := os.MkdirTemp("", "sk-") // short, for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	dirs := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	waitFor := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("waited for %s", what)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var people, programs buffer
	ended := make(chan error, 2)
	go func() { ended <- watchStatus(ctx, &people, dirs, false) }()
	go func() { ended <- watchStatus(ctx, &programs, dirs, true) }()
	lines := func() []string { return strings.Split(strings.TrimSpace(programs.String()), "\n") }
	waitFor("the first look", func() bool {
		return strings.Contains(people.String(), "is not running") && programs.String() != ""
	})

	served := make(chan error, 1)
	go func() { served <- runHelper(context.Background(), dirs, "1.2.3", time.Minute) }()
	waitFor("the helper to be seen", func() bool {
		return strings.Contains(people.String(), "The helper 1.2.3 is running") && len(lines()) == 2
	})
	if err := helper.Stop(t.Context(), dirs); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	waitFor("its end to be seen", func() bool { return strings.Count(people.String(), "is not running") == 2 && len(lines()) == 3 })
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
	var running []bool
	for _, l := range lines() {
		var r statusReport
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatal(err)
		}
		running = append(running, r.Running)
	}
	if len(running) != 3 || running[0] || !running[1] || running[2] {
		t.Errorf("a program was told that the helper runs: %v", running)
	}
}

func TestStatusForPeople(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := statusReport{Running: true, Status: wire.Status{
		Version: "1.2.3", PID: 1, UptimeMS: 61_000,
		Agents: []wire.AgentStatus{
			{ID: "p/a", Title: "FrogBot · a", Client: "a\x1b[31m", PID: 2, LastAction: &wire.ActionStatus{Method: wire.MethodRun, At: at}, UnderWay: 1},
			{ID: "p/b", Title: "FrogBot · b", Client: "b", PID: 3, UnderWay: 2, Waiting: 2},
			{ID: "p/c", Title: "FrogBot · c", Client: "c", PID: 4, LastAction: &wire.ActionStatus{Method: "X.y\n", At: at}},
		},
		Browsers: []wire.BrowserStatus{{
			Browser: "Chrome/156.0", PID: 5, Exe: "/usr/bin/chromium", Managed: true, Extension: "0.1.0",
			Groups: []wire.GroupStatus{{Agent: "p/a", Tabs: 3}, {Agent: "p/c", Tabs: 1, Stopped: true}, {Agent: "p/gone", Title: "FrogBot · gone", Tabs: 4}},
		}},
		Wakes: []wire.WakeStatus{{Managed: true, ForMS: 300}},
	}, Memory: map[int]int64{1: 10 << 20, 2: 5 << 20}}
	var b bytes.Buffer
	if err := r.print(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"for 1m1s, 15 MB in 2 processes", "3 at work act on a page", "- waits for its browser none yet", "1 stopped by you X.y",
		`"FrogBot · gone" 4`, "Waking Sidekick's own browser, for 300ms now.", "unknown yes 0.1.0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("a client's name reaches the terminal: %q", b.String())
	}
}
