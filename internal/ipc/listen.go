package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// ErrRunning says that a helper runs already and answers.
var ErrRunning = errors.New("a Sidekick helper is running already")

// lockBound is how long Listen waits for a helper that holds the lock and does
// not answer: it is on its way out, or not listening yet.
const lockBound = 10 * time.Second

// Listen takes the place of this user's helper: the lock first, and only with
// it the socket, unlinking one that a killed helper left. So two helpers that
// start at once never unlink each other's socket. If another helper runs it
// returns [ErrRunning].
//
// Connections of other users are closed before Accept returns them. release
// closes the listener, removes the socket and the lock and may be called more
// than once. A caller that wants dialing to fail at once while it still holds
// the place closes the listener first.
func Listen(ctx context.Context, dirs paths.Dirs) (l net.Listener, release func(), err error) {
	if err := dirs.Ensure(); err != nil {
		return nil, nil, err
	}
	lock, err := takePlace(ctx, dirs)
	if err != nil {
		return nil, nil, err
	}
	l, err = listen(dirs.Socket())
	if err != nil {
		lock.release()
		return nil, nil, fmt.Errorf("listening for agents and browsers: %w", err)
	}
	return l, sync.OnceFunc(func() {
		l.Close()
		lock.release()
	}), nil
}

// takePlace takes the lock. A holder that answers is a running helper; one
// that does not is waited for.
func takePlace(ctx context.Context, dirs paths.Dirs) (*lock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockBound)
	defer cancel()
	for {
		lock, err := tryLock(dirs.Lock())
		if err != nil {
			return nil, fmt.Errorf("taking the helper's lock: %w", err)
		}
		if lock != nil {
			return lock, nil
		}
		if conn, err := Dial(ctx, dirs); err == nil {
			conn.Close()
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another Sidekick helper holds %s and does not answer: %w", dirs.Lock(), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// CleanUp removes the socket and the lock that a killed helper left. It leaves
// those of a running one alone.
func CleanUp(dirs paths.Dirs) error {
	if _, err := os.Stat(dirs.Lock()); err != nil {
		// The lock outlives the socket on every way out.
		return nil
	}
	lock, err := tryLock(dirs.Lock())
	if err != nil || lock == nil {
		return err
	}
	defer lock.release()
	return removeSocket(dirs.Socket())
}
