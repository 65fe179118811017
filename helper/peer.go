package helper

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// Bounds of what waits to be written to one connection. Whoever reads slower
// than that loses its connection, and nobody else waits for it.
const (
	maxQueuedFrames = 8192
	maxQueuedBytes  = wire.MaxFrame // beyond a single frame of any size
	// flushBound is how long a connection that is being ended may take for
	// what is queued already.
	flushBound = 2 * time.Second
)

var errSlowReader = errors.New("the other side reads too slowly: too much waits to be written")

// peer is one connection with its queue of frames to be written. Its own
// goroutine writes, so that sending never blocks the hub.
type peer struct {
	conn *ipc.Conn
	log  *slog.Logger

	mu        sync.Mutex
	queue     []*outgoing
	queued    int  // bytes
	serving   bool // serve has begun
	finishing bool
	err       error         // why the connection ended
	kick      chan struct{} // holds one token when there is something to do
	done      chan struct{} // closed when the writer has ended
}

// outgoing is a frame in a queue.
type outgoing struct {
	msg  *wire.Message
	call *call // the forwarded request that msg is, else nil
}

func (o *outgoing) size() int { return len(o.msg.Params) + len(o.msg.Result) + 256 }

func newPeer(nc net.Conn, log *slog.Logger) *peer {
	return &peer{
		conn: ipc.NewConn(nc), log: log,
		kick: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// send queues a message. It never blocks; a message for an ended connection is
// dropped.
func (p *peer) send(m *wire.Message) { p.push(&outgoing{msg: m}) }

func (p *peer) push(o *outgoing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || p.finishing {
		return
	}
	if len(p.queue) >= maxQueuedFrames || p.queued > 0 && p.queued+o.size() > maxQueuedBytes {
		p.failLocked(errSlowReader)
		return
	}
	p.queue = append(p.queue, o)
	p.queued += o.size()
	p.kickLocked()
}

func (p *peer) kickLocked() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// fail ends the connection at once. The first reason is kept.
func (p *peer) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failLocked(err)
}

func (p *peer) failLocked(err error) {
	if p.err != nil {
		return
	}
	p.err = err
	p.conn.Close()
	p.kickLocked()
}

// finish ends the connection when what is queued has been written, or after
// flushBound.
func (p *peer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finishing || p.err != nil {
		return
	}
	if !p.serving {
		p.failLocked(io.EOF)
		return
	}
	p.finishing = true
	p.conn.SetDeadline(time.Now().Add(flushBound))
	p.kickLocked()
}

// unsent takes out the forwarded requests whose writing never began. It is for
// the time after the writer's end.
func (p *peer) unsent() []*call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var calls []*call
	for _, o := range p.queue {
		if o.call != nil {
			calls = append(calls, o.call)
		}
	}
	p.queue = nil
	return calls
}

// reason is why the connection ended, nil while it lasts.
func (p *peer) reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// write is the writer's goroutine. tooLarge is called for a message that is
// over the limit of a frame and so was not sent.
func (p *peer) write(tooLarge func(*outgoing, error)) {
	defer close(p.done)
	for {
		p.mu.Lock()
		if p.err != nil {
			p.mu.Unlock()
			return
		}
		if len(p.queue) == 0 {
			if p.finishing {
				p.failLocked(io.EOF)
				p.mu.Unlock()
				return
			}
			p.mu.Unlock()
			<-p.kick
			continue
		}
		o := p.queue[0]
		p.queue[0] = nil
		p.queue = p.queue[1:]
		p.mu.Unlock()

		err := p.conn.Write(o.msg)
		p.mu.Lock()
		p.queued -= o.size()
		p.mu.Unlock()
		var large *wire.TooLargeError
		if errors.As(err, &large) {
			tooLarge(o, err)
		} else if err != nil {
			p.fail(fmt.Errorf("writing: %w", err))
			return
		}
	}
}

// serve writes what is queued and hands each message that comes to handle,
// until the connection ends. broken is called for a frame that is no message or
// over the limit. It returns when the writer has ended too.
func (p *peer) serve(handle func(*wire.Message), broken func(prefix []byte, err *wire.Error), tooLarge func(*outgoing, error)) {
	p.mu.Lock()
	p.serving = true
	p.mu.Unlock()
	go p.write(tooLarge)
	for {
		m, err := p.conn.Read()
		if err == nil {
			handle(m)
			continue
		}
		var large *wire.TooLargeError
		var bad *ipc.BadFrameError
		if errors.As(err, &large) {
			broken(large.Prefix, wire.Errorf(wire.CodeTooLarge, "%v", large))
			continue
		}
		if errors.As(err, &bad) {
			broken(bad.Prefix, wire.Errorf(wire.CodeBadRequest, "%v", bad))
			continue
		}
		p.mu.Lock()
		finishing := p.finishing
		p.mu.Unlock()
		if !finishing {
			p.fail(err)
		}
		break
	}
	<-p.done
}
