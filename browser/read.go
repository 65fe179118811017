package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
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
		if !o.wasWhole(o.known(o.mainKey())) {
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

// frameTree is a frame with what was learnt of it for a reading.
type frameTree struct {
	docKey
	doc   *document
	in    string            // the session of the document that it lies in
	owner cdp.BackendNodeID // the iframe element there
	nodes []*accessibility.Node
	frameMarks
	heard  listeners // of the session, with its top document
	page   pageInfo
	partly bool // something of it was left out
	next   int  // where a reading in parts goes on; 0 at its end
}

// readFrames reads the accessibility trees of all frames of the tab, the main
// frame first, each with the world of its document. Of the operation's element
// it reads what is in that, from a place among its children.
func (o *operation) readFrames(ctx context.Context, from int) ([]*frameTree, error) {
	main := o.mainKey()
	run := o.startPlan(ctx, main, o.elementIn(main), from)
	list := send(ctx, o.c, main.session, page.GetFrameTree, cdp.Empty{})
	parts, there, err := run.take(ctx, o)
	if err != nil {
		return nil, err
	}
	if !there {
		if run.of != nil {
			return nil, staleRef(o.ref.ref, "its element is no longer in the page, or not visible")
		}
		return nil, errReplaced
	}
	frames := []*frameTree{run.frame}
	fl, err := list.wait(ctx)
	if err != nil {
		return nil, err
	}
	more := subframes(main.session, fl.FrameTree)
	for len(frames) < maxFrames {
		others, err := o.childFrames(ctx, slices.Concat(frames, more))
		if err != nil {
			return nil, err
		}
		if more = append(more, others...); len(more) == 0 {
			break
		}
		if err := o.readSubframes(ctx, more, from); err != nil {
			return nil, err
		}
		frames, more = append(frames, more...), nil
	}
	in := map[string]listeners{}
	for _, f := range frames {
		if f.heard != nil {
			in[f.session] = f.heard
		}
	}
	for _, f := range frames {
		f.listen(in[f.session])
	}
	if parts != nil {
		return frames, parts.take(ctx, o)
	}
	return frames, nil
}

// elementIn returns the operation's element if it is in that place's document.
func (o *operation) elementIn(k docKey) *element {
	if o.ref != nil && o.ref.doc.docKey == k && o.ref.doc == o.known(k) {
		return o.ref
	}
	return nil
}

// maxFrames bounds how many frames one reading goes into.
const maxFrames = 200

func subframes(session string, t *page.FrameTree) []*frameTree {
	var list []*frameTree
	for _, c := range t.ChildFrames {
		list = append(list, &frameTree{docKey: docKey{session, c.Frame.ID}})
		list = append(list, subframes(session, c)...)
	}
	return list
}

// childFrames returns the frames of other processes that were not read yet.
func (o *operation) childFrames(ctx context.Context, have []*frameTree) ([]*frameTree, error) {
	read := map[docKey]bool{}
	for _, f := range have {
		read[f.docKey] = true
	}
	o.b.mu.Lock()
	var list []*child
	for _, c := range o.t.children {
		if !read[docKey{c.session, c.frame}] {
			list = append(list, c)
		}
	}
	o.b.mu.Unlock()
	var trees []future[page.GetFrameTreeResult]
	for _, c := range list {
		if !c.ready {
			send(ctx, o.c, c.session, page.Enable, page.EnableParams{})
			send(ctx, o.c, c.session, target.SetAutoAttach, o.autoAttach())
		}
		trees = append(trees, send(ctx, o.c, c.session, page.GetFrameTree, cdp.Empty{}))
	}
	var more []*frameTree
	for i, c := range list {
		t, err := trees[i].wait(ctx)
		if err != nil {
			if context.Cause(ctx) != nil {
				return nil, err
			}
			continue // the frame went away
		}
		c.ready = true
		more = append(more, &frameTree{docKey: docKey{c.session, c.frame}})
		more = append(more, subframes(c.session, t.FrameTree)...)
	}
	return more, nil
}

// readSubframes fills in frames, all at once. One that went away stays empty.
func (o *operation) readSubframes(ctx context.Context, frames []*frameTree, from int) error {
	runs := make([]*planRun, len(frames))
	owners := make([]future[dom.GetFrameOwnerResult], len(frames))
	for i, f := range frames {
		of := o.elementIn(f.docKey)
		at := 0
		if of != nil {
			at = from
		}
		runs[i] = o.startPlan(ctx, f.docKey, of, at)
		f.in = o.parentSession(f)
		owners[i] = send(ctx, o.c, f.in, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.frame})
	}
	var parts []*partsRun
	for i, f := range frames {
		owner, oerr := owners[i].wait(ctx)
		p, there, err := runs[i].take(ctx, o)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if oerr != nil || err != nil || !there {
			continue
		}
		in := f.in
		*f = *runs[i].frame
		f.in = in
		f.owner = owner.BackendNodeID
		if p != nil {
			p.frame = f
			parts = append(parts, p)
		}
	}
	for _, p := range parts {
		if err := p.take(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// parentSession returns the session that knows the element a frame lies in:
// for the top frame of a child session that is another session.
func (o *operation) parentSession(f *frameTree) string {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if c := o.t.children[f.session]; c != nil && c.frame == f.frame {
		return c.parent
	}
	return f.session
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
