// Package nativehost is the process that Chrome starts for the extension: it
// copies frames between Chrome, on its standard input and output, and the
// helper. It does not know what the frames mean; it keeps their sizes within
// what each side takes, and comes back to a helper that was restarted.
package nativehost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

const (
	// firstPause and lastPause bound the wait between two attempts to reach
	// the helper, which doubles.
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
	// helloBound is how long the helper may take to answer the hello.
	helloBound = 10 * time.Second
	// stoppingBound is how long Chrome may take to close the port after the
	// helper was stopped on purpose.
	stoppingBound = 5 * time.Second
)

// Options are the arguments of [Run].
type Options struct {
	Stdin  io.Reader // from Chrome
	Stdout io.Writer // to Chrome
	// Dial connects to the helper, which it starts if none runs.
	Dial func(context.Context) (*ipc.Conn, error)
	// Hello is what is said to the helper; Role, Protocol and PID are filled
	// in. See [Browser].
	Hello wire.Hello
	Log   *slog.Logger // nil logs nothing
}

// host is one run.
type host struct {
	opt Options
	log *slog.Logger

	mu       sync.Mutex // held while a frame is written to Chrome
	messages int64      // numbers those that are sent in parts
	outErr   error      // why Chrome takes nothing any more

	connMu sync.Mutex
	conn   *ipc.Conn // nil while there is no helper
}

// Run copies frames until Chrome closes the port (nil), ctx is done, or Chrome
// takes nothing any more. A frame that cannot be passed on fails the one
// request that it belongs to. The goroutine that reads Stdin ends when Stdin
// does, which on the way out by ctx may be after Run returns.
func Run(ctx context.Context, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	h := &host{opt: opt, log: opt.Log}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(h.fromChrome()) }()

	err := h.keepConnected(ctx)
	if errors.Is(err, errPortClosed) || errors.Is(err, errStopped) {
		h.log.Info("the native host ends", "why", err.Error())
		return nil
	}
	return err
}

var (
	errPortClosed = errors.New("Chrome closed the port")
	errStopped    = errors.New("the helper was stopped on purpose")
)

// fromChrome passes Chrome's frames on until there are no more, and says why.
func (h *host) fromChrome() error {
	for {
		b, err := wire.ReadFrame(h.opt.Stdin, wire.MaxFrame)
		var large *wire.TooLargeError
		switch {
		case errors.As(err, &large):
			h.reject(large.Prefix, wire.Errorf(wire.CodeTooLarge, "%v", large))
			continue
		case errors.Is(err, io.EOF):
			return errPortClosed
		case err != nil:
			return fmt.Errorf("reading from Chrome: %w", err)
		}
		conn := h.current()
		if conn == nil || conn.WriteFrame(b) != nil {
			h.unsent(b)
		}
	}
}

// reject answers the one request in a frame of Chrome's that cannot be passed
// on: the extension if it is asking, else the helper, which waits for this
// answer.
func (h *host) reject(prefix []byte, err *wire.Error) {
	h.log.Warn("a frame from Chrome was dropped", "err", err.Message)
	m := ipc.Envelope(prefix)
	switch {
	case m.ID == 0:
	case m.Method != "":
		h.toChrome(m.Fail(err))
	default:
		if conn := h.current(); conn != nil {
			conn.Write(m.Fail(err))
		}
	}
}

// unsent answers a request of the extension's that came while there is no
// helper.
func (h *host) unsent(b []byte) {
	if m := ipc.Envelope(b); m.ID != 0 && m.Method != "" {
		h.toChrome(m.Fail(wire.Errorf(wire.CodeHopLost, "the Sidekick helper is not connected just now: try again")))
	}
}

// keepConnected connects to the helper and passes its frames on, again and
// again.
func (h *host) keepConnected(ctx context.Context) error {
	pause := firstPause
	for {
		stopping, connected, err := h.once(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := h.chromeErr(); err != nil {
			return fmt.Errorf("writing to Chrome: %w", err)
		}
		if stopping {
			return h.waitStopped(ctx)
		}
		h.log.Info("no connection to the helper", "err", err)
		if connected {
			pause = firstPause
			h.event(wire.MethodHostDisconnected, wire.HostDisconnected{Reason: err.Error()})
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
		pause = min(2*pause, lastPause)
	}
}

// waitStopped gives Chrome time to close the port.
func (h *host) waitStopped(ctx context.Context) error {
	timer := time.NewTimer(stoppingBound)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return errStopped
	}
}

// once is one connection, from dialing to its end.
func (h *host) once(ctx context.Context) (stopping, connected bool, err error) {
	conn, err := h.opt.Dial(ctx)
	if err != nil {
		return false, false, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := h.hello(conn); err != nil {
		return false, false, err
	}
	h.setCurrent(conn)
	defer h.setCurrent(nil)
	h.event(wire.MethodHostConnected, struct{}{})
	for {
		b, err := conn.ReadFrame()
		if err != nil && !ipc.Recoverable(err) {
			return stopping, true, fmt.Errorf("the connection to the helper broke: %w", err)
		}
		var large *wire.TooLargeError
		if errors.As(err, &large) {
			h.refuse(conn, large.Prefix, wire.Errorf(wire.CodeTooLarge, "%v", large))
			continue
		}
		// Chrome would end the port. (Of what Chrome sends the helper takes
		// care.)
		if !json.Valid(b) {
			h.refuse(conn, b, wire.Errorf(wire.CodeBadRequest, "a frame of the helper is no JSON"))
			continue
		}
		if len(b) < 200 && ipc.Envelope(b).Method == wire.MethodStopping {
			stopping = true
		}
		if h.frame(b) != nil {
			return stopping, true, h.chromeErr()
		}
	}
}

// refuse answers the one request in a frame of the helper's that cannot be
// passed on.
func (h *host) refuse(conn *ipc.Conn, prefix []byte, err *wire.Error) {
	h.log.Warn("a frame from the helper was dropped", "err", err.Message)
	if m := ipc.Envelope(prefix); m.ID != 0 && m.Method != "" {
		conn.Write(m.Fail(err))
	}
}

// hello tells the helper which browser this is.
func (h *host) hello(conn *ipc.Conn) error {
	conn.SetDeadline(time.Now().Add(helloBound))
	hello := h.opt.Hello
	hello.Role, hello.Protocol, hello.Oldest = wire.RoleBrowser, wire.ProtocolVersion, wire.OldestProtocol
	hello.PID = pid()
	b, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	if err := conn.Write(&wire.Message{ID: 1, Method: wire.MethodHello, Params: b}); err != nil {
		return fmt.Errorf("saying hello to the helper: %w", err)
	}
	m, err := conn.Read()
	if err != nil {
		return fmt.Errorf("saying hello to the helper: %w", err)
	}
	if m.Error != nil {
		return m.Error
	}
	return conn.SetDeadline(time.Time{})
}

func (h *host) current() *ipc.Conn {
	h.connMu.Lock()
	defer h.connMu.Unlock()
	return h.conn
}

func (h *host) setCurrent(conn *ipc.Conn) {
	h.connMu.Lock()
	defer h.connMu.Unlock()
	h.conn = conn
}

// event sends Chrome an event of the host's own.
func (h *host) event(method string, params any) {
	b, err := json.Marshal(params)
	if err != nil {
		panic(err) // our own structs
	}
	h.toChrome(&wire.Message{Method: method, Params: b})
}

func (h *host) toChrome(m *wire.Message) {
	b, err := json.Marshal(m)
	if err != nil {
		h.log.Error("encoding a message for Chrome", "err", err)
		return
	}
	h.frame(b)
}

// frame writes the text of a message to Chrome, in parts if it is too long for
// one frame.
func (h *host) frame(b []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outErr != nil {
		return h.outErr
	}
	h.messages++
	frames, err := wire.Split(b, h.messages)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := wire.WriteFrame(h.opt.Stdout, f, wire.MaxToBrowser); err != nil {
			h.outErr = err
			return err
		}
	}
	return nil
}

func (h *host) chromeErr() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outErr
}
