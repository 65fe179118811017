package mcpserver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns lets tool calls enter the engine in the order in which they were read.
// The SDK runs each in a goroutine of its own, so that without it the second of
// two calls sent together could overtake the first (while the first decodes
// 5 MB of arguments, or when both have waited for the browser to start). It is
// only about the order of entering: calls in the engine run side by side, and
// which of them wait for each other is the engine's to say.
type turns struct {
	mu      sync.Mutex
	waiting []*turn // not yet in, in the order of their coming
}

// entering is how long a call has for entering the engine, from its turn to
// where the engine notes its place. The engine does not say when it has, so
// that the next call waits this long, or until the call is over. It is far more
// than a call needs even if its goroutine is set aside for a moment, and too
// little to be noticed.
const entering = 10 * time.Millisecond

// turn is one call's place.
type turn struct {
	all  *turns
	head chan struct{} // closed once it is this one's turn
	out  *time.Timer   // gives the place up; guarded by all.mu
}

// take gives the call that was just read its place.
func (t *turns) take() *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &turn{all: t, head: make(chan struct{})}
	t.waiting = append(t.waiting, p)
	if len(t.waiting) == 1 {
		close(p.head)
	}
	return p
}

// enter waits until every call before this one has entered or was given up.
// The caller then enters at once, and calls leave when the call is over.
func (p *turn) enter(ctx context.Context) error {
	select {
	case <-p.head:
		p.all.mu.Lock()
		defer p.all.mu.Unlock()
		p.out = time.AfterFunc(entering, p.leave)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up; it may be called again and again.
func (p *turn) leave() {
	t := p.all
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, p)
	if i < 0 {
		return
	}
	if p.out != nil {
		p.out.Stop()
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	if i == 0 && len(t.waiting) > 0 {
		close(t.waiting[0].head)
	}
}
