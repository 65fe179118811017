package browser

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that a caller may want to tell apart. Each has a sentence that says
// what to do, since a model reads it.
var (
	// ErrStaleRef is the kind of errors for refs whose element is gone.
	ErrStaleRef = errors.New("stale ref")
	// ErrOutcomeUnknown is the kind of errors for actions that were under way
	// when a hop broke: they may have happened, so they are not repeated.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrStopped is the kind of errors for calls that the user stopped.
	ErrStopped = errors.New("stopped")
)

// kindError is a sentence with one of the kinds above.
type kindError struct {
	kind error
	text string
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

func staleRef(ref, why string) error {
	return &kindError{ErrStaleRef, fmt.Sprintf("The ref %s is stale: %s. Call read_page again and use a ref from it.", ref, why)}
}

// Codes of errors that whoever answers for the browser adds to CDP's own. They
// are the engine's only knowledge of who that is; a plain browser never sends
// them.
const (
	codeStopped     = -31001
	codeNotAllowed  = -31004
	codeHopLost     = -31005
	codeNotAttached = -31011
	codeNotRun      = -31014
)

// protocolCode returns the code of the browser's error in err, or 0.
func protocolCode(err error) int64 {
	var p *ProtocolError
	if errors.As(err, &p) {
		return p.Code
	}
	return 0
}

// contextGone reports whether err says that the document a command was for has
// been replaced meanwhile.
func contextGone(err error) bool {
	var p *ProtocolError
	if !errors.As(err, &p) {
		return false
	}
	for _, s := range []string{
		"Cannot find context with specified id",
		"Execution context was destroyed",
		"Inspected target navigated or closed",
		"Cannot find execution context",
		"uniqueContextId not found",
		"Argument should belong to the same JavaScript world",
		"Could not find object with given id",
		"No frame for given id found", // with the code of bad parameters
	} {
		if strings.Contains(p.Message, s) {
			return true
		}
	}
	return false
}

// takenIn reports whether err says of an event of the pointer or a key that the
// page has had it all the same: it, or its process, left over it.
func takenIn(err error) bool {
	var p *ProtocolError
	return contextGone(err) || errors.As(err, &p) && strings.Contains(p.Message, "Detached while handling command")
}
