package pairing

import "errors"

// Fault is why a token does not open anything. Its text is for whoever set the
// token, a sentence that says what to do; its reason is for programs.
type Fault struct{ reason, text string }

// The kinds of fault, to be asked for with errors.Is. The text of an error of
// one kind may say more than the one given here.
var (
	ErrMissing   = &Fault{"token_missing", "SIDEKICK_TOKEN is not set, so Sidekick does not know which agent this is: make a token with \"sidekick-mcp pair --name NAME\" or in the extension's settings (Connected agents, Add), and put it into the agent host's configuration."}
	ErrMalformed = &Fault{"token_malformed", "SIDEKICK_TOKEN does not hold a Sidekick token, which begins with \"skt_\": copy the token again, or make a new one with \"sidekick-mcp pair --name NAME\"."}
	ErrMistyped  = &Fault{"token_mistyped", "SIDEKICK_TOKEN holds a token with a typing error in it (its checksum does not match): copy the token again instead of typing it, or make a new one with \"sidekick-mcp pair --name NAME\"."}
	ErrUnknown   = &Fault{"token_unknown", "SIDEKICK_TOKEN holds a token that this computer does not know; it may have been made on another one, or for another SIDEKICK_HOME: make a new one with \"sidekick-mcp pair --name NAME\"."}
	ErrRevoked   = &Fault{"token_revoked", "SIDEKICK_TOKEN holds a token that was revoked: if this agent is to use the browser again, make a new one with \"sidekick-mcp pair --name NAME\"."}
	// ErrKeyring says that the system's keyring, where SIDEKICK_TOKEN says
	// that the token is, does not give it away.
	ErrKeyring = &Fault{"keyring_unavailable", "SIDEKICK_TOKEN names a token in the system's keyring, and the keyring does not answer: unlock it, or make a token outside of it with \"sidekick-mcp pair --name NAME\"."}
)

// Error returns the sentence.
func (f *Fault) Error() string { return f.text }

// Reason returns the kind of fault as a word: token_missing, token_malformed,
// token_mistyped, token_unknown, token_revoked or keyring_unavailable.
func (f *Fault) Reason() string { return f.reason }

// Is reports whether target is a fault of the same kind.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.reason == f.reason
}

// because makes a fault of the same kind with a text that fits better.
func (f *Fault) because(text string) *Fault { return &Fault{f.reason, text} }

// Reason returns the kind of fault that err is about (see [Fault.Reason]), or
// "" when err is something else.
func Reason(err error) string {
	var f *Fault
	if errors.As(err, &f) {
		return f.reason
	}
	return ""
}
