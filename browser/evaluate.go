package browser

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// EvaluateArgs are the arguments of [Browser.Evaluate].
type EvaluateArgs struct {
	Tab      string
	Function string // of JavaScript; what is no function is taken as an expression
	Ref      string // its element is the function's argument
}

// Evaluation is what a function in a page returned. JSON is the page's word.
type Evaluation struct {
	Outcome
	JSON  string // at most maxResult characters of it
	Total int    // characters of the whole; 0 if nothing was returned
}

const (
	// evaluateWait is how long a function, and the promise that it returns,
	// may take.
	evaluateWait = 10 * time.Second
	// loopWait is when the browser ends a function that does not return: a
	// loop without an end would hold the page up for ever.
	loopWait = 9 * time.Second
	// maxResult is how much of a result is returned.
	maxResult = 20_000
	// maxFunction is how long a function may be.
	maxFunction = 200_000
)

//go:embed inject/evaluate.txt
var evaluateWrapper string

// Evaluate runs a function in the page's own world: it sees what the page's
// scripts see. Round trips: 1.
func (b *Browser) Evaluate(ctx context.Context, a EvaluateArgs) (*Evaluation, error) {
	switch {
	case strings.TrimSpace(a.Function) == "":
		return nil, errors.New("There is no function to run.")
	case len(a.Function) > maxFunction:
		return nil, fmt.Errorf("The function has %d bytes; it may have %d.", len(a.Function), maxFunction)
	}
	// What is around the function begins on its first line, so that errors
	// name its own lines.
	before, after, _ := strings.Cut(strings.TrimSpace(evaluateWrapper), "USER")
	source := before + strings.TrimRight(a.Function, "; \t\r\n") + after
	var ev *Evaluation
	err := b.do(ctx, a.Tab, a.Ref, evaluateWait+b.timeout, func(ctx context.Context, o *operation) error {
		m := o.mark()
		o.holds(ctx, true)
		s, run := o.evaluation(source)
		if o.ref != nil {
			if _, err := o.onElement(); err != nil { // its document is known to be gone
				return err
			}
		}
		o.acted = true
		start := time.Now()
		ectx, cancel := context.WithTimeoutCause(ctx, evaluateWait, errTimedOut)
		err := o.wait(ectx, s)
		cancel()
		if err == nil {
			var p *ProtocolError
			if _, rerr := run(); errors.As(rerr, &p) {
				switch {
				case strings.Contains(p.Message, "Promise was collected"): // V8 tells of one that nobody can settle any more
					return errors.New("The function returned a promise that never settles. Return what is there, and wait for the page with wait_for.")
				case p.Code == -32603 && time.Since(start) >= loopWait: // "Internal error" is all that it says of one that it ended
					err = errTimedOut
				}
			}
		}
		if errors.Is(err, errTimedOut) {
			return fmt.Errorf("The function did not end within %s; it was stopped. Return sooner, and wait for the page with wait_for.", evaluateWait)
		}
		ev = &Evaluation{}
		var out *Outcome
		if err == nil {
			var res runtime.CallFunctionOnResult
			if res, err = run(); err == nil {
				err = ev.take(res)
			}
			switch {
			case errors.Is(err, errNotRun):
				o.acted = false
				err = staleRef(o.ref.ref, "its element is no longer in the page")
			case contextGone(err):
				err = errors.New("The page was left before the function returned.")
			}
		}
		if err != nil {
			if err = o.missed(err, m, &out); err == nil {
				ev.Outcome = *out
				return nil
			}
			if out, _ = o.finish(ctx, m, ""); out != nil {
				ev.Outcome = *out
			}
			return err
		}
		o.refresh(ctx)
		out, err = o.finish(ctx, m, "Ran the function.")
		if out != nil {
			ev.Outcome = *out
		}
		return err
	})
	return ev, err
}

// evaluation is the sequence that runs a function, and what has its result.
func (o *operation) evaluation(source string) (*sequence, func() (runtime.CallFunctionOnResult, error)) {
	if o.ref == nil {
		s := newSequence(o.c, o.mainKey().session)
		o.listen(s)
		return s, o.evaluate(s, source, "globalThis")
	}
	d := o.ref.doc
	s := newSequence(o.c, d.session)
	o.listen(s)
	// The first steps say whether the element is still the one. Resolved with
	// no context it then comes as the page's own object.
	alive := add(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: o.ref.node, ExecutionContextID: d.context, ObjectGroup: objectGroup})
	token := add(s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(t){return globalThis.sidekick?.token===t&&this.isConnected||null}", ReturnByValue: &yes,
		Arguments: []*runtime.CallArgument{{Value: encoded(d.token)}},
	}, alive.use("object.objectId", "objectId"))
	mine := add(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: o.ref.node, ObjectGroup: objectGroup}, token.use("result.value", ""))
	this := mine.use("object.objectId", "objectId")
	o.b.mu.Lock()
	main := d.session == o.t.session && d.frame == o.t.mainFrame
	if c := o.t.children[d.session]; c != nil {
		main = c.frame == d.frame
	}
	o.b.mu.Unlock()
	if main {
		// Runtime.evaluate alone can be bounded, and takes no element: it is
		// left for it under a name that nobody knows.
		key := rand.Text()
		left := add(s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: "function(k){globalThis[k]=this;return true}", ReturnByValue: &yes,
			Arguments: []*runtime.CallArgument{{Value: encoded(key)}},
		}, this)
		return s, o.evaluate(s, source, fmt.Sprintf("((k)=>{const e=globalThis[k];delete globalThis[k];return e})(%q)", key), left.use("result.value", ""))
	}
	run := add(s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: source, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
		Arguments: []*runtime.CallArgument{{Value: encoded(true)}, {Value: encoded(maxResult)}},
	}, this)
	add(s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
	return s, func() (runtime.CallFunctionOnResult, error) { return run.of(s) }
}

// evaluate adds the call of a function on what an expression says, in the main
// frame of the sequence's session.
func (o *operation) evaluate(s *sequence, source, this string, uses ...use) func() (runtime.CallFunctionOnResult, error) {
	run := add(s, runtime.Evaluate, runtime.EvaluateParams{
		Expression:    fmt.Sprintf("(%s).call(%s,%t,%d)", source, this, o.ref != nil, maxResult),
		ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes, Timeout: runtime.TimeDelta(loopWait.Milliseconds()),
	}, uses...)
	add(s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
	return func() (runtime.CallFunctionOnResult, error) {
		r, err := run.of(s)
		return runtime.CallFunctionOnResult(r), err
	}
}

// take decodes what the wrapper returned.
func (e *Evaluation) take(res runtime.CallFunctionOnResult) error {
	if d := res.ExceptionDetails; d != nil {
		text := d.Text
		if d.Exception != nil && d.Exception.Description != "" {
			text, _, _ = strings.Cut(d.Exception.Description, "\n")
		}
		return fmt.Errorf("The function cannot be run: %s (line %d).", strings.TrimSuffix(text, "."), d.LineNumber+1)
	}
	var r struct {
		JSON  string `json:"json"`
		Total int    `json:"total"`
		Error string `json:"error"`
		Stack string `json:"stack"`
		Bad   string `json:"bad"`
	}
	if err := returned(res, &r); err != nil {
		return err
	}
	switch {
	case r.Bad != "":
		return fmt.Errorf("The function ran, but what it returned cannot be shown: %s. Return texts, numbers, lists or plain objects.", r.Bad)
	case r.Error != "" || r.Stack != "":
		text := strings.TrimSuffix(clip(r.Error, 1000), ".")
		if line := userLine(r.Stack); line > 0 {
			text += fmt.Sprintf(" (line %d of the function)", line)
		}
		return fmt.Errorf("The function threw: %s.", text)
	}
	e.JSON, e.Total = r.JSON, r.Total
	return nil
}

var anonymous = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<anonymous>:(\d+):\d+`) })

// userLine is the line of a stack's first frame that is not a script's of the
// page; 0 if there is none.
func userLine(stack string) int {
	if m := anonymous().FindStringSubmatch(stack); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}
