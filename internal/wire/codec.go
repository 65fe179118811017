package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Decode makes a message of a frame's text. Params and Result are parts of b,
// not copies, and are not looked into: that they are JSON is checked by whoever
// reads them at last, and by the native host before Chrome sees them. (Most of a
// frame is a screenshot or a page's text, and a frame passes several hops: with
// encoding/json each of them would read and write it four times.)
func Decode(b []byte) (*Message, error) {
	m := new(Message)
	s := scanner{b: b}
	if !s.take('{') {
		return nil, errors.New("it is no JSON object")
	}
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return nil, s.wrong("a comma or the end of the object")
		}
		key, ok := s.str()
		if !ok || !s.take(':') {
			return nil, s.wrong("a key")
		}
		value, ok := s.value()
		if !ok {
			return nil, s.wrong("a value")
		}
		if err := m.set(string(key), value); err != nil {
			return nil, fmt.Errorf("its %s: %w", key, err)
		}
	}
	if s.space(); s.i != len(b) {
		return nil, s.wrong("the end")
	}
	return m, nil
}

// set sets the field with a key, which is quoted, to its text.
func (m *Message) set(key string, value []byte) error {
	switch key {
	case `"id"`:
		return json.Unmarshal(value, &m.ID)
	case `"agent"`:
		return json.Unmarshal(value, &m.Agent)
	case `"sessionId"`:
		return json.Unmarshal(value, &m.SessionID)
	case `"method"`:
		return json.Unmarshal(value, &m.Method)
	case `"params"`:
		m.Params = value
	case `"result"`:
		m.Result = value
	case `"error"`:
		return json.Unmarshal(value, &m.Error)
	case `"part"`:
		return json.Unmarshal(value, &m.Part)
	}
	return nil
}

// scanner finds the ends of JSON values without looking at what is in them.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) wrong(want string) error {
	return fmt.Errorf("at byte %d there should be %s", s.i, want)
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// take steps over c, with the space before it, if it comes next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// str steps over a string and returns it with its quotes.
func (s *scanner) str() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	begin := s.i - 1
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return nil, false
		}
		s.i += n + 1
		// It ends the string unless an odd number of backslashes is before
		// it. (The opening quote stops the count.)
		slashes := 0
		for s.b[s.i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return s.b[begin:s.i], true
		}
	}
}

// value steps over a value and returns its text.
func (s *scanner) value() ([]byte, bool) {
	s.space()
	begin := s.i
	for depth := 0; s.i < len(s.b); {
		switch c := s.b[s.i]; c {
		case '"':
			if _, ok := s.str(); !ok {
				return nil, false
			}
		case '{', '[':
			s.i++
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return nil, false
			}
			s.i++
			depth--
		case ' ', '\t', '\n', '\r', ',', ':':
			if depth == 0 {
				return nil, false
			}
			s.i++
			continue
		default:
			s.word()
		}
		if depth == 0 {
			return s.b[begin:s.i], true
		}
	}
	return nil, false
}

// word steps over a number or a name.
func (s *scanner) word() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r', ',', ':', '{', '}', '[', ']', '"':
			return
		}
		s.i++
	}
}

// Append appends the message's JSON text to b. Params and Result go in as they
// are: as far as they are JSON, so is the whole.
func (m *Message) Append(b []byte) []byte {
	sep := byte('{')
	key := func(name string) {
		b = append(b, sep, '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		sep = ','
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			b = append(b, quote(value)...)
		}
	}
	if m.ID != 0 {
		key("id")
		b = strconv.AppendInt(b, m.ID, 10)
	}
	text("agent", m.Agent)
	text("sessionId", m.SessionID)
	text("method", m.Method)
	if len(m.Params) > 0 {
		key("params")
		b = append(b, m.Params...)
	}
	if len(m.Result) > 0 {
		key("result")
		b = append(b, m.Result...)
	}
	if m.Error != nil {
		key("error")
		b = append(b, quote(m.Error)...)
	}
	if m.Part != nil {
		key("part")
		b = append(b, quote(m.Part)...)
	}
	if sep == '{' {
		b = append(b, '{')
	}
	return append(b, '}')
}

// quote encodes what always encodes: strings and our own structs of such.
func quote(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Write writes the message as one frame with a single Write. It returns a
// [*TooLargeError], with nothing written, for a frame over limit.
func (m *Message) Write(w io.Writer, limit int64) error {
	b := make([]byte, 4, 4+200+len(m.Params)+len(m.Result))
	b = m.Append(b)
	size := int64(len(b) - 4)
	if size > limit {
		return &TooLargeError{Size: size, Limit: limit, Prefix: b[4 : 4+min(size, prefixBytes)]}
	}
	binary.NativeEndian.PutUint32(b, uint32(size))
	_, err := w.Write(b)
	return err
}
