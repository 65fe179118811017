// Package helper is the per-user hub between agents and browsers: it knows who
// is connected, stamps and routes their frames, parks an agent's requests while
// a hop comes back, and wakes browsers. It never looks into the params of what
// it passes on.
package helper

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// DefaultIdle is how long a helper stays that nobody is connected to.
const DefaultIdle = 10 * time.Minute

// Bounds of what the helper waits for.
const (
	helloBound = 10 * time.Second // from accept to the end of the hello
	// wakeBound is how long a request waits for a browser in all, returnBound
	// how much of it for a link that was lost and may come back by itself.
	wakeBound   = 20 * time.Second
	returnBound = time.Second
	// stopBound is for ending the managed browser: 5 s for it to do so by
	// itself, and then some to kill it.
	stopBound = 8 * time.Second
)

// Options are the arguments of [Run].
type Options struct {
	Dirs     paths.Dirs
	Version  string         // of the binary
	Idle     time.Duration  // 0 is DefaultIdle
	Pairings *pairing.Store // who may connect
	Launcher Launcher       // starts browsers
	Log      *slog.Logger   // nil logs nothing
	// Revoked removes what is left of a pairing that was revoked in the
	// settings; nil removes nothing.
	Revoked func(context.Context, pairing.Pairing) error
	// Diagnose looks for the reason that a browser did not connect, so that the
	// agent is told it; nil looks for none.
	Diagnose func(context.Context, launch.Target) (cause.Cause, bool)
	// AgentCommand returns what the settings page tells a user to give an agent's
	// host, as things are when it is asked; nil is the npm launcher.
	AgentCommand func() ([]string, error)
}

// Launcher starts browsers and ends the managed one.
type Launcher interface {
	// Wake makes the target's browser connect: it starts the browser, or has a
	// running one open the extension's wake page. connected is closed when the
	// browser has connected: then there is no need to try further. It returns
	// when there is nothing more to try, or when connected is closed or ctx
	// done. tried says what it did, each a phrase such as "starting
	// /usr/bin/chromium"; err is why it could do nothing more.
	Wake(ctx context.Context, target launch.Target, connected <-chan struct{}) (tried []string, err error)
	// Running reports whether the target's browser seems to run, so that its
	// extension may connect by itself.
	Running(ctx context.Context, target launch.Target) bool
	// StopManaged ends the managed browser, whoever started it, and waits for
	// its end.
	StopManaged(ctx context.Context) error
}

// Run is the helper: it serves until it was idle for long enough, was asked to
// stop, got SIGINT or SIGTERM, or ctx is done. If another helper runs already
// it returns [ipc.ErrRunning]. When it returns, its socket, lock, connections
// and goroutines are gone; browsers that it started stay, except that
// `helper.stop` ends the managed one.
func Run(ctx context.Context, opt Options) error {
	ctx, stopSignals := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stopSignals()
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	l, release, err := ipc.Listen(ctx, opt.Dirs)
	if err != nil {
		return err
	}
	defer release()
	opt.Log.Info("the helper listens", "version", opt.Version, "pid", os.Getpid(), "socket", opt.Dirs.Socket())
	err = serve(ctx, opt, l)
	if err != nil {
		opt.Log.Error("the helper ends", "err", err)
		return err
	}
	opt.Log.Info("the helper ends")
	return nil
}

// Reasons why a helper ends by itself.
var (
	errIdle = errors.New("nobody was connected for the idle time")
	errStop = errors.New("asked to stop")
	errLeft = errors.New("made way for another helper")
)

// serve serves the connections of l, which it closes.
func serve(ctx context.Context, opt Options, l net.Listener) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	h, err := newHub(ctx, end, opt)
	if err != nil {
		l.Close()
		return err
	}

	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				// The listener was closed, or is of no use any more.
				end(&acceptError{err})
				return
			}
			h.wg.Go(func() { h.connection(ctx, nc) })
		}
	})

	<-ctx.Done()
	cause := context.Cause(ctx)
	// First nobody new: from here on dialing fails, and who dials starts the
	// next helper, which waits for this one's lock.
	l.Close()
	accepting.Wait()
	if errors.Is(cause, errStop) {
		h.stop(opt.Launcher)
	}
	h.endAll()
	h.wg.Wait()
	if broken := (*acceptError)(nil); errors.As(cause, &broken) {
		return cause
	}
	opt.Log.Info("leaving", "why", cause.Error())
	return nil
}

// acceptError says that the listener broke.
type acceptError struct{ err error }

func (e *acceptError) Error() string { return "accepting connections: " + e.err.Error() }

func (e *acceptError) Unwrap() error { return e.err }

// stop tells the browsers that this end is meant, and ends the managed one.
func (h *hub) stop(launcher Launcher) {
	h.mu.Lock()
	for l := range h.links {
		l.send(&wire.Message{Method: wire.MethodStopping})
	}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), stopBound)
	defer cancel()
	if err := launcher.StopManaged(ctx); err != nil {
		h.log.Error("ending the managed browser", "err", err)
	}
}
