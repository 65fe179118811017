// Package ipc carries wire messages between Sidekick's processes on one
// machine: it listens and dials on the user's own socket (a named pipe on
// Windows), makes sure that the process at the other end runs as the same user
// and that only one helper runs, and starts the helper for whoever finds none.
package ipc

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// Conn is a connection that carries frames. One goroutine may read at a time;
// writing and closing are safe from any.
type Conn struct {
	nc net.Conn
	br *bufio.Reader

	wmu sync.Mutex // held while a frame is written
}

// NewConn makes a Conn of a stream.
func NewConn(nc net.Conn) *Conn {
	return &Conn{nc: nc, br: bufio.NewReaderSize(nc, 64<<10)}
}

// BadFrameError says that a frame was no message. The connection goes on with
// the next one.
type BadFrameError struct {
	// Prefix is the beginning of the frame's text.
	Prefix []byte
	// Err is what was wrong with it.
	Err error
}

func (e *BadFrameError) Error() string { return "a frame is no message: " + e.Err.Error() }

func (e *BadFrameError) Unwrap() error { return e.Err }

// Recoverable reports whether after an error of Read the next frame can still
// be read: the frame was broken or over the limit, the connection is not.
func Recoverable(err error) bool {
	var bad *BadFrameError
	var large *wire.TooLargeError
	return errors.As(err, &bad) || errors.As(err, &large)
}

// Read reads the next message. After a [*wire.TooLargeError] or a
// [*BadFrameError] the next call reads the frame that follows; every other
// error ends the connection (io.EOF: the other side closed it).
func (c *Conn) Read() (*wire.Message, error) {
	b, err := c.ReadFrame()
	if err != nil {
		return nil, err
	}
	return Decode(b)
}

// ReadFrame is Read for whoever only passes the frame's text on.
func (c *Conn) ReadFrame() ([]byte, error) {
	return wire.ReadFrame(c.br, wire.MaxFrame)
}

// Write writes a message. Over the limit it writes nothing and returns a
// [*wire.TooLargeError]; every other error ends the connection.
func (c *Conn) Write(m *wire.Message) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return m.Write(c.nc, wire.MaxFrame)
}

// WriteFrame is Write for whoever has the frame's text already.
func (c *Conn) WriteFrame(b []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return wire.WriteFrame(c.nc, b, wire.MaxFrame)
}

// SetDeadline bounds the reads and writes that follow and those under way; the
// zero time takes the bound away.
func (c *Conn) SetDeadline(t time.Time) error { return c.nc.SetDeadline(t) }

// Close ends the connection and with it the calls under way.
func (c *Conn) Close() error { return c.nc.Close() }

// Decode makes a message of a frame's text, or returns a [*BadFrameError].
func Decode(b []byte) (*wire.Message, error) {
	m, err := wire.Decode(b)
	if err != nil {
		return nil, &BadFrameError{Prefix: b[:min(len(b), 4<<10)], Err: err}
	}
	return m, nil
}

// PeerPID is the process at the other end of a connection that was dialled, as
// the system tells it; 0 where it does not.
func (c *Conn) PeerPID() int {
	pid, err := peerProcess(c.nc)
	if err != nil {
		return 0
	}
	return pid
}

// NetConn is the stream below.
func (c *Conn) NetConn() net.Conn { return c.nc }
