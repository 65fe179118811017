package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// startBound is how long DialOrStart waits for a helper that it started. It
// takes some 10 ms; an earlier helper that is just ending its managed browser
// may hold the place for 5 s.
const startBound = 12 * time.Second

// Dial connects to the running helper. If none runs the error wraps
// fs.ErrNotExist or syscall.ECONNREFUSED; ask with [NotRunning]. Something that
// is no socket in its place is an error of package cause's SocketInTheWay.
func Dial(ctx context.Context, dirs paths.Dirs) (*Conn, error) {
	if err := dirs.Ensure(); err != nil {
		return nil, err
	}
	nc, err := dial(ctx, dirs.Socket())
	if err != nil {
		if err := inTheWay(dirs.Socket()); err != nil {
			return nil, err // no helper could listen there either
		}
		return nil, fmt.Errorf("connecting to the Sidekick helper: %w", err)
	}
	return NewConn(nc), nil
}

// NotRunning reports whether an error of [Dial] means that no helper runs.
func NotRunning(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// DialOrStart connects to the helper; if none runs it calls start and dials
// again until the helper answers. Many processes may do so at once: of the
// helpers that they start one stays.
func DialOrStart(ctx context.Context, dirs paths.Dirs, start func(context.Context) error) (*Conn, error) {
	conn, err := Dial(ctx, dirs)
	if err == nil || !NotRunning(err) {
		return conn, err
	}
	if err := start(ctx); err != nil {
		return nil, fmt.Errorf("starting the Sidekick helper: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the Sidekick helper was started and does not answer (its log: %s; \"sidekick-mcp doctor\" says what is wrong): %w", dirs.Log(), err)
		case <-time.After(wait):
		}
		conn, err = Dial(ctx, dirs)
		if err == nil || !NotRunning(err) {
			return conn, err
		}
	}
}
