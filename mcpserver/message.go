package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message is one JSON-RPC message as it was read: a request (id and method), a
// notification (method) or a response (id and result or error).
type message struct {
	id            json.RawMessage // as written; nil if there is none
	method        string
	params        json.RawMessage
	result, error json.RawMessage
}

// badMessageError is a line that cannot be handled, and how it is answered.
type badMessageError struct {
	id   json.RawMessage // nil if it is not known
	code int64
	text string
}

func (e *badMessageError) Error() string { return e.text }

// parse reads a line. Its error is a *badMessageError. The result shares no
// memory with the line.
func parse(line []byte) (*message, error) {
	// A map, since a struct's fields would be matched whatever their case.
	var fields map[string]json.RawMessage
	err := json.Unmarshal(line, &fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, &badMessageError{code: jsonrpc.CodeParseError, text: "parse error: the line is not JSON; send one JSON-RPC message a line"}
	case err != nil && bytes.TrimSpace(line)[0] == '[':
		return nil, &badMessageError{code: jsonrpc.CodeInvalidRequest, text: "invalid request: batches are not supported; send one message a line"}
	case err != nil || fields == nil: // null
		return nil, &badMessageError{code: jsonrpc.CodeInvalidRequest, text: "invalid request: a message must be a JSON object"}
	}
	m := &message{params: fields["params"], result: fields["result"], error: fields["error"]}
	id, hasID := fields["id"]
	if hasID && !validID(id) {
		return nil, &badMessageError{code: jsonrpc.CodeInvalidRequest, text: `invalid request: "id" must be a string or an integer`}
	}
	m.id = id
	bad := func(text string) (*message, error) {
		return nil, &badMessageError{id: id, code: jsonrpc.CodeInvalidRequest, text: "invalid request: " + text}
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return bad(`"jsonrpc" must be "2.0"`)
	}
	method, hasMethod := fields["method"]
	if hasMethod {
		if json.Unmarshal(method, &m.method) != nil || m.method == "" {
			return bad(`"method" must be a non-empty string`)
		}
		return m, nil
	}
	if !hasID || (m.result == nil) == (m.error == nil) {
		return bad(`there is no "method", and it is no response either`)
	}
	return m, nil
}

// sdk makes the SDK's message of m, under another id if m is a request.
func (m *message) sdk(id int64) (jsonrpc.Message, error) {
	if m.method != "" {
		req := &jsonrpc.Request{Method: m.method, Params: m.params}
		if m.id != nil {
			req.ID = sdkID(id)
		}
		return req, nil
	}
	var raw any
	if err := json.Unmarshal(m.id, &raw); err != nil {
		return nil, err
	}
	rid, err := jsonrpc.MakeID(raw)
	if err != nil {
		return nil, err
	}
	res := &jsonrpc.Response{ID: rid, Result: m.result}
	if m.error != nil {
		var e jsonrpc.Error
		if err := json.Unmarshal(m.error, &e); err != nil {
			return nil, err
		}
		res.Error = &e
	}
	return res, nil
}

// sdkID makes an id for the SDK, which has no constructor for integers.
func sdkID(n int64) jsonrpc.ID {
	id, _ := jsonrpc.MakeID(float64(n)) // no error: a float64 is taken
	return id
}

// validID reports whether JSON text is what MCP allows as a request's id: a
// string or an integer.
func validID(id []byte) bool {
	if len(id) == 0 {
		return false
	}
	if id[0] == '"' {
		return json.Valid(id)
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && json.Valid(id)
}

// idKey makes two spellings of one id the same.
func idKey(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return `"` + s
	}
	return string(id)
}

// lineWriter writes messages, each with a single Write.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// result and errorReply write responses. The id goes out as it came in: the
// SDK keeps numbers as float64, which large ones do not survive.
func (w *lineWriter) result(id, result json.RawMessage) error {
	b := make([]byte, 0, len(id)+len(result)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":`...)
	b = append(b, result...)
	b = append(b, '}')
	return w.line(b)
}

func (w *lineWriter) errorReply(id json.RawMessage, e *jsonrpc.Error) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, e})
	if err != nil {
		return err
	}
	return w.line(b)
}

// bad answers a line that could not be handled.
func (w *lineWriter) bad(err error) error {
	var bad *badMessageError
	var long *longLineError
	switch {
	case errors.As(err, &bad):
		return w.errorReply(bad.id, &jsonrpc.Error{Code: bad.code, Message: bad.text})
	case errors.As(err, &long):
		return w.errorReply(long.id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + long.Error()})
	default:
		return err
	}
}

func (w *lineWriter) line(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(append(b, '\n'))
	return err
}
