// Package wire holds what travels between Sidekick's processes: one envelope,
// one framing, one list of error codes, shared by every hop and, as golden
// JSON (testdata/golden.json), by the extension's tests.
//
// The envelope is the Chrome DevTools Protocol's own (id, sessionId, method,
// params, result, error), because to the page engine an agent's tab group is a
// small browser: whatever CDP client code can drive a browser can drive a
// group. Two fields are ours: agent, which only the helper writes, and part,
// which only the last hop into Chrome needs.
package wire

import (
	"encoding/json"
	"fmt"
)

// ProtocolVersion is the version of the messages in this package, and
// OldestProtocol the oldest that this side still speaks. Each side says both in
// its hello. Programs and extensions are updated at different times, so a new
// protocol keeps speaking the one before for at least one minor version. Two
// sides whose ranges do not meet are told which of them to update.
const (
	ProtocolVersion = 1
	OldestProtocol  = 1
)

// Speaks reports whether this side and one that speaks the protocols from
// oldest to newest understand each other; oldest 0 is the newest alone.
func Speaks(oldest, newest int) bool {
	if oldest == 0 {
		oldest = newest
	}
	return newest >= OldestProtocol && oldest <= ProtocolVersion
}

// Message is the envelope of every frame. A frame with ID and Method is a
// request, with ID alone its response, with Method alone an event.
type Message struct {
	// ID numbers a request of its sender; the response carries it back. The
	// helper renumbers requests that it forwards, so that many agents can
	// share one connection to a browser.
	ID int64 `json:"id,omitempty"`
	// Agent says which agent a frame of the browser connection belongs to. The
	// helper stamps it and drops what an agent wrote there itself.
	Agent string `json:"agent,omitempty"`
	// SessionID names an attached tab ("t3") or a child session of it
	// ("t3:<CDP session>"); empty is the group itself, CDP's browser level.
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *Error          `json:"error,omitempty"`
	// Part is set on the pieces of a message that was too long for one frame
	// into Chrome; nothing else is set then.
	Part *Part `json:"part,omitempty"`
}

// Part is one piece of a message that is over [MaxToBrowser]. The pieces of a
// message follow each other in order, though frames of other messages may come
// in between; Data is base64, because its length can be told in advance
// whatever the text is (JSON's escapes make up to six bytes of one).
type Part struct {
	Message int64  `json:"message"`
	Index   int    `json:"index"`
	Total   int    `json:"total"`
	Data    string `json:"data"`
}

// Code tells a program what an [Error] is. CDP's own errors keep CDP's codes
// (-32000 and around); ours lie outside the range that JSON-RPC reserves.
type Code int64

// The codes that this project adds. The numbers are part of the protocol.
const (
	CodeStopped        Code = -31001 // the user stopped this agent
	CodeBlockedSite    Code = -31002 // the user blocked this site for agents
	CodeNotYours       Code = -31003 // no such tab in the agent's group
	CodeNotAllowed     Code = -31004 // a CDP method off the allow list, a URL scheme that agents may not open
	CodeHopLost        Code = -31005 // a hop broke while the request was under way: its outcome is unknown
	CodeNoBrowser      Code = -31006 // the browser is not to be found or does not answer
	CodeTooLarge       Code = -31007 // the message is over the limit of a hop
	CodeRevoked        Code = -31008 // the pairing is revoked, or its token is not known
	CodeTabGone        Code = -31009 // the tab was closed
	CodeDetachedByUser Code = -31010 // the user pressed Cancel on Chrome's debugging bar
	CodeNotAttached    Code = -31011 // the command was not run: attach to the tab first
	CodeBadRequest     Code = -31012 // the frame makes no sense to its receiver
	CodeVersion        Code = -31013 // the two sides speak different protocol versions
	CodeNotRun         Code = -31014 // a step of Sidekick.run: what it needs of an earlier one is not there
	CodeCDP            Code = -32000 // CDP's own server error
)

// Error is an error on the wire. Message is a sentence for whoever reads it
// last, a person or a model: it says what was wrong and what to do.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &wire.Error{Code: wire.CodeStopped}) asks for a kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errorf makes an [Error] of a kind.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Reply makes the response to the request m with a result, which must encode
// as JSON.
func (m *Message) Reply(result any) *Message {
	b, err := json.Marshal(result)
	if err != nil {
		return m.Fail(Errorf(CodeBadRequest, "encoding the result of %s: %v", m.Method, err))
	}
	return &Message{ID: m.ID, Agent: m.Agent, SessionID: m.SessionID, Result: b}
}

// Fail makes the response to the request m with an error.
func (m *Message) Fail(err *Error) *Message {
	return &Message{ID: m.ID, Agent: m.Agent, SessionID: m.SessionID, Error: err}
}
