package browser

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
)

// Request is one that a page made.
type Request struct {
	ID           string // "n3": for [Browser.Exchange]; never given to another of the tab
	Method       string
	Type         string // document, script, fetch and so on
	URL          string
	Status       int    // 0 before there is an answer
	MIMEType     string // of the answer
	Redirected   bool   // the answer was to ask elsewhere
	Finished     bool   // the answer is there to its end
	Bytes        int    // that came over the network
	Milliseconds int
	Failed       string // why there is no answer

	session   string
	requestID network.RequestID
	at        float64 // when it was sent, on the browser's clock
	sent      bool    // it has a body
	sentType  string  // what that is
}

// Line tells the request on one line.
func (r Request) Line() string {
	line := fmt.Sprintf("%s %s %s %s", r.ID, r.Method, r.Type, r.URL)
	if r.Status != 0 {
		line += fmt.Sprintf(" → %d", r.Status)
	}
	switch {
	case r.Redirected:
		line += ", redirected"
	case r.MIMEType != "":
		line += " " + r.MIMEType
	}
	switch {
	case r.Finished:
		line += fmt.Sprintf(", %d bytes in %d ms", r.Bytes, r.Milliseconds)
	case r.Failed != "":
		line += " → failed: " + r.Failed
	}
	return line
}

// Bad says that the request failed.
func (r Request) Bad() bool { return r.Status >= 400 || r.Failed != "" }

// requestRecorder is the latest requests of a tab.
type requestRecorder struct {
	recorder[Request]
	count int // of all that there were, for their ids
}

// of returns the latest request that the browser calls id. The session may be
// another one for its answer: a frame that goes to another site changes its
// process on the way.
func (r *requestRecorder) of(id network.RequestID) *Request {
	return r.last(func(e *Request) bool { return e.requestID == id })
}

// Network returns the requests that the page and its frames made since the
// first call, which begins to record them: a page's requests cost nobody
// anything who does not ask. There are no headers in it.
func (b *Browser) Network(ctx context.Context, a RecordArgs) (*Records[Request], error) {
	return recorded(ctx, b, a, func(t *tab) *recorder[Request] { return &t.requests.recorder }, enableNetwork, nil,
		"Requests are recorded from now on. Repeat the action, or reload the page with navigate, and ask again.")
}

func enableNetwork(ctx context.Context, c *conn, session string) []*call {
	return []*call{
		send(ctx, c, session, network.Enable, network.EnableParams{}).call,
		send(ctx, c, session, target.SetAutoAttach, withWorkers).call,
	}
}

// withWorkers asks for sessions of dedicated workers too, whose requests nobody
// else tells of. (What they log, their page's session tells.)
var withWorkers = target.SetAutoAttachParams{
	AutoAttach: true, Flatten: &yes,
	Filter: target.Filter{{Type: "iframe"}, {Type: "worker"}, {Exclude: true}},
}

// workerAttached has a worker tell of its requests. It runs on the connection's
// reader. b.mu is held.
func (b *Browser) workerAttached(t *tab, session string) {
	if b.conn != nil && t.requests.on {
		b.conn.aside(func(ctx context.Context, c *conn) { enableNetwork(ctx, c, session) })
	}
}

type requestSent struct {
	RequestID network.RequestID `json:"requestId"`
	Type      string            `json:"type"`
	Timestamp float64           `json:"timestamp"`
	Request   struct {
		URL         string            `json:"url"`
		Method      string            `json:"method"`
		Headers     map[string]string `json:"headers"`
		HasPostData bool              `json:"hasPostData"`
	} `json:"request"`
	Redirect *struct {
		Status int `json:"status"`
	} `json:"redirectResponse"`
}

func takeSent(r *requestRecorder, session string, e *requestSent) {
	if old := r.of(e.RequestID); old != nil {
		if e.Redirect == nil {
			return // told by two sessions
		}
		old.Status, old.Redirected = e.Redirect.Status, true
		old.requestID = "" // the next one is called that now
	}
	r.count++
	n := &Request{
		ID: fmt.Sprintf("n%d", r.count), Method: e.Request.Method, Type: strings.ToLower(e.Type), URL: clip(e.Request.URL, 300),
		session: session, requestID: e.RequestID, at: e.Timestamp, sent: e.Request.HasPostData,
	}
	for name, v := range e.Request.Headers {
		if strings.EqualFold(name, "content-type") {
			n.sentType = v
		}
	}
	r.add(n)
}

type responseReceived struct {
	RequestID network.RequestID `json:"requestId"`
	Response  struct {
		Status   int    `json:"status"`
		MimeType string `json:"mimeType"`
	} `json:"response"`
}

func takeResponse(r *requestRecorder, session string, e *responseReceived) {
	if n := r.of(e.RequestID); n != nil {
		n.Status, n.MIMEType, n.session = e.Response.Status, oneLine(e.Response.MimeType), session
	}
}

type loadingFinished struct {
	RequestID network.RequestID `json:"requestId"`
	Timestamp float64           `json:"timestamp"`
	Length    float64           `json:"encodedDataLength"`
}

func takeFinished(r *requestRecorder, _ string, e *loadingFinished) {
	if n := r.of(e.RequestID); n != nil && !n.Finished && n.Failed == "" {
		n.Finished, n.Bytes, n.Milliseconds = true, max(0, int(e.Length)), int((e.Timestamp-n.at)*1000)
	}
}

type loadingFailed struct {
	RequestID network.RequestID `json:"requestId"`
	ErrorText string            `json:"errorText"`
	Blocked   string            `json:"blockedReason"`
}

func takeFailed(r *requestRecorder, _ string, e *loadingFailed) {
	if n := r.of(e.RequestID); n != nil && !n.Finished && n.Failed == "" {
		n.Failed = strings.TrimSpace(e.ErrorText + " " + e.Blocked)
	}
}
