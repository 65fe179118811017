package helper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// ErrNotRunning says that no helper runs.
var ErrNotRunning = errors.New("no Sidekick helper is running")

// AgentInfo is who an agent is to everyone else.
type AgentInfo = wire.Agent

// dialTries bounds how often a hello is tried that meets a helper which is just
// leaving, or dying, and dialPause is between two tries.
const (
	dialTries = 10
	dialPause = 10 * time.Millisecond
	// welcomeBound is how long a helper may take to welcome an agent. It waits
	// for nothing but the list of pairings, which others hold for 5 s at most.
	welcomeBound = 8 * time.Second
	// controlBound is the same for the command line, which it waits for nothing
	// to welcome.
	controlBound = 4 * time.Second
)

// pause waits for dialPause, or for ctx.
func pause(ctx context.Context) {
	timer := time.NewTimer(dialPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Dialer connects one agent to the helper, again and again as it may need.
type Dialer struct {
	Dirs    paths.Dirs
	Token   string
	Client  string                          // the agent's name as its host gave it
	Version string                          // of this binary
	Start   func(ctx context.Context) error // starts the helper, such as ipc.StartHelper
	// Slug is the slug of the connection before, which Dial keeps here, so
	// that of two agents of one name each comes back to its own group.
	Slug string

	welcome time.Duration // welcomeBound, but in tests
}

// Dial connects and says who it is. An error that is a [*wire.Error] is the
// helper's refusal (CodeRevoked, CodeVersion).
func (d *Dialer) Dial(ctx context.Context) (*ipc.Conn, AgentInfo, error) {
	var err error
	for range dialTries {
		var conn *ipc.Conn
		conn, err = ipc.DialOrStart(ctx, d.Dirs, d.Start)
		if err != nil {
			return nil, AgentInfo{}, err
		}
		var welcome wire.AgentWelcome
		wait := cmp.Or(d.welcome, welcomeBound)
		bounded, cancel := context.WithTimeoutCause(ctx, wait, cause.HelperHung.About("", fmt.Sprintf("no answer within %v", wait)))
		err = request(bounded, conn, wire.MethodHello, wire.Hello{
			Role: wire.RoleAgent, Protocol: wire.ProtocolVersion, Oldest: wire.OldestProtocol, Version: d.Version, PID: os.Getpid(),
			Token: d.Token, Client: d.Client, Slug: d.Slug,
		}, &welcome)
		cancel()
		if err == nil {
			d.Slug = welcome.Agent.Slug
			d.outdated(ctx, welcome.Version)
			return conn, welcome.Agent, nil
		}
		conn.Close()
		var refused *wire.Error
		if errors.As(err, &refused) && refused.Code == wire.CodeVersion && d.replace(ctx) {
			continue
		}
		if errors.As(err, &refused) || ctx.Err() != nil || errors.Is(err, cause.HelperHung) {
			return nil, AgentInfo{}, err
		}
		// The helper ended before it answered: the next one will.
		pause(ctx)
	}
	return nil, AgentInfo{}, fmt.Errorf("the Sidekick helper ends each time before it answers (its log: %s): %w", d.Dirs.Log(), err)
}

// DialAgent connects an agent to the helper, which start starts if none runs.
// See [Dialer] for an agent that connects more than once.
func DialAgent(ctx context.Context, dirs paths.Dirs, token, client, version string, start func(context.Context) error) (*ipc.Conn, AgentInfo, error) {
	d := Dialer{Dirs: dirs, Token: token, Client: client, Version: version, Start: start}
	return d.Dial(ctx)
}

// Status asks the running helper who is connected. If none runs it returns
// [ErrNotRunning].
func Status(ctx context.Context, dirs paths.Dirs) (wire.Status, error) {
	var s wire.Status
	conn, _, err := control(ctx, dirs)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	err = request(ctx, conn, wire.MethodStatus, struct{}{}, &s)
	return s, err
}

// NotifyPairings tells the running helper that the list of pairings has
// changed: it ends the agents whose pairing has gone. With no helper there is
// nobody to tell.
func NotifyPairings(ctx context.Context, dirs paths.Dirs) error {
	conn, _, err := control(ctx, dirs)
	if errors.Is(err, ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	return request(ctx, conn, wire.MethodPairingsChanged, struct{}{}, nil)
}

// Stop ends the helper and the managed browser and waits until they are gone.
// It also ends a managed browser, and removes a socket and a lock, that a
// killed helper left. It returns [ErrNotRunning] if no helper was there, when
// all of that is done.
func Stop(ctx context.Context, dirs paths.Dirs) error {
	conn, about, err := control(ctx, dirs)
	running := err == nil
	switch {
	case running:
		err = request(ctx, conn, wire.MethodStop, struct{}{}, nil)
		// The helper closes this connection as one of the last things.
		bounded := context.AfterFunc(ctx, func() { conn.Close() })
		defer bounded()
		for err == nil {
			if _, rerr := conn.Read(); rerr != nil && !ipc.Recoverable(rerr) {
				break
			}
		}
		conn.Close()
		if ctx.Err() == nil {
			_ = launch.WaitGone(ctx, about.PID)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the helper (process %d) was told to end, and %w", about.PID, context.Cause(ctx))
		}
	case !errors.Is(err, ErrNotRunning):
		return err
	}
	// All of this is done already unless the helper was killed.
	if err := launch.StopManaged(ctx, dirs); err != nil {
		return err
	}
	if err := ipc.CleanUp(dirs); err != nil {
		return err
	}
	if !running {
		return ErrNotRunning
	}
	return nil
}

// control connects for the user's own command line, and says which helper it
// is.
func control(ctx context.Context, dirs paths.Dirs) (*ipc.Conn, wire.ControlWelcome, error) {
	var none wire.ControlWelcome
	var err error
	for range dialTries {
		var conn *ipc.Conn
		conn, err = ipc.Dial(ctx, dirs)
		if err != nil {
			if ipc.NotRunning(err) {
				err = ErrNotRunning
			}
			return nil, none, err
		}
		var welcome wire.ControlWelcome
		hung := cause.HelperHung.About(named(conn.PeerPID()), fmt.Sprintf("no answer within %v", controlBound))
		bounded, cancel := context.WithTimeoutCause(ctx, controlBound, hung)
		err = request(bounded, conn, wire.MethodHello, wire.Hello{
			Role: wire.RoleControl, Protocol: wire.ProtocolVersion, Oldest: wire.OldestProtocol, PID: os.Getpid(),
		}, &welcome)
		cancel()
		if err == nil {
			return conn, welcome, nil
		}
		conn.Close()
		var refused *wire.Error
		if errors.As(err, &refused) || ctx.Err() != nil || errors.Is(err, cause.HelperHung) {
			return nil, none, err
		}
		pause(ctx)
	}
	return nil, none, err
}

// named is a helper's process as a part of a sentence, "" if it is not known.
func named(pid int) string {
	if pid <= 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// request sends a request, as the only one under way, and waits for its answer;
// events that come first are dropped. When ctx ends the connection does.
func request(ctx context.Context, conn *ipc.Conn, method string, params, result any) error {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	const id = 1
	fail := func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("asking the Sidekick helper for %s: %w", method, err)
	}
	if err := conn.Write(&wire.Message{ID: id, Method: method, Params: b}); err != nil {
		return fail(err)
	}
	for {
		m, err := conn.Read()
		if err != nil {
			return fail(err)
		}
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fail(err)
		}
		return nil
	}
}
