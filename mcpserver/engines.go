package mcpserver

import (
	"context"
	"fmt"
	"sync"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// maxEngines bounds how many names one client may call itself by.
const maxEngines = 16

// engines has one page engine for each name that the client calls itself by:
// two names over one pipe are two agents with a tab group each. An engine is
// connected at its first use, and again at the next one after that failed or
// after the engine was lost.
type engines struct {
	// base ends every attempt to connect.
	base    context.Context
	connect func(ctx context.Context, clientName string) (browser.API, error)

	wg     sync.WaitGroup // attempts under way
	mu     sync.Mutex
	closed bool
	byName map[string]*attempt
}

// attempt is one connecting, which all callers who need it wait for.
type attempt struct {
	done   chan struct{}
	cancel context.CancelFunc
	// Guarded by engines.mu: how many callers wait, and that the last of them
	// gave up before it was done, which cancelled it.
	waiters   int
	abandoned bool
	// Set before done is closed.
	api browser.API
	err error
}

// usable reports whether a caller may wait for it or use what came of it. It
// is called with engines.mu held.
func (a *attempt) usable() bool {
	if a.abandoned {
		return false
	}
	select {
	case <-a.done:
	default:
		return true
	}
	if a.err != nil {
		return false
	}
	// An engine that can tell that it is lost is not used any more then.
	if e, ok := a.api.(interface{ Done() <-chan struct{} }); ok {
		select {
		case <-e.Done():
			return false
		default:
		}
	}
	return true
}

// get returns the engine of a name. Its error's text is for the model.
func (e *engines) get(ctx context.Context, name string) (browser.API, error) {
	a, err := e.join(name)
	if err != nil {
		return nil, err
	}
	defer e.giveUp(a)
	select {
	case <-a.done:
		return a.api, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *engines) join(name string) (*attempt, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, context.Canceled
	}
	a := e.byName[name]
	if a != nil && a.usable() {
		a.waiters++
		return a, nil
	}
	if a == nil && len(e.byName) >= maxEngines {
		return nil, fmt.Errorf("this client has called itself by %d names already, and each is an agent of its own; use one of them", maxEngines)
	}
	before := a
	ctx, cancel := context.WithCancel(e.base)
	a = &attempt{done: make(chan struct{}), cancel: cancel, waiters: 1}
	if e.byName == nil {
		e.byName = map[string]*attempt{}
	}
	e.byName[name] = a
	e.wg.Go(func() {
		defer close(a.done)
		if before != nil {
			// Two connections at once would be two agents.
			before.end()
		}
		if ctx.Err() != nil {
			a.err = ctx.Err()
			return
		}
		a.api, a.err = e.connect(ctx, name)
		if a.err != nil {
			a.api = nil
		}
	})
	return a, nil
}

// giveUp says that a caller no longer waits. A browser that nobody waits for
// need not be started.
func (e *engines) giveUp(a *attempt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	a.waiters--
	select {
	case <-a.done: // its context may be what the engine lives by
	default:
		if a.waiters == 0 {
			a.abandoned = true
			a.cancel()
		}
	}
}

// close lets go of every engine. base must have ended.
func (e *engines) close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.wg.Wait()
	for _, a := range e.byName {
		a.end()
	}
}

// end lets go of what came of an attempt that is not to be used any more.
func (a *attempt) end() {
	a.cancel()
	<-a.done
	if a.api != nil {
		_ = a.api.Close() // whatever it says, nobody can do anything about it
	}
}
