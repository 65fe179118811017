package browser

import "errors"

// rest notes the end of a call.
func (b *Browser) rest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	b.leave()
}

// leave ends a connection whose other end makes way for another (a new version
// of the helper), once no call is under way: the next call dials anew, and so
// no call is cut off. b.mu is held.
func (b *Browser) leave() {
	if b.leaving && b.busy == 0 && b.conn != nil {
		// At once, so that no call begins on it meanwhile.
		b.conn.fail(errors.New("the connection to the browser was renewed"))
	}
}
