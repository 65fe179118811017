package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What can be wrong with a token. An error of Options.Authenticate says it with
// its method Reason; the client is told it as the error's data.
const (
	ReasonMissing   = "token_missing"
	ReasonMalformed = "token_malformed" // not of a token's form
	ReasonMistyped  = "token_mistyped"  // of its form, but the checksum is wrong
	ReasonUnknown   = "token_unknown"
	ReasonRevoked   = "token_revoked"
	ReasonKeyring   = "keyring_unavailable" // the token is in the system's keyring, which does not answer
)

// The JSON-RPC error codes of the reasons. They lie outside the range that
// JSON-RPC and MCP reserve.
const (
	CodeTokenMissing   = -31101
	CodeTokenMalformed = -31102
	CodeTokenMistyped  = -31103
	CodeTokenUnknown   = -31104
	CodeTokenRevoked   = -31105
	CodeKeyring        = -31106
)

var faultCodes = map[string]int64{
	ReasonMissing:   CodeTokenMissing,
	ReasonMalformed: CodeTokenMalformed,
	ReasonMistyped:  CodeTokenMistyped,
	ReasonUnknown:   CodeTokenUnknown,
	ReasonRevoked:   CodeTokenRevoked,
	ReasonKeyring:   CodeKeyring,
}

// greeting is for a person who started the program by hand.
const greeting = `Sidekick lets AI agents use your own Chrome, each in a tab group of its own.

This program is started by an agent's host (Claude Code, Cursor, VS Code, FrogBot, …),
which needs a token in SIDEKICK_TOKEN. There is none here. To begin:

  sidekick-mcp pair --name NAME            make a token, and see what to give the host
  sidekick-mcp pair --name NAME --managed  the same, with a browser profile of Sidekick's own
  sidekick-mcp help                        all commands

Or in Chrome: Sidekick's settings, Connected agents, Add.
`

// fault is what keeps a session from beginning.
type fault struct {
	reason   string // empty: not the token's
	code     int64
	sentence string
}

func faultOf(err error) fault {
	f := fault{code: jsonrpc.CodeInternalError, sentence: oneLine(err.Error(), maxDid)}
	var reasoned interface{ Reason() string }
	if errors.As(err, &reasoned) {
		if code, ok := faultCodes[reasoned.Reason()]; ok {
			f.reason, f.code = reasoned.Reason(), code
		}
	}
	return f
}

func (f fault) rpc() *jsonrpc.Error {
	e := &jsonrpc.Error{Code: f.code, Message: f.sentence}
	if f.reason != "" {
		// No error: a map of strings always encodes.
		e.Data, _ = json.Marshal(map[string]string{"reason": f.reason})
	}
	return e
}

// refuse tells the user and the client why there will be no session, and
// returns the exit code. The client learns it as the answer to its first
// request, so that nobody has to wait for a time-out to find out.
func refuse(ctx context.Context, o *Options, err error) int {
	f := faultOf(err)
	if o.Terminal {
		if f.reason == ReasonMissing {
			fmt.Fprint(o.Stderr, greeting)
		} else {
			fmt.Fprintf(o.Stderr, "sidekick-mcp: %s\n", f.sentence)
		}
		return 1
	}
	fmt.Fprintf(o.Stderr, "sidekick-mcp: %s\n", f.sentence)
	out := &lineWriter{w: o.Stdout}
	in := readLines(o.Stdin, func(line []byte, err error) bool {
		var m *message
		if err == nil {
			m, err = parse(line)
		}
		if err != nil {
			return out.bad(err) == nil
		}
		if m.id == nil || m.method == "" {
			return true // a notification is not answered
		}
		_ = out.errorReply(m.id, f.rpc()) // if it cannot be written nobody reads it
		return false
	})
	defer in.stop()
	t := time.NewTimer(o.FaultWait)
	defer t.Stop()
	select {
	case <-in.done:
	case <-t.C:
	case <-ctx.Done():
	}
	return 1
}
