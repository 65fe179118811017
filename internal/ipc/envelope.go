package ipc

import (
	"bytes"
	"encoding/json"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// Envelope reads what it can of a message's envelope from the beginning of its
// text: ID, Agent, SessionID and Method, as far as they come before the text
// breaks off or stops to be JSON. So the one request in a frame that cannot be
// taken can still be answered.
func Envelope(prefix []byte) wire.Message {
	var m wire.Message
	dec := json.NewDecoder(bytes.NewReader(prefix))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return m
	}
	for {
		t, err := dec.Token()
		if err != nil {
			return m
		}
		key, ok := t.(string)
		if !ok {
			return m
		}
		var into any
		switch key {
		case "id":
			into = &m.ID
		case "agent":
			into = &m.Agent
		case "sessionId":
			into = &m.SessionID
		case "method":
			into = &m.Method
		default:
			into = new(json.RawMessage)
		}
		if dec.Decode(into) != nil {
			return m
		}
	}
}
