package browser

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"unicode/utf8"

	"github.com/chromedp/cdproto/network"
)

// ExchangeArgs are the arguments of [Browser.Exchange].
type ExchangeArgs struct {
	Tab     string
	Request string // "n3", of [Browser.Network]
}

// Exchange is one request with what was sent and what came back. All of it is
// the page's word.
type Exchange struct {
	Tab     Tab
	Request Request
	Sent    *Body // nil for a request without one
	Got     *Body // nil while there is no answer, and for one without a body
	Notes   []string
}

// Body is what a request or its answer carried.
type Body struct {
	Type  string // its media type; may be empty
	Text  string // at most maxBody characters of it; empty for what is no text
	Total int    // characters of the whole
	Bytes int    // of one that is no text
}

// maxBody is how much of a body is returned, in characters.
const maxBody = 20_000

// Exchange returns the bodies of a request that [Browser.Network] told of. The
// browser keeps them for a while, until the page is left. Round trips: 1.
func (b *Browser) Exchange(ctx context.Context, a ExchangeArgs) (*Exchange, error) {
	var out *Exchange
	err := b.do(ctx, a.Tab, "", 0, func(ctx context.Context, o *operation) error {
		b.mu.Lock()
		r := o.t.requests.last(func(r *Request) bool { return r.ID == a.Request })
		if r == nil {
			b.mu.Unlock()
			return fmt.Errorf("There is no request %q among those recorded of tab %s. Call network without request to see them.", a.Request, o.t.id)
		}
		out = &Exchange{Tab: b.tabOf(o.t), Request: *r}
		there := b.session[r.session] == o.t
		b.mu.Unlock()
		if !there {
			out.Notes = append(out.Notes, "What it carried is not there any more: the frame or the worker that made it is gone.")
			return nil
		}
		return o.bodies(ctx, out)
	})
	return out, err
}

// bodies fills in what the browser still has.
func (o *operation) bodies(ctx context.Context, x *Exchange) error {
	r := x.Request
	note := func(format string, args ...any) { x.Notes = append(x.Notes, fmt.Sprintf(format, args...)) }
	var sent future[sentBody]
	var got future[gotBody]
	if r.sent && r.requestID != "" {
		sent = future[sentBody]{o.c.start(ctx, r.session, network.CommandGetRequestPostData, network.GetRequestPostDataParams{RequestID: r.requestID})}
	}
	switch {
	case r.Redirected:
		note("It was redirected: the next request has the body.")
	case r.Failed != "":
	case !r.Finished:
		note("Its answer is not there to its end yet. Call wait_for, then ask again.")
	default:
		got = future[gotBody]{o.c.start(ctx, r.session, network.CommandGetResponseBody, network.GetResponseBodyParams{RequestID: r.requestID})}
	}
	if sent.call != nil {
		s, err := sent.wait(ctx)
		if err == nil {
			x.Sent = s.body(s.PostData, r.sentType)
		} else if err = missing(err, "What it sent", note); err != nil {
			return err
		}
	}
	if got.call != nil {
		g, err := got.wait(ctx)
		if err == nil {
			x.Got = g.body(g.Body, r.MIMEType)
		} else if err = missing(err, "Its answer's body", note); err != nil {
			return err
		}
	}
	return nil
}

// missing notes why a body is not there; any other error it returns.
func missing(err error, what string, note func(string, ...any)) error {
	var p *ProtocolError
	switch {
	case !errors.As(err, &p):
		return err
	case p.Code == codeNotAllowed:
		note("%s is not shown: %s", what, p.Message)
	case p.Code == -32000:
		note("%s is not there: there was none, or the browser does not keep it any more, as after the page was left. Repeat the action and ask at once.", what)
	default:
		return err
	}
	return nil
}

// bodyShape is what both answers have. Whoever answers for the browser may leave
// out what is no text, and cut what is long: it says how much there was.
type bodyShape struct {
	Base64 bool `json:"base64Encoded"`
	Total  int  `json:"total"` // characters of the whole
	Bytes  int  `json:"bytes"` // of what was left out
}

type sentBody struct {
	bodyShape
	PostData string `json:"postData"`
}

type gotBody struct {
	bodyShape
	Body string `json:"body"`
}

func (s bodyShape) body(text, mediaType string) *Body {
	if t, _, err := mime.ParseMediaType(mediaType); err == nil {
		mediaType = t
	}
	b := &Body{Type: clip(mediaType, 100)}
	if s.Base64 {
		if b.Bytes = s.Bytes; b.Bytes == 0 {
			b.Bytes = len(text) / 4 * 3
			for i := len(text) - 1; i >= 0 && i >= len(text)-2 && text[i] == '='; i-- {
				b.Bytes--
			}
		}
		return b
	}
	b.Total = max(s.Total, utf8.RuneCountInString(text))
	n := 0
	for i := range text {
		if n == maxBody {
			text = text[:i]
			break
		}
		n++
	}
	b.Text = text
	return b
}
