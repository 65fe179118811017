package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// jsonOptions are what CDP messages are read and written with. Pages hold text
// that is not valid UTF-8 (lone surrogates); it must not fail a whole reading.
var jsonOptions = jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))

// ProtocolError is an error that the browser answered a command with.
type ProtocolError struct {
	Method  string
	Code    int64
	Message string
}

// Error returns the browser's own sentence.
func (e *ProtocolError) Error() string { return e.Message }

// errConnClosed is the reason of a connection that we closed ourselves.
var errConnClosed = errors.New("the connection to the browser was closed")

// conn is one connection to a browser: it numbers commands, matches their
// answers and hands events on in order.
//
// It stands where chromedp's Browser and Target stand, and on the same
// Transport, for what those do not give: commands of one caller that go out in
// order without waiting for each other's answers (a click is one round trip
// instead of four), no domains enabled behind our back (DOM and CSS make a busy
// page 200 times slower), and the link's own error when it dies.
type conn struct {
	tr      Transport
	onEvent func(session, method string, params jsonv2.Value)
	done    chan struct{} // closed when the reader has ended
	asides  sync.WaitGroup

	// writeMu keeps commands on the wire in the order of their numbers.
	writeMu sync.Mutex

	mu              sync.Mutex // guards the fields below
	next            int64
	pending         map[int64]*call
	err             error // why the connection ended
	commands, trips int
	waited          bool      // an answer was waited for since the last command went out
	heard           time.Time // when the last message came
}

// canceler is a Transport that can tell its other end that nobody waits for
// the answer to a command any more.
type canceler interface{ Cancel(id int64) }

// notSent is an error of a Transport's Write that concerns the one command
// alone, such as that it is too long.
type notSent interface {
	error
	NotSent() bool
}

// call is one command under way.
type call struct {
	c       *conn
	id      int64
	session string
	method  string
	ready   chan struct{} // closed when the fields below are set
	result  jsonv2.Value
	err     error
}

// newConn starts to read from tr. onEvent runs on the reading goroutine: it
// must neither block nor wait for a command.
func newConn(tr Transport, onEvent func(session, method string, params jsonv2.Value)) *conn {
	c := &conn{tr: tr, onEvent: onEvent, done: make(chan struct{}), pending: map[int64]*call{}, waited: true}
	go c.read()
	return c
}

func (c *conn) read() {
	defer close(c.done)
	for {
		m := new(cdproto.Message)
		if err := c.tr.Read(context.Background(), m); err != nil {
			c.fail(err)
			return
		}
		c.mu.Lock()
		c.heard = time.Now()
		c.mu.Unlock()
		if m.ID == 0 {
			if m.Method != "" {
				c.onEvent(string(m.SessionID), string(m.Method), m.Params)
			}
			continue
		}
		c.mu.Lock()
		p := c.pending[m.ID]
		delete(c.pending, m.ID)
		c.mu.Unlock()
		if p == nil {
			continue // its caller has gone
		}
		p.result = m.Result
		if m.Error != nil {
			p.err = &ProtocolError{Method: p.method, Code: m.Error.Code, Message: m.Error.Message}
		}
		close(p.ready)
	}
}

// fail ends the connection: whatever is under way gets the reason.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	err = c.err
	pending := c.pending
	c.pending = map[int64]*call{}
	c.mu.Unlock()
	_ = c.tr.Close()
	for _, p := range pending {
		p.err = err
		close(p.ready)
	}
}

// alive reports whether commands can still be sent.
func (c *conn) alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil
}

// close ends the connection and waits for its reader.
func (c *conn) close() {
	c.fail(errConnClosed)
	<-c.done
	c.asides.Wait()
}

// aside sends commands whose answers nobody waits for from where events are
// taken in, which must not wait for a write.
func (c *conn) aside(send func(ctx context.Context, c *conn)) {
	c.asides.Go(func() { send(context.Background(), c) })
}

// start sends a command and returns at once. Commands of one goroutine reach
// the browser in the order of their starts.
func (c *conn) start(ctx context.Context, session, method string, params any) *call {
	return c.begin(ctx, session, method, params, true)
}

// tell sends a command whose answer nobody waits for, even when ctx has ended.
func (c *conn) tell(ctx context.Context, session, method string, params any) {
	c.begin(context.WithoutCancel(ctx), session, method, params, false)
}

func (c *conn) begin(ctx context.Context, session, method string, params any, counts bool) *call {
	p := &call{c: c, session: session, method: method, ready: make(chan struct{})}
	finish := func(err error) *call {
		p.err = err
		close(p.ready)
		return p
	}
	if err := context.Cause(ctx); err != nil {
		return finish(err)
	}
	raw := jsonv2.Value("{}")
	if params != nil {
		b, err := jsonv2.Marshal(params, jsonOptions)
		if err != nil {
			return finish(fmt.Errorf("encoding the parameters of %s: %w", method, err))
		}
		raw = b
	}
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	c.mu.Lock()
	if c.err != nil {
		err := c.err
		c.mu.Unlock()
		return finish(err)
	}
	c.next++
	p.id = c.next
	c.pending[p.id] = p
	c.commands++
	if c.waited && counts {
		c.trips++
		c.waited = false
	}
	c.mu.Unlock()
	err := c.tr.Write(ctx, &cdproto.Message{
		ID: p.id, SessionID: target.SessionID(session),
		Method: cdproto.MethodType(method), Params: raw,
	})
	if err != nil {
		c.mu.Lock()
		_, mine := c.pending[p.id]
		delete(c.pending, p.id)
		c.mu.Unlock()
		if n, ok := errors.AsType[notSent](err); !ok || !n.NotSent() {
			c.fail(err) // half a command may be on its way: nothing can follow it
		}
		if mine {
			return finish(err)
		}
	}
	return p
}

// wait waits for the answer and decodes it into result, if that is not nil. It
// returns the cause of ctx if that ends first; the answer is dropped then.
func (p *call) wait(ctx context.Context, result any) error {
	select {
	case <-p.ready:
	case <-ctx.Done():
		select {
		case <-p.ready: // it came before ctx ended
		default:
			p.drop()
			return context.Cause(ctx)
		}
	}
	p.c.mu.Lock()
	p.c.waited = true
	p.c.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(p.result, result, jsonOptions); err != nil {
		return fmt.Errorf("decoding the answer to %s: %w", p.method, err)
	}
	return nil
}

// drop tells both ends that nobody waits for the answer.
func (p *call) drop() {
	p.c.mu.Lock()
	_, pending := p.c.pending[p.id]
	delete(p.c.pending, p.id)
	p.c.mu.Unlock()
	if t, ok := p.c.tr.(canceler); ok && pending {
		t.Cancel(p.id)
	}
}

// cancelWait is how long the other end may take to say how far a sequence came
// that was called off.
const cancelWait = 500 * time.Millisecond

// partly is wait for a sequence: when ctx ends first, it is called off and its
// answer says how far it came.
func (p *call) partly(ctx context.Context, result any) error {
	select {
	case <-p.ready:
		return p.wait(ctx, result)
	case <-ctx.Done():
	}
	t, ok := p.c.tr.(canceler)
	if !ok {
		return p.wait(ctx, result)
	}
	t.Cancel(p.id)
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer cancel()
	_ = p.wait(bound, result) // without an answer it is not known
	return context.Cause(ctx)
}

// endSession ends what was asked in a session that is over: a browser does not
// always answer it.
func (c *conn) endSession(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.pending {
		if p.session == session {
			delete(c.pending, id)
			p.err = &ProtocolError{Method: p.method, Code: -32000, Message: "Inspected target navigated or closed"}
			close(p.ready)
		}
	}
}

// quiet returns for how long nothing has come.
func (c *conn) quiet() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.heard)
}

// roundTrips returns how many commands were sent, and in how many batches that
// were waited for.
func (c *conn) roundTrips() (commands, trips int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commands, c.trips
}

// future is a command under way whose result has the type R.
type future[R any] struct{ *call }

// wait returns the result of the command.
func (f future[R]) wait(ctx context.Context) (R, error) {
	var r R
	err := f.call.wait(ctx, &r)
	return r, err
}

// send starts a typed command of cdproto.
func send[P, R any](ctx context.Context, c *conn, session string, cmd cdp.Command[P, R], params P) future[R] {
	return future[R]{c.start(ctx, session, cmd.Method, params)}
}
