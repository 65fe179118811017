package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The methods that the transport looks at.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	methodListen     = "subscriptions/listen"
	methodCallTool   = "tools/call"
	methodCancelled  = "notifications/cancelled"
)

// callHeader carries the transport's number of a call to its handler, in the
// only place that the SDK has for what a transport knows of a request.
const callHeader = "Sidekick-Call"

// conn is the [mcp.Connection] of a stdio session. Towards the SDK it numbers
// requests itself, so that an id goes back exactly as it came, may be used
// again after it was cancelled, and never mixes up two requests.
type conn struct {
	out   *lineWriter
	turns turns
	in    chan jsonrpc.Message
	ended chan struct{} // closed when Read has nothing more to give

	mu       sync.Mutex
	last     int64              // number given last
	pending  map[int64]*pending // requests that are not answered, by number
	byID     map[string]int64   // the same by idKey, without cancelled ones
	greeted  bool               // the SDK has seen what it needs before a call
	ending   bool               // nothing more is accepted
	endedSet bool
}

// pending is a request that the SDK is working on.
type pending struct {
	id     json.RawMessage // as the client wrote it
	key    string          // idKey of it
	method string
	turn   *turn // of a tool call
	silent bool  // not to be answered: cancelled, or never asked for
}

func newConn(out io.Writer) *conn {
	return &conn{
		out:     &lineWriter{w: out},
		in:      make(chan jsonrpc.Message),
		ended:   make(chan struct{}),
		pending: map[int64]*pending{},
		byID:    map[string]int64{},
	}
}

// Connect implements [mcp.Transport].
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection]: stdio has none.
func (c *conn) SessionID() string { return "" }

// accept takes one line of input, or the error of one, and reports whether
// there can be more.
func (c *conn) accept(line []byte, err error) bool {
	var m *message
	if err == nil {
		m, err = parse(line)
	}
	if err != nil {
		return c.out.bad(err) == nil
	}
	msgs, err := c.admit(m)
	if err != nil {
		return c.out.bad(err) == nil
	}
	for _, msg := range msgs {
		select {
		case c.in <- msg:
		case <-c.ended:
			return false
		}
	}
	return true
}

// admit notes a message and makes of it what the SDK is to see, which may be
// nothing. Its error is a *badMessageError.
func (c *conn) admit(m *message) ([]jsonrpc.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return nil, nil
	}
	if m.method == methodCancelled {
		return c.cancel(m.params), nil
	}
	if m.id == nil || m.method == "" {
		msg, err := m.sdk(0)
		if err != nil {
			return nil, nil // a response that nobody can be waiting for
		}
		return []jsonrpc.Message{msg}, nil
	}

	p := &pending{id: m.id, key: idKey(m.id), method: m.method}
	if _, used := c.byID[p.key]; used {
		// An answer with this id would be taken for the first request's.
		return nil, &badMessageError{code: jsonrpc.CodeInvalidRequest, text: "invalid request: the id " + string(m.id) + " belongs to a request that is not answered yet"}
	}
	var msgs []jsonrpc.Message
	switch {
	case c.greeted || m.method == methodPing || m.method == methodDiscover:
	case m.method == methodInitialize || namesVersion(m.params):
		c.greeted = true
	default:
		// Every server that was looked at lists its tools to a client that has
		// not greeted; the SDK's refuses, with an error that has no code.
		c.greeted = true
		n := c.number(&pending{method: methodInitialize, silent: true})
		msgs = append(msgs, &jsonrpc.Request{ID: sdkID(n), Method: methodInitialize, Params: json.RawMessage(
			`{"protocolVersion":"` + newestLegacyVersion + `","capabilities":{},"clientInfo":{"name":"","version":""}}`)})
	}
	n := c.number(p)
	c.byID[p.key] = n
	req := &jsonrpc.Request{ID: sdkID(n), Method: m.method, Params: m.params}
	if m.method == methodCallTool {
		p.turn = c.turns.take()
		req.Extra = &mcp.RequestExtra{Header: http.Header{callHeader: {strconv.FormatInt(n, 10)}}}
	}
	return append(msgs, req), nil
}

// number is called with mu held.
func (c *conn) number(p *pending) int64 {
	c.last++
	c.pending[c.last] = p
	return c.last
}

// cancel is called with mu held. From here on nothing is sent for the id, and
// the client may use it again. Unknown and finished ids are normal: the
// client's cancellation and our answer cross.
func (c *conn) cancel(params json.RawMessage) []jsonrpc.Message {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || !validID(p.ID) {
		return nil
	}
	key := idKey(p.ID)
	n, ok := c.byID[key]
	if !ok || c.pending[n].method == methodInitialize { // which may not be cancelled
		return nil
	}
	delete(c.byID, key)
	c.pending[n].silent = true
	return []jsonrpc.Message{&jsonrpc.Request{
		Method: methodCancelled,
		Params: json.RawMessage(`{"requestId":` + strconv.FormatInt(n, 10) + `}`),
	}}
}

// turnOf finds the place of the call that a handler was called for.
func (c *conn) turnOf(extra *mcp.RequestExtra) *turn {
	if extra != nil {
		if n, err := strconv.ParseInt(extra.Header.Get(callHeader), 10, 64); err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if p := c.pending[n]; p != nil && p.turn != nil {
				return p.turn
			}
		}
	}
	return c.turns.take()
}

// Read implements [mcp.Connection].
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.ended:
		return nil, io.EOF
	}
}

// Write implements [mcp.Connection].
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	res, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.writeRequest(m.(*jsonrpc.Request))
	}
	n, _ := res.ID.Raw().(int64)
	p, silent := c.answering(n)
	// The request stays pending until its answer is written, since the session
	// may end as soon as nothing is.
	defer c.finish(n)
	if silent {
		return nil
	}
	if res.Error != nil {
		return c.out.errorReply(p.id, wireError(res.Error))
	}
	result := res.Result
	if p.method == methodListen {
		result = c.restoreSubscription(result)
	}
	return c.out.result(p.id, result)
}

// answering finds the request that is to be answered, and whether it is to be
// answered in silence. Its id is free from here on: the client may use it again
// as soon as it has read the answer.
func (c *conn) answering(n int64) (p *pending, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p = c.pending[n]
	if p == nil || p.silent {
		return p, true
	}
	delete(c.byID, p.key)
	return p, false
}

// finish forgets a request.
func (c *conn) finish(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pending[n]; p != nil && p.turn != nil {
		p.turn.leave()
	}
	delete(c.pending, n)
	c.endIfIdle()
}

// wireError makes sure that an error has a code: the SDK sends 0 for errors
// that are not its own.
func wireError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return &jsonrpc.Error{Code: e.Code, Message: err.Error(), Data: e.Data}
}

// writeRequest writes a notification, or a request of ours to the client.
func (c *conn) writeRequest(r *jsonrpc.Request) error {
	out := *r
	out.Params = c.restoreSubscription(r.Params)
	b, err := jsonrpc.EncodeMessage(&out)
	if err != nil {
		return err
	}
	return c.out.line(b)
}

// restoreSubscription puts the client's id of a listen request in the place of
// our number, if v is marked with one.
func (c *conn) restoreSubscription(v json.RawMessage) json.RawMessage {
	var marked struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(v, &marked) != nil {
		return v
	}
	n, err := strconv.ParseInt(string(marked.Meta[mcp.MetaKeySubscriptionID]), 10, 64)
	if err != nil {
		return v
	}
	c.mu.Lock()
	p := c.pending[n]
	c.mu.Unlock()
	if p == nil {
		return v
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(v, &whole) != nil {
		return v
	}
	marked.Meta[mcp.MetaKeySubscriptionID] = p.id
	meta, err := json.Marshal(marked.Meta)
	if err != nil {
		return v
	}
	whole["_meta"] = meta
	restored, err := json.Marshal(whole)
	if err != nil {
		return v
	}
	return restored
}

// end takes nothing more in and, as soon as what is under way is answered, ends
// the session: whoever pipes a few requests in and closes gets the answers.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	c.endIfIdle()
}

// endIfIdle is called with mu held. A listen is answered only when its session
// ends, so there is no waiting for it.
func (c *conn) endIfIdle() {
	if !c.ending || c.endedSet {
		return
	}
	for _, p := range c.pending {
		if p.method != methodListen {
			return
		}
	}
	c.endedSet = true
	close(c.ended)
}

// Close implements [mcp.Connection]; the SDK calls it when it is done or when
// a write failed.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	if !c.endedSet {
		c.endedSet = true
		close(c.ended)
	}
	return nil
}

// namesVersion reports whether a request says its protocol version itself, as
// all do from MCP 2026-07-28 on, and so needs no greeting.
func namesVersion(params json.RawMessage) bool {
	var p struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	return json.Unmarshal(params, &p) == nil && p.Meta.Version >= firstStatelessVersion
}
