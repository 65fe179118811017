package browser

import (
	"fmt"
	"testing"
)

// What Chrome says where a document, or the frame it was in, is gone; some of it
// with the code of an internal error, some with that of bad parameters.
func TestContextGone(t *testing.T) {
	for _, e := range []ProtocolError{
		{Code: -32000, Message: "Cannot find context with specified id"},
		{Code: -32000, Message: "Inspected target navigated or closed"},
		{Code: -32602, Message: "No frame for given id found"},
		{Code: -32602, Message: "uniqueContextId not found"},
	} {
		if !contextGone(fmt.Errorf("asking the page: %w", &e)) {
			t.Errorf("%d %s is taken for another error", e.Code, e.Message)
		}
	}
	if contextGone(&ProtocolError{Code: -32602, Message: "Invalid parameters"}) {
		t.Error("bad parameters are taken for a document that is gone")
	}
}
