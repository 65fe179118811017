package browser

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/runtime"
)

// ReadPage returns the page as an outline or as text. Round trips of a page
// without frames: 1, and 2 for the first reading of a document; of a large one,
// which is read in part, one more.
func (b *Browser) ReadPage(ctx context.Context, a ReadArgs) (*Reading, error) {
	switch a.Mode {
	case "", ReadOutline, ReadText:
	default:
		return nil, fmt.Errorf("There is no mode %q; use outline or text.", a.Mode)
	}
	limit := a.MaxChars
	if limit <= 0 {
		limit = DefaultMaxChars
	}
	var out *Reading
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		if text, ok := o.earlier(a); ok {
			out = cut(text, a.Offset, limit)
			b.mu.Lock()
			out.Tab = b.tabOf(o.t)
			b.mu.Unlock()
			return nil
		}
		if !o.isSmall(o.known(o.mainKey())) {
			o.askFirst(ctx)
		}
		var text string
		var err error
		rerr := o.orDialog(ctx, func(ctx context.Context) error {
			if a.Mode == ReadText {
				o.dropPieces()
				text, err = o.readText(ctx)
			} else {
				text, err = o.outlineText(ctx, a.Offset, limit)
			}
			return err
		})
		if rerr != nil {
			return o.readingError(rerr)
		}
		out = cut(text, a.Offset, limit)
		out.Notes = o.notes()
		b.mu.Lock()
		out.Tab = b.tabOf(o.t)
		o.t.reading = pastReading{}
		if out.Open = o.t.pieces != nil; out.Open {
			b.mu.Unlock()
			return nil
		}
		if d := o.t.documents[docKey{o.t.session, o.t.mainFrame}]; out.NextOffset > 0 && d != nil {
			o.t.reading = pastReading{doc: d, mode: a.Mode, ref: a.Ref, text: text, until: time.Now().Add(keepReading)}
		}
		b.mu.Unlock()
		return nil
	})
	return out, err
}

// pastReading is a reading that was returned in part.
type pastReading struct {
	doc   *document
	mode  ReadMode
	ref   string
	text  string
	until time.Time
}

// keepReading is how long the rest of a reading is kept for its reader. A large
// page takes seconds to read, and its parts are to fit together.
const keepReading = time.Minute

// earlier returns the reading that the call goes on with, unless the page was
// left since, or it was long ago.
func (o *operation) earlier(a ReadArgs) (string, bool) {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	r := o.t.reading
	if a.Offset <= 0 || r.doc == nil || r.doc.gone || r.mode != a.Mode || r.ref != a.Ref || time.Now().After(r.until) {
		return "", false
	}
	return r.text, true
}

// cut takes the part of a text from offset on that has at most limit
// characters, and ends at a line's end where it does not reach the text's.
func cut(text string, offset, limit int) *Reading {
	r := &Reading{Offset: max(offset, 0), Total: utf8.RuneCountInString(text)}
	r.Offset = min(r.Offset, r.Total)
	rest := text
	for range r.Offset {
		_, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
	}
	if r.Total-r.Offset <= limit {
		r.Text = rest
		return r
	}
	end, lineEnd := 0, 0
	for range limit {
		c, n := utf8.DecodeRuneInString(rest[end:])
		end += n
		if c == '\n' {
			lineEnd = end
		}
	}
	if lineEnd > 0 {
		end = lineEnd
	}
	r.Text = rest[:end]
	r.NextOffset = r.Offset + utf8.RuneCountInString(r.Text)
	return r
}

// readText returns all frames as Markdown.
func (o *operation) readText(ctx context.Context) (string, error) {
	if o.ref != nil {
		r, err := o.askElement(ctx, "textOf")
		return tidyText(r.Text), err
	}
	docs, err := o.documents(ctx)
	if err != nil {
		return "", err
	}
	asked := make([]future[runtime.CallFunctionOnResult], len(docs))
	for i, d := range docs {
		asked[i] = o.startInDocument(ctx, d, "text")
	}
	main, err := o.ask(ctx, asked[0])
	if err != nil {
		return "", err
	}
	o.notePage(main.Page)
	texts := []string{tidyText(main.Text)}
	for _, f := range asked[1:] {
		var r reply
		if err := answer(ctx, f, &r); err == nil && strings.TrimSpace(r.Text) != "" {
			texts = append(texts, fmt.Sprintf("[frame %s]\n%s", r.Page.URL, tidyText(r.Text)))
		} else if context.Cause(ctx) != nil {
			return "", err
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// tidyText drops spaces at the ends of lines and runs of empty lines.
func tidyText(s string) string {
	var b strings.Builder
	empty := 1
	for line := range strings.Lines(strings.ToValidUTF8(s, "\ufffd")) {
		line = strings.TrimRight(line, " \t\r\n\u00a0")
		if line == "" {
			if empty++; empty > 1 {
				continue
			}
		} else {
			empty = 0
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
