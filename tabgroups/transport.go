// Package tabgroups makes a browser of an agent's tab group: a CDP transport,
// chromedp's and the page engine's kind, whose other end is the extension's
// virtual browser of that group. It knows nothing of MCP and nothing of pages.
package tabgroups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// Link is a connection to the helper on which an agent has said its hello;
// *ipc.Conn is one. Read is called from one goroutine, Write and Close from
// any.
type Link interface {
	Read() (*wire.Message, error)
	Write(*wire.Message) error
	Close() error
}

// Transport carries CDP messages between an engine and an agent's tab group. It
// is a chromedp.Transport.
type Transport struct {
	link Link
	// Limits is called, on the goroutine that reads, when what the user lets the
	// agent do has changed; nil is nobody. It is set before the first Read.
	Limits func()

	mu     sync.Mutex
	reason error // why the link ended, where that was told before it did
}

// NewTransport makes a Transport of a link, which it closes in the end.
func NewTransport(link Link) *Transport { return &Transport{link: link} }

// LostError says that the link to the helper ended.
type LostError struct{ Err error }

// Error says what broke; the engine dials anew by itself.
func (e *LostError) Error() string {
	if e.Err == nil || errors.Is(e.Err, io.EOF) {
		return "The connection to the Sidekick helper broke (its process ended)."
	}
	return fmt.Sprintf("The connection to the Sidekick helper broke (%v).", e.Err)
}

// Unwrap returns what broke it.
func (e *LostError) Unwrap() error { return e.Err }

// Read reads the next message. A message over the limit becomes the error of
// its request; a link that ended is a [*LostError], or the reason that it gave.
func (t *Transport) Read(ctx context.Context, m *cdproto.Message) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, err := t.link.Read()
		if ipc.Recoverable(err) {
			large, ok := errors.AsType[*wire.TooLargeError](err)
			if !ok {
				continue
			}
			id := ipc.Envelope(large.Prefix).ID
			if id == 0 {
				continue
			}
			*m = cdproto.Message{ID: id, Error: &cdproto.Error{
				Code:    int64(wire.CodeTooLarge),
				Message: fmt.Sprintf("The page's answer is too large (%d bytes; the limit is %d). Ask for less of it.", large.Size, large.Limit),
			}}
			return nil
		}
		if err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.reason != nil {
				return t.reason
			}
			return &LostError{err}
		}
		if w.Method == wire.MethodRevoked {
			t.mu.Lock()
			t.reason = wire.Errorf(wire.CodeRevoked, "The user revoked this pairing in Sidekick. Do not go on; tell the user that it needs to be paired anew.")
			t.mu.Unlock()
			continue
		}
		if w.Method == wire.MethodLimits {
			if t.Limits != nil {
				t.Limits()
			}
			continue
		}
		*m = cdproto.Message{
			ID: w.ID, SessionID: target.SessionID(w.SessionID), Method: cdproto.MethodType(w.Method),
			Params: jsonv2.Value(w.Params), Result: jsonv2.Value(w.Result),
		}
		if w.Error != nil {
			m.Error = &cdproto.Error{Code: int64(w.Error.Code), Message: w.Error.Message}
		}
		return nil
	}
}

// tooLargeError says that a command was not sent, because it is too long.
type tooLargeError struct{ *wire.TooLargeError }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("The request is too large (%d bytes; the limit is %d). Send less at once.", e.Size, e.Limit)
}

// NotSent says that the link is all right.
func (e *tooLargeError) NotSent() bool { return true }

// Write sends a command. It returns a sentence for one over the limit of a
// frame, with nothing sent.
func (t *Transport) Write(_ context.Context, m *cdproto.Message) error {
	err := t.link.Write(&wire.Message{
		ID: m.ID, SessionID: string(m.SessionID), Method: string(m.Method), Params: json.RawMessage(m.Params),
	})
	if large, ok := errors.AsType[*wire.TooLargeError](err); ok {
		return &tooLargeError{large}
	}
	if err != nil {
		return &LostError{err}
	}
	return nil
}

// Cancel tells the other end that nobody waits for the answer to the command
// with that number any more: one that still waits for a browser is not run.
func (t *Transport) Cancel(id int64) {
	params, err := json.Marshal(wire.Cancel{ID: id})
	if err != nil {
		return
	}
	// A link that broke has no one to tell.
	_ = t.link.Write(&wire.Message{Method: wire.MethodCancel, Params: params})
}

// RunsSequences says that the other end takes Sidekick.run.
func (t *Transport) RunsSequences() bool { return true }

// Close ends the link, and with it a Read under way.
func (t *Transport) Close() error { return t.link.Close() }
