package helper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// handOverBound is how long a helper that was asked to make way waits for its
// agents' calls: the longest that a tool may take, and some.
const handOverBound = 130 * time.Second

// handOver makes way for another helper: the agents are asked to end their
// connections when they are between two calls, and with the last of them this
// helper ends. Until then it serves everybody, those who come meanwhile
// included, so that nobody waits for a call of somebody else's.
func (h *hub) handOver() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving != nil || h.ending {
		return
	}
	h.log.Info("making way for another helper", "agents", len(h.agents))
	h.leaving = time.AfterFunc(handOverBound, func() { h.end(errLeft) })
	for _, a := range h.agents {
		a.sendJSON(wire.MethodLeaving, struct{}{})
	}
	h.leaveIfQuiet()
}

// leaveIfQuiet ends a helper that makes way when no agent is left. It needs mu.
func (h *hub) leaveIfQuiet() {
	if h.leaving != nil && len(h.agents) == 0 {
		h.end(errLeft)
	}
}

// Newer reports whether a release is newer than another. Builds that are no
// release are neither newer nor older than anything.
func Newer(version, than string) bool {
	a, b := canonical(version), canonical(than)
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}

func canonical(version string) string { return "v" + strings.TrimPrefix(version, "v") }

// ErrNewerRuns says that the helper that runs is of a newer version.
var ErrNewerRuns = errors.New("a Sidekick helper of a newer version is running")

// HandOver asks the running helper to end as soon as its agents are between
// two calls, and does not wait for that. [ErrNotRunning] says that there is
// none.
func HandOver(ctx context.Context, dirs paths.Dirs) error {
	conn, _, err := askToLeave(ctx, dirs, "")
	if err == nil {
		conn.Close()
	}
	return err
}

// TakeOver asks the running helper to make way, and waits until it has gone. It
// returns nil with no helper there, and [ErrNewerRuns] if the one that runs is
// newer than version.
func TakeOver(ctx context.Context, dirs paths.Dirs, version string) error {
	conn, about, err := askToLeave(ctx, dirs, version)
	if errors.Is(err, ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	// The helper closes this connection as one of the last things.
	for {
		if _, err := conn.Read(); err != nil && !ipc.Recoverable(err) {
			break
		}
	}
	conn.Close()
	if err := launch.WaitGone(ctx, about.PID); err != nil {
		return fmt.Errorf("waiting for the helper (process %d) to make way: %w", about.PID, err)
	}
	return nil
}

// askToLeave asks; the connection lasts as long as the helper. version is that
// of who asks, empty for whoever may ask any helper.
func askToLeave(ctx context.Context, dirs paths.Dirs, version string) (*ipc.Conn, wire.ControlWelcome, error) {
	conn, about, err := control(ctx, dirs)
	if err != nil {
		return nil, about, err
	}
	if Newer(about.Version, version) {
		conn.Close()
		return nil, about, ErrNewerRuns
	}
	if err := request(ctx, conn, wire.MethodHandOver, struct{}{}, nil); err != nil {
		conn.Close()
		return nil, about, err
	}
	return conn, about, nil
}

// outdated asks a helper that is older than this binary to make way. The agent
// uses it meanwhile like all others, so there is nobody to tell if that fails.
func (d *Dialer) outdated(ctx context.Context, helper string) {
	if helper == d.Version || !Newer(d.Version, helper) {
		return
	}
	if Prefer(d.Dirs, d.Version) == nil {
		_ = HandOver(ctx, d.Dirs)
	}
}

// replace has a helper that is too old to understand this agent make way, and
// reports whether it has gone.
func (d *Dialer) replace(ctx context.Context) bool {
	conn, about, err := control(ctx, d.Dirs)
	if err != nil {
		return errors.Is(err, ErrNotRunning)
	}
	conn.Close()
	if !Newer(d.Version, about.Version) || Prefer(d.Dirs, d.Version) != nil {
		return false
	}
	return TakeOver(ctx, d.Dirs, d.Version) == nil
}
