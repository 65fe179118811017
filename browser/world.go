package browser

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

//go:embed inject/*.js
var injected embed.FS

// pageScript is the engine's part that lives in pages: page.js, and what builds
// on it.
var pageScript = sync.OnceValue(func() string {
	return scripts("page.js", "place.js", "asks.js", "clicks.js", "prepare.js", "scroll.js",
		"fields.js", "picture.js", "changes.js", "drawn.js", "marks.js", "plan.js", "find.js", "text.js",
		"form.js", "upload.js", "pointer.js", "rich.js", "select.js", "choose.js", "wait.js", "quiet.js")
})

// scripts joins scripts of the folder inject.
func scripts(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		s, err := injected.ReadFile("inject/" + n)
		if err != nil {
			panic(err) // it is compiled in
		}
		b.WriteString(terse(string(s)))
		b.WriteString(";\n")
	}
	return b.String()
}

// terse drops what a script has for its readers: whole lines of comments, and
// indentation. It goes through five processes into each new document, which
// takes longer than its compilation; a quarter of it is that. (No script of the
// folder has a text of more than one line.)
func terse(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") ||
			strings.HasPrefix(line, "/*") && (!strings.Contains(line, "*/") || strings.HasSuffix(line, "*/")) {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// worldName is the isolated world that pageScript lives in: one for each script,
// so that a tab which another version of this program had finds its own.
var worldName = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(pageScript()))
	return fmt.Sprintf("sidekick %x", sum[:4])
})

// scripted has the browser itself run the page script in each new document of a
// session, and in those that are there (CDP
// Page.addScriptToEvaluateOnNewDocument). To send it into each of them, 80 kB
// through five processes, is most of what the first look at a page costs. Where
// it is not there after all, whoever finds that out sends it.
func scripted(ctx context.Context, c *conn, session string) {
	c.tell(ctx, session, page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: pageScript(), WorldName: worldName(), RunImmediately: &yes,
	})
}

// objectGroup holds the remote objects of one call; they are released after it.
const objectGroup = "sidekick"

// docKey names the place of a document: a frame, in the session it answers in.
type docKey struct {
	session string
	frame   cdp.FrameID
}

// document is one document, with the isolated world that the engine has in it.
// CDP's numbers do not tell documents apart for ever: execution contexts and
// backend nodes are counted anew in each renderer process. The token does: it
// is written into the world and asked for with every call.
type document struct {
	docKey
	context runtime.ExecutionContextID
	token   string
	// Browser.mu guards the fields below.
	gone   bool
	whole  bool              // the last reading left nothing of it out
	size   int               // how many elements it had as its world was made or taken up
	parent *document         // that has the frame which this one is in; nil of a page's own
	owner  cdp.BackendNodeID // the frame's element there
}

// dropDocument notes that a frame has another document now. Browser.mu is held.
func (t *tab) dropDocument(session string, frame cdp.FrameID) {
	k := docKey{session, frame}
	if d := t.documents[k]; d != nil {
		d.gone = true
		delete(t.documents, k)
	}
}

// dropSession notes that a session is over, with its documents. Browser.mu is
// held.
func (t *tab) dropSession(session string) {
	for k, d := range t.documents {
		if k.session == session {
			d.gone = true
			delete(t.documents, k)
		}
	}
}

// mainKey names the tab's main document.
func (o *operation) mainKey() docKey {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return docKey{o.t.session, o.t.mainFrame}
}

func (o *operation) known(k docKey) *document {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return o.t.documents[k]
}

// pageInfo is what the page script says of a document.
type pageInfo struct {
	URL   string  `json:"url"`
	Title string  `json:"title"`
	Ready string  `json:"ready"`
	Scale float64 `json:"scale"` // device pixels of a CSS pixel
	Size  int     `json:"size"`  // how many elements it had as its world was made; else 0
	// Touched says whether the document changed since the action began; nil
	// where nobody looked.
	Touched *bool  `json:"touched"`
	Invalid string `json:"invalid"` // the field that a form was held back for, and why
	Asks    bool   `json:"asks"`    // for a file, since it was asked the last time
	Saves   []save `json:"saves"`   // files that it began to save just now
	Status  int    `json:"status"`  // of the answer that the document came with, if it tells of an error
}

// worlds makes sure that the engine has its world in the documents at the
// places keys, in one round trip. The result has nil for a document that went
// away meanwhile.
func (o *operation) worlds(ctx context.Context, keys ...docKey) ([]*document, error) {
	docs := make([]*document, len(keys))
	made := make([]*worldRun, len(keys))
	for i, k := range keys {
		if docs[i] = o.known(k); docs[i] == nil {
			made[i] = newWorld(o.c, k, !o.isScripted(k.session))
			made[i].start(ctx)
		}
	}
	for i, m := range made {
		if m == nil {
			continue
		}
		d, err := m.document(ctx, o)
		if errors.Is(err, errNoScript) {
			m = newWorld(o.c, keys[i], true)
			d, err = m.document(ctx, o)
		}
		if err != nil {
			return nil, err
		}
		if d == nil {
			continue
		}
		docs[i] = o.noteDocument(d)
		if m.key == o.mainKey() {
			o.fresh = m.page
		}
	}
	return docs, nil
}

// isScripted reports whether the browser was told to run the page script in a
// session's documents; see [scripted].
func (o *operation) isScripted(session string) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return session == o.t.session
}

// noteDocument takes in a document whose world was made, and returns the one
// that it is.
func (o *operation) noteDocument(d *document) *document {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if old := o.t.documents[d.docKey]; old != nil && old.token == d.token {
		return old
	}
	o.t.documents[d.docKey] = d
	return d
}

// worldRun is a sequence that makes a world.
type worldRun struct {
	*sequence
	key   docKey
	whole bool // it brings the page script
	world slot[page.CreateIsolatedWorldResult]
	init  slot[runtime.EvaluateResult]
	token slot[runtime.EvaluateResult]
	page  *pageInfo // what the document is, once its world is made
}

// newWorld is a sequence that makes a world, or finds the one that is there, not
// yet sent. It brings the page script only where that is wanted; the script is
// the same text each time, so that the browser need not compile it for every
// page, and what differs comes after it.
func newWorld(c *conn, k docKey, whole bool) *worldRun {
	s := newSequence(c, k.session)
	m := &worldRun{sequence: s, key: k, whole: whole}
	m.world = add(s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: k.frame, WorldName: worldName()})
	in := m.world.use("executionContextId", "contextId")
	if whole {
		m.init = add(s, runtime.Evaluate, runtime.EvaluateParams{Expression: pageScript(), ReturnByValue: &yes}, in)
	}
	m.token = add(s, runtime.Evaluate, runtime.EvaluateParams{
		Expression:    fmt.Sprintf("globalThis.sidekick?(sidekick.token||=%q,{token:sidekick.token,page:{...sidekick.page(),size:document.getElementsByTagName('*').length}}):{}", rand.Text()),
		ReturnByValue: &yes,
	}, in)
	return m
}

// errNoScript says that a world has no page script, and that it was not brought.
var errNoScript = errors.New("the page script is not there")

// document waits for the world; nil where its frame is gone. It fails with
// errNoScript where the script was neither there nor brought.
func (m *worldRun) document(ctx context.Context, o *operation) (*document, error) {
	if err := o.wait(ctx, m.sequence); err != nil {
		return nil, err
	}
	w, err := m.world.of(m.sequence)
	if err != nil {
		if protocolCode(err) == -32000 || contextGone(err) {
			return nil, nil
		}
		return nil, err
	}
	d := &document{docKey: m.key, context: w.ExecutionContextID}
	var steps []slot[runtime.EvaluateResult]
	if m.whole {
		steps = append(steps, m.init)
	}
	for _, step := range append(steps, m.token) {
		r, err := step.of(m.sequence)
		if contextGone(err) {
			return nil, nil
		}
		if err == nil {
			err = exception(r.ExceptionDetails)
		}
		if err != nil {
			return nil, err
		}
		if step == m.token {
			// It may be older than this call: the link broke, not the page.
			var made struct {
				Token string   `json:"token"`
				Page  pageInfo `json:"page"`
			}
			if err := jsonv2.Unmarshal(r.Result.Value, &made, jsonOptions); err != nil {
				return nil, fmt.Errorf("preparing the page: %w", err)
			}
			if made.Token == "" {
				return nil, errNoScript
			}
			d.token, d.size, m.page = made.Token, made.Page.Size, &made.Page
		}
	}
	return d, nil
}

// mainWorld returns the tab's main document.
func (o *operation) mainWorld(ctx context.Context) (*document, error) {
	for range 5 {
		docs, err := o.worlds(ctx, o.mainKey())
		if err != nil {
			return nil, err
		}
		if docs[0] != nil {
			return docs[0], nil
		}
		// The document was replaced while we asked: wait until another one is
		// there, then ask that.
		seq := 0
		o.b.mu.Lock()
		seq = o.t.load.seq
		o.b.mu.Unlock()
		if err := o.waitWhile(ctx, shortWait, func() bool { return o.t.load.seq == seq && o.t.load.pending }); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("The page keeps being replaced. Call wait_for, then read_page.")
}

func exception(d *runtime.ExceptionDetails) error {
	if d == nil {
		return nil
	}
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text = d.Exception.Description
	}
	return fmt.Errorf("the page script failed: %s", text)
}

// startInDocument calls a function of the page script with arguments.
func (o *operation) startInDocument(ctx context.Context, d *document, fn string, args ...any) future[runtime.CallFunctionOnResult] {
	return send(ctx, o.c, d.session, runtime.CallFunctionOn, inDocument(d, fn, args))
}

func inDocument(d *document, fn string, args []any) runtime.CallFunctionOnParams {
	return runtime.CallFunctionOnParams{
		FunctionDeclaration: "function([t,...a]){const s=globalThis.sidekick;return s&&s.token===t?s." + fn + "(...a):{stale:true}}",
		ExecutionContextID:  d.context,
		Arguments:           arguments(d, args),
		ReturnByValue:       &yes,
		AwaitPromise:        &yes,
		Silent:              &yes,
	}
}

// arguments packs the document's token and the arguments into one list: as
// single arguments the empty ones ("", [], null) would be left out on the way.
func arguments(d *document, args []any) []*runtime.CallArgument {
	return []*runtime.CallArgument{{Value: encoded(append([]any{d.token}, args...))}}
}

// encoded returns the JSON of a value of our own, which always has one.
func encoded(v any) jsonv2.Value {
	b, err := jsonv2.Marshal(v, jsonOptions)
	if err != nil {
		return jsonv2.Value("null")
	}
	return b
}

// answer waits for what a function of the page script returns.
func answer(ctx context.Context, f future[runtime.CallFunctionOnResult], v any) error {
	r, err := f.wait(ctx)
	if err != nil {
		return err
	}
	return returned(r, v)
}

// returned decodes what a function of the page script returned.
func returned(r runtime.CallFunctionOnResult, v any) error {
	if err := exception(r.ExceptionDetails); err != nil {
		return err
	}
	if r.Result == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return jsonv2.Unmarshal(r.Result.Value, v, jsonOptions)
}
