package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// methodRun is the command that a transport of [sequencer] takes: the steps of
// a sequence, answered at once with all their answers.
const methodRun = "Sidekick.run"

// sequencer is a Transport whose other end runs sequences by itself. Between an
// agent and a page lie five processes, and a step that needs a value of an
// earlier answer (a click needs the point, the point needs the element) would
// cross them all again for it.
type sequencer interface{ RunsSequences() bool }

// sequence is commands of one session that go out together. They are begun in
// their order and without waiting for each other's answers, but for what a step
// itself asks to be waited for. A step that uses a value which is not there is
// not run, and those behind it are.
type sequence struct {
	c       *conn
	session string
	steps   []step
	call    *call // once it was sent to a sequencer
	answers []stepAnswer
	ended   string // why it ended before its time: "dialog", "detached", "cancel"
}

// step is one command of a sequence, as it goes over the wire.
type step struct {
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
	Uses   []use  `json:"uses,omitempty"`
	// Await has the step begun only when all before it were answered.
	Await bool `json:"await,omitempty"`
}

// use is a value of an earlier answer that a step needs.
type use struct {
	From int    `json:"from"`         // the step whose answer has it
	Path string `json:"path"`         // where it is there: "object.objectId"
	As   string `json:"as,omitempty"` // the parameter that it becomes; without it the value must only be there
}

// stepAnswer is what a step was answered with; both are nil for one that was
// begun and not answered.
type stepAnswer struct {
	Result jsonv2.Value   `json:"result,omitempty"`
	Error  *cdproto.Error `json:"error,omitempty"`
}

// Errors of single steps.
var (
	errNotRun      = errors.New("it was not run")
	errNotAnswered = errors.New("it was not answered")
)

func newSequence(c *conn, session string) *sequence { return &sequence{c: c, session: session} }

// slot is the place of a step in its sequence, with the type of its result.
type slot[R any] int

// add puts a command of cdproto behind the others.
func add[P, R any](s *sequence, cmd cdp.Command[P, R], params P, uses ...use) slot[R] {
	s.steps = append(s.steps, step{Method: cmd.Method, Params: params, Uses: uses})
	return slot[R](len(s.steps) - 1)
}

// sent reports whether any of it may have reached the browser.
func (s *sequence) sent() bool { return s.call == nil || s.call.id != 0 }

// use names a value of a step's answer.
func (i slot[R]) use(path, as string) use { return use{From: int(i), Path: path, As: as} }

// of returns the result of the step, or why there is none: errNotRun,
// errNotAnswered, or the browser's own error.
func (i slot[R]) of(s *sequence) (R, error) {
	var r R
	if int(i) >= len(s.answers) {
		return r, errNotAnswered
	}
	a := s.answers[i]
	switch {
	case a.Error != nil && a.Error.Code == codeNotRun:
		return r, errNotRun
	case a.Error != nil:
		return r, &ProtocolError{Method: s.steps[i].Method, Code: a.Error.Code, Message: a.Error.Message}
	case a.Result == nil:
		return r, errNotAnswered
	}
	if err := jsonv2.Unmarshal(a.Result, &r, jsonOptions); err != nil {
		return r, fmt.Errorf("decoding the answer to %s: %w", s.steps[i].Method, err)
	}
	return r, nil
}

// start sends the sequence, if the other end runs it.
func (s *sequence) start(ctx context.Context) {
	if t, ok := s.c.tr.(sequencer); ok && t.RunsSequences() {
		s.call = s.c.start(ctx, s.session, methodRun, map[string]any{"steps": s.steps})
	}
}

// wait waits for the answers; it starts the sequence if nobody has. It returns
// an error only where the whole was not answered: those of the steps are in
// their slots. The slots can be read also after an error.
func (s *sequence) wait(ctx context.Context) error {
	if s.call == nil {
		s.start(ctx)
	}
	if s.call == nil {
		return s.walk(ctx)
	}
	var r struct {
		Answers []stepAnswer `json:"answers"`
		Ended   string       `json:"ended"`
	}
	err := s.call.partly(ctx, &r)
	s.answers, s.ended = r.Answers, r.Ended
	return err
}

// walk runs the steps from here, for a browser that knows no sequences.
func (s *sequence) walk(ctx context.Context) error {
	notRun := &cdproto.Error{Code: codeNotRun, Message: "what it needs of an earlier step is not there"}
	s.answers = make([]stepAnswer, len(s.steps))
	for i := range s.answers {
		s.answers[i].Error = notRun
	}
	calls := make([]*call, len(s.steps))
	take := func(i int) error {
		if calls[i] == nil {
			return nil
		}
		err := calls[i].wait(ctx, nil)
		var p *ProtocolError
		switch {
		case errors.As(err, &p) && (p.Code == codeHopLost || p.Code == codeStopped || p.Code == codeNotAttached):
			return err // nothing that follows can be answered otherwise
		case errors.As(err, &p):
			s.answers[i].Error = &cdproto.Error{Code: p.Code, Message: p.Message}
		case err != nil:
			return err
		default:
			s.answers[i].Result = calls[i].result
		}
		calls[i] = nil
		return nil
	}
	for i, st := range s.steps {
		// All up to the last one that is needed: one of those before it may be
		// what says that nothing will be answered any more.
		needed := 0
		if st.Await {
			needed = i
		}
		for _, u := range st.Uses {
			needed = max(needed, u.From+1)
		}
		for k := range needed {
			if err := take(k); err != nil {
				return err
			}
		}
		params, ok := st.filled(s.answers)
		if !ok {
			continue
		}
		s.answers[i].Error = nil
		calls[i] = s.c.start(ctx, s.session, st.Method, params)
	}
	for i := range calls {
		if err := take(i); err != nil {
			return err
		}
	}
	return nil
}

// filled returns the step's parameters with the values that it uses, or false
// where one is not there.
func (st step) filled(answers []stepAnswer) (any, bool) {
	values := map[string]jsonv2.Value{}
	for _, u := range st.Uses {
		v := answers[u.From].Result
		for key := range strings.SplitSeq(u.Path, ".") {
			var object map[string]jsonv2.Value
			if jsonv2.Unmarshal(v, &object, jsonOptions) != nil || object[key] == nil || string(object[key]) == "null" {
				return nil, false
			}
			v = object[key]
		}
		if u.As != "" {
			values[u.As] = v
		}
	}
	if len(values) == 0 {
		return st.Params, true
	}
	all := map[string]jsonv2.Value{}
	if st.Params != nil {
		if err := jsonv2.Unmarshal(encoded(st.Params), &all, jsonOptions); err != nil {
			return nil, false
		}
	}
	for k, v := range values {
		all[k] = v
	}
	return all, true
}

// elementRun is a sequence about an element, mostly the operation's, which is
// found first and let go last.
type elementRun struct {
	*sequence
	o     *operation
	doc   *document
	found slot[dom.ResolveNodeResult]
	freed bool // the step that lets it go was added
}

// onElement begins a sequence about the operation's element. It fails with
// [ErrStaleRef] when the element's document is known to be gone.
func (o *operation) onElement() (*elementRun, error) {
	el := o.ref
	o.b.mu.Lock()
	gone := el.doc.gone
	o.b.mu.Unlock()
	if gone {
		return nil, staleRef(el.ref, "its page was left or loaded anew")
	}
	return o.onNode(el.doc, el.node), nil
}

// onNode begins a sequence about any element of a document.
func (o *operation) onNode(d *document, node cdp.BackendNodeID) *elementRun {
	s := newSequence(o.c, d.session)
	found := add(s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: node, ExecutionContextID: d.context, ObjectGroup: objectGroup,
	})
	return &elementRun{sequence: s, o: o, doc: d, found: found}
}

// on calls a function of the page script on the element.
func (r *elementRun) on(fn string, args ...any) slot[runtime.CallFunctionOnResult] {
	return add(r.sequence, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function([t,...a]){const s=globalThis.sidekick;return s&&s.token===t?s." + fn + "(this,...a):{stale:true}}",
		Arguments:           arguments(r.doc, args),
		ReturnByValue:       &yes,
		AwaitPromise:        &yes,
		Silent:              &yes,
		UserGesture:         &yes,
	}, r.object())
}

// object is the element as the parameter of another command.
func (r *elementRun) object() use { return r.found.use("object.objectId", "objectId") }

// letGo adds the step that lets the element go: the last that names it.
func (r *elementRun) letGo() {
	if !r.freed {
		r.freed = true
		add(r.sequence, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
	}
}

// run sends the sequence and waits for it, as long as no dialog opens (then it
// returns errDialog). It fails with [ErrStaleRef] when the element is gone.
func (r *elementRun) run(ctx context.Context) error {
	r.letGo()
	if err := r.o.wait(ctx, r.sequence); err != nil {
		return err
	}
	_, err := r.found.of(r.sequence)
	if protocolCode(err) == -32000 || contextGone(err) {
		return staleRef(r.o.ref.ref, "its element is no longer in the page")
	}
	return err
}

// wait waits for sequences that belong together, as long as no dialog opens
// (then it returns errDialog).
func (o *operation) wait(ctx context.Context, list ...*sequence) error {
	err := o.orDialog(ctx, func(ctx context.Context) error {
		for _, s := range list {
			if err := s.wait(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		switch s.ended {
		case "":
		case "detached":
			return &ProtocolError{Method: methodRun, Code: -32000, Message: "Inspected target navigated or closed"}
		default:
			// What there was came because a dialog opened; its event follows.
			if err := o.waitWhile(ctx, shortWait, func() bool { return true }); err != nil {
				return err
			}
			return errDialog
		}
	}
	return nil
}

// linkQuiet is for how long a link may have been quiet to be taken for alive: a
// caller that goes on at once need not ask, and in so short a time few hops die.
const linkQuiet = 5 * time.Millisecond

// sure makes sure that the link to the browser stands before something is done
// over it that must not be done twice. If a hop died between two calls, what is
// sent into it has an unknown outcome; this question has none.
func (o *operation) sure(ctx context.Context) error {
	if t, ok := o.c.tr.(sequencer); !ok || !t.RunsSequences() || o.c.quiet() < linkQuiet {
		return nil
	}
	return o.c.start(ctx, "", target.CommandGetTargets, nil).wait(ctx, nil)
}

// reply returns what a function of the page script answered with.
func (r *elementRun) reply(i slot[runtime.CallFunctionOnResult]) (reply, error) {
	return r.o.taken(i.of(r.sequence))
}

// askElement calls one function of the page script on the operation's element.
func (o *operation) askElement(ctx context.Context, fn string, args ...any) (reply, error) {
	r, err := o.onElement()
	if err != nil {
		return reply{}, err
	}
	f := r.on(fn, args...)
	if err := r.run(ctx); err != nil {
		return reply{}, err
	}
	return r.reply(f)
}
