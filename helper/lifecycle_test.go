package helper

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

func TestIdleLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startFake(t, nil) // with no word of how long
		_, token := h.pair("FrogBot", pairing.Options{})
		time.Sleep(9 * time.Minute)
		a := h.agent(token, "researcher")
		time.Sleep(time.Hour)
		b := h.browser(profileA)
		a.conn.Close()
		time.Sleep(time.Hour)
		b.conn.Close()
		synctest.Wait()
		left := time.Now()
		<-h.ended
		if h.err != nil {
			t.Error(h.err)
		}
		if took := time.Since(left); took != 10*time.Minute {
			t.Errorf("the helper left after %v without anybody, want 10 min", took)
		}
		if _, err := h.dial(); err == nil {
			t.Error("it still takes connections")
		}
	})
}

func TestStop(t *testing.T) {
	h := start(t)
	_, token := h.pair("FrogBot", pairing.Options{})
	b := h.browser(profileA)
	a := h.agent(token, "researcher")
	id := a.send("Page.navigate", struct{}{})
	b.request()
	silent, err := h.dial() // one that never says hello
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	begun := time.Now()
	if err := Stop(t.Context(), h.opt.Dirs); err != nil {
		t.Fatal(err)
	}
	<-h.ended
	if h.err != nil {
		t.Error(h.err)
	}
	if took := time.Since(begun); took > helloBound/2 {
		t.Errorf("stopping took %v: it waited for somebody", took)
	}
	if rest := b.ends(); len(rest) == 0 || rest[len(rest)-1].Method != wire.MethodStopping {
		t.Errorf("before its end the browser got %+v, want %s", rest, wire.MethodStopping)
	}
	if rest := a.ends(); len(rest) != 1 || rest[0].ID != id || rest[0].Error == nil || rest[0].Error.Code != wire.CodeHopLost {
		t.Errorf("before its end the agent got %+v, want CodeHopLost", rest)
	}
	if h.launcher.stopped != 1 {
		t.Errorf("the managed browser was ended %d times", h.launcher.stopped)
	}
	nothingLeft(t, h.opt.Dirs)
	if err := Stop(t.Context(), h.opt.Dirs); !errors.Is(err, ErrNotRunning) {
		t.Errorf("stopping what does not run: %v", err)
	}
	if _, err := Status(t.Context(), h.opt.Dirs); !errors.Is(err, ErrNotRunning) {
		t.Errorf("the status of what does not run: %v", err)
	}
	if err := NotifyPairings(t.Context(), h.opt.Dirs); err != nil {
		t.Errorf("telling what does not run: %v", err)
	}
}

// nothingLeft looks for a socket or a lock.
func nothingLeft(t *testing.T, dirs paths.Dirs) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dirs.Run, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}

func TestEndByContextLeavesNothing(t *testing.T) {
	h := start(t)
	h.browser(profileA)
	h.end()
	if h.err != nil {
		t.Error(h.err)
	}
	nothingLeft(t, h.opt.Dirs)
	if h.launcher.stopped != 0 {
		t.Error("the managed browser was ended, though nobody asked for that")
	}
}

func TestSecondHelper(t *testing.T) {
	h := start(t)
	if err := Run(t.Context(), h.opt); !errors.Is(err, ipc.ErrRunning) {
		t.Errorf("the second helper got %v, want ErrRunning", err)
	}
	h.agentCount() // and the first one is well
}

// process starts this test binary as a helper.
func process(t *testing.T, dirs paths.Dirs) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+dirs.State)
	cmd.Stderr = testWriter{t}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// A helper that was killed leaves its socket and lock; the next one takes over.
func TestTakeOverFromAKilledHelper(t *testing.T) {
	dirs := tempDirs(t)
	store := pairing.Open(dirs.Pairings())
	_, token, err := store.Add(t.Context(), "FrogBot", pairing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	dialer := Dialer{
		Dirs: dirs, Token: token.Reveal(), Client: "researcher", Version: "1.2.3",
		Start: func(context.Context) error {
			starts++
			process(t, dirs)
			return nil
		},
	}
	for range 2 {
		conn, info, err := dialer.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Slug != "researcher" {
			t.Errorf("the agent is %+v", info)
		}
		s, err := Status(t.Context(), dirs)
		if err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(s.PID)
		if err != nil {
			t.Fatal(err)
		}
		p.Kill()
		if _, err := conn.Read(); err == nil {
			t.Error("the connection to the killed helper goes on")
		}
		conn.Close()
		if _, err := os.Lstat(dirs.Socket()); err != nil {
			t.Errorf("the killed helper's socket is gone, so this test shows nothing: %v", err)
		}
	}
	if starts != 2 {
		t.Errorf("%d helpers were started, want 2", starts)
	}
	// Stop also cleans up after the killed one.
	if err := Stop(t.Context(), dirs); !errors.Is(err, ErrNotRunning) {
		t.Fatal(err)
	}
	nothingLeft(t, dirs)
}

// Ten who find no helper at once start ten, of which one stays.
func TestTenStartAtOnce(t *testing.T) {
	dirs := tempDirs(t)
	_, token, err := pairing.Open(dirs.Pairings()).Add(t.Context(), "FrogBot", pairing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var started, lost atomic.Int32
	for range 10 {
		wg.Go(func() {
			conn, _, err := DialAgent(t.Context(), dirs, token.Reveal(), "researcher", "1.2.3", func(context.Context) error {
				started.Add(1)
				cmd := process(t, dirs)
				wg.Go(func() {
					if cmd.Wait() != nil {
						lost.Add(1)
					}
				})
				return nil
			})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { conn.Close() })
		})
	}
	waitFor(t, "ten agents on one helper", func() bool {
		s, err := Status(t.Context(), dirs)
		return err == nil && len(s.Agents) == 10
	})
	// (One that comes too late to lose would take over after the stop.)
	waitFor(t, "all helpers but one to end", func() bool { return lost.Load() == started.Load()-1 })
	if err := Stop(t.Context(), dirs); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	nothingLeft(t, dirs)
}

func TestSignalEndsTheHelper(t *testing.T) {
	dirs := tempDirs(t)
	cmd := process(t, dirs)
	waitFor(t, "the helper to listen", func() bool {
		_, err := Status(t.Context(), dirs)
		return err == nil
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	nothingLeft(t, dirs)
}

func TestDialAgentGivesTheReason(t *testing.T) {
	h := start(t)
	_, _, err := DialAgent(t.Context(), h.opt.Dirs, pairing.NewToken().Reveal(), "x", "1.2.3", nil)
	if !errors.Is(err, &wire.Error{Code: wire.CodeRevoked}) {
		t.Errorf("got %v, want CodeRevoked", err)
	}
}
