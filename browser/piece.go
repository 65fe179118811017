package browser

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// outlineText returns the outline from its beginning to the end of what the
// call asks for, at least: what is read a piece at a time is read only so far,
// and kept for the call that goes on.
func (o *operation) outlineText(ctx context.Context, offset, limit int) (string, error) {
	p := o.pieces()
	if p == nil || offset <= 0 {
		p = &pieces{}
		if o.ref != nil {
			p.doc, p.ref = o.ref.doc, o.ref.ref
		}
	}
	for (p.more > 0 || p.text.Len() == 0) && p.chars <= offset+limit {
		text, more, err := o.outline(ctx, p.more)
		if err != nil {
			return "", err
		}
		if p.text.Len() > 0 {
			text = "\n" + text
		}
		p.text.WriteString(text)
		p.chars += utf8.RuneCountInString(text)
		p.more = more
		if text == "" && more == 0 {
			break
		}
	}
	p.until = time.Now().Add(keepReading)
	o.b.mu.Lock()
	o.t.pieces = nil
	if p.more > 0 {
		o.t.pieces = p
	}
	o.b.mu.Unlock()
	return p.text.String(), nil
}

// pieces are what was read so far of an element of many parts.
type pieces struct {
	doc   *document
	ref   string
	text  strings.Builder
	chars int
	more  int // where the next piece begins
	until time.Time
}

// pieces returns what was read so far of the operation's element.
func (o *operation) pieces() *pieces {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	p := o.t.pieces
	if p == nil || o.ref == nil || p.ref != o.ref.ref || p.doc.gone || time.Now().After(p.until) {
		return nil
	}
	return p
}

// dropPieces forgets what was read of an element of many parts.
func (o *operation) dropPieces() {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	o.t.pieces = nil
}
