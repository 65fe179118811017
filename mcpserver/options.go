package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/cache"
)

// Identity is who a token belongs to: a pairing.
type Identity struct {
	ID   string // of the pairing
	Name string // as the user gave it, "FrogBot"
}

// Limits are what the user does not let a pairing's agents do.
type Limits struct {
	NoEvaluate bool // run scripts of their own in pages
}

// Options is what [Run] needs. Stdin, Stdout, Stderr, Authenticate and Connect
// are required.
type Options struct {
	Stdin  io.Reader
	Stdout io.Writer // MCP messages and nothing else
	Stderr io.Writer

	// Token is the value of SIDEKICK_TOKEN.
	Token string
	// Terminal says that a person is at Stdin, who needs to be told what this
	// program is when there is no token.
	Terminal bool
	// Version is this program's.
	Version string

	// Authenticate tells whose token it is. It is called once, before anything
	// is answered, so it must be quick. An error of it that has the method
	// Reason() string says what is wrong with the token (see [Reason]); its
	// text is the sentence for the user.
	Authenticate func(ctx context.Context, token string) (Identity, error)
	// Connect gives the browser of an agent; clientName is what the MCP client
	// calls itself. It is not called before the first tool call, once for each
	// client name, and again after it failed. Its error's text is for the
	// model.
	Connect func(ctx context.Context, id Identity, clientName string) (browser.API, error)

	// Limits tells what the user does not let an identity's agents do now. It is
	// asked for each tool list, and for each call of a tool that can be switched
	// off, so it must be quick. Nil is no limits.
	Limits func(ctx context.Context, id Identity) (Limits, error)
	// LimitsChanged gets a value when they have changed; it may be nil.
	LimitsChanged <-chan struct{}

	// Cache answers the handshake and the tool list; nil is none.
	Cache *cache.Store
	// Log takes what is worth knowing when something went wrong; nil is none.
	Log *slog.Logger

	// Exit ends the process at once. It is called if a handler is still
	// running ExitAfter after stdin ended or ctx was cancelled; the default is
	// os.Exit. Tests put their own here.
	Exit func(code int)
	// ExitAfter bounds how long the end may take; 0 is 1.5 s.
	ExitAfter time.Duration
	// FaultWait is how long a process with a bad token waits for the request
	// that it answers with the fault; 0 is 30 s.
	FaultWait time.Duration
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Exit == nil {
		o.Exit = os.Exit
	}
	if o.ExitAfter <= 0 {
		o.ExitAfter = 1500 * time.Millisecond
	}
	if o.FaultWait <= 0 {
		o.FaultWait = 30 * time.Second
	}
}
