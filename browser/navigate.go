package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// address completes what a person would type into the address bar. Only whole
// addresses and host names are taken: the engine does not search.
func address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", errors.New("Say which url to go to.")
	}
	if s == "about:blank" {
		return s, nil
	}
	u, err := url.Parse(s)
	// Whether addresses of other kinds may be opened is the browser's to say.
	if err == nil && (u.Host != "" && u.Scheme != "" || u.Scheme == "file" || u.Scheme == "data" || u.Scheme == "blob") {
		return s, nil
	}
	if !strings.Contains(s, "://") {
		host, _, _ := strings.Cut(s, "/")
		name, _, _ := strings.Cut(host, ":")
		local := name == "localhost" || strings.HasPrefix(name, "127.")
		if (local || strings.Contains(name, ".")) && !strings.ContainsAny(host, " @?#") {
			scheme := "https://"
			if local {
				scheme = "http://"
			}
			if u, err := url.Parse(scheme + s); err == nil && u.Host != "" {
				return scheme + s, nil
			}
		}
		if err == nil && u.Scheme != "" {
			return s, nil // another scheme: the browser says what it thinks of it
		}
	}
	return "", fmt.Errorf("%q is not an address; give a whole one, such as https://example.com/.", clip(s, 100))
}

// Navigate goes to an address or through the history, and waits until the
// document is there (CDP Page.navigate). With no tab open it opens one.
func (b *Browser) Navigate(ctx context.Context, a NavigateArgs) (*Outcome, error) {
	if a.Action == "" {
		to, err := address(a.URL)
		if err != nil {
			return nil, err
		}
		a.URL = to
	}
	var out *Outcome
	run := func(tab string) error {
		return b.do(alsoLeaving(ctx), tab, "", 0, func(ctx context.Context, o *operation) error {
			o.patient.Store(true) // it is the way out of a page that does not answer
			o.reloads = true
			m := o.mark()
			o.deafen()
			var did string
			err := o.unlessStuck(ctx, func(ctx context.Context) (err error) { did, err = o.leaveFor(ctx, a); return err })
			if errors.Is(err, errDialog) {
				out = o.outcome(m, beforeLeaving)
				return nil
			}
			if err != nil {
				o.stopLoading(ctx, err)
				if errors.Is(err, errNoAnswer) {
					err = fmt.Errorf("The site did not answer within %s; loading was stopped. Try again, or go elsewhere.", b.timeout)
				}
				return err
			}
			out, err = o.finish(ctx, m, did)
			if d := o.dialog(); err == nil && d != nil && d.Type == "beforeunload" {
				out.Did = beforeLeaving // the browser answers at once that it goes back or reloads
			}
			if errors.Is(err, errNoAnswer) && out.URLChanged {
				return nil // the page is there; that it is still loading is in its notes
			}
			if err != nil {
				o.stopLoading(ctx, err)
			}
			return err
		})
	}
	if a.Tab == "" && a.Action == "" {
		// As a call of its own: a link may end, or be renewed, under the question
		// which tabs there are.
		if err := b.global(ctx, func(context.Context, *conn) error { return nil }); err != nil {
			return nil, err
		}
		b.mu.Lock()
		none := b.current == "" || b.tabs[b.current] == nil
		b.mu.Unlock()
		if none {
			return b.openAt(ctx, a.URL)
		}
	}
	err := run(a.Tab)
	if stuck := (*stuckError)(nil); errors.As(err, &stuck) {
		return b.inNewTab(ctx, a, stuck)
	}
	return out, err
}

// leaveFor begins what navigate was asked for, and says what it is.
func (o *operation) leaveFor(ctx context.Context, a NavigateArgs) (did string, err error) {
	switch a.Action {
	case "":
		return o.goTo(ctx, a.URL)
	case "reload":
		o.acted = true
		return "Reloaded the page.", o.began(ctx, send(ctx, o.c, o.mainKey().session, page.Reload, page.ReloadParams{}).call)
	case "back", "forward":
		return o.history(ctx, a.Action)
	}
	return "", fmt.Errorf("There is no action %q; use back, forward or reload.", a.Action)
}

const beforeLeaving = "A dialog opened before the page was left."

// stopLoading ends a navigation that its caller gave up, or that does not come to
// its end (CDP Page.stopLoading); nobody waits for it.
func (o *operation) stopLoading(ctx context.Context, err error) {
	if context.Cause(ctx) != nil || isStuck(err) {
		o.c.tell(ctx, o.mainKey().session, page.CommandStopLoading, cdp.Empty{})
	}
}

// began waits for the answer to a command that begins a navigation, and until
// its first event has been seen.
func (o *operation) began(ctx context.Context, c *call) error {
	o.b.mu.Lock()
	seq := o.t.load.seq
	o.t.crashed = false // a navigation is what brings a crashed page back
	o.b.mu.Unlock()
	if err := o.orDialog(ctx, func(ctx context.Context) error { return c.wait(ctx, nil) }); err != nil {
		return err
	}
	return o.waitWhile(ctx, shortWait, func() bool { return o.t.load.seq == seq })
}

// goTo begins a navigation to an address.
func (o *operation) goTo(ctx context.Context, to string) (string, error) {
	o.acted = true
	main := o.mainKey()
	o.b.mu.Lock()
	o.t.crashed = false // a navigation is what brings a crashed page back
	seq, committed := o.t.load.seq, o.t.load.committed
	o.b.mu.Unlock()
	var r page.NavigateResult
	f := send(ctx, o.c, main.session, page.Navigate, page.NavigateParams{URL: to})
	err := o.orDialog(ctx, func(ctx context.Context) (err error) { r, err = f.wait(ctx); return err })
	if err != nil {
		return "", err
	}
	if r.ErrorText != "" {
		if r.IsDownload {
			return "The address is a download.", nil
		}
		return "", navigationError(to, r.ErrorText)
	}
	if r.LoaderID == "" { // only the fragment changed
		err = o.waitWhile(ctx, shortWait, func() bool { return o.t.load.seq == seq })
		return "Went to " + to + ".", err
	}
	// The commit's event and the answer may come in either order. The answer says
	// that the server has answered: only the process that the document comes into
	// can keep it waiting now.
	waits := func() bool { return o.t.load.committed == committed && o.t.load.pending }
	if err = o.waitWhile(ctx, pingWait, waits); err != nil {
		return "", err
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if waits() && o.t.dialog == nil && !o.t.gone && !o.t.crashed {
		return "", &stuckError{o.t.id, o.t.url}
	}
	return "Went to " + to + ".", nil
}

// navigationError says in words what Chrome's net error means for the caller.
func navigationError(to, text string) error {
	why := map[string]string{
		"net::ERR_NAME_NOT_RESOLVED":              "there is no host of that name",
		"net::ERR_CONNECTION_REFUSED":             "nothing answers there (connection refused)",
		"net::ERR_CONNECTION_TIMED_OUT":           "the server does not answer",
		"net::ERR_INTERNET_DISCONNECTED":          "the computer is offline",
		"net::ERR_BLOCKED_BY_CLIENT":              "the user blocked this site for agents, or another extension did. Do not try another way in; tell the user",
		"net::ERR_ABORTED":                        "the server answered that there is nothing to show, or something else took the navigation's place",
		"net::ERR_TOO_MANY_REDIRECTS":             "it redirects in a circle",
		"net::ERR_CERT_AUTHORITY_INVALID":         "its certificate is not trusted",
		"net::ERR_CERT_DATE_INVALID":              "its certificate has expired, or is not valid yet",
		"net::ERR_CERT_COMMON_NAME_INVALID":       "its certificate is another site's",
		"net::ERR_SSL_PROTOCOL_ERROR":             "it does not speak https; try http://",
		"net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH": "it speaks no https that the browser takes",
		"net::ERR_INVALID_AUTH_CREDENTIALS":       "it asks for a user name and a password, which only the user can give (401)",
		"net::ERR_UNSAFE_PORT":                    "the browser does not use that port",
		"net::ERR_HTTP_RESPONSE_CODE_FAILURE":     "the server answered with an error and no page",
		"net::ERR_INVALID_RESPONSE":               "the server answered with what the browser does not understand",
		"net::ERR_EMPTY_RESPONSE":                 "the server ended the connection without an answer",
		"net::ERR_CONNECTION_RESET":               "the server ended the connection",
		"net::ERR_CONNECTION_CLOSED":              "the server ended the connection",
		"net::ERR_ADDRESS_UNREACHABLE":            "the server cannot be reached from here",
		"net::ERR_NETWORK_CHANGED":                "the computer's network changed meanwhile; try again",
		"net::ERR_PROXY_CONNECTION_FAILED":        "the browser's proxy does not answer",
		"net::ERR_TIMED_OUT":                      "the server does not answer",
	}[text]
	if why == "" {
		why = "the browser says " + text
	} else {
		why += " (" + text + ")"
	}
	return fmt.Errorf("%s could not be opened: %s.", to, why)
}

// history goes one entry back or forward.
func (o *operation) history(ctx context.Context, action string) (string, error) {
	h, err := send(ctx, o.c, o.mainKey().session, page.GetNavigationHistory, cdp.Empty{}).wait(ctx)
	if err != nil {
		return "", err
	}
	i := h.CurrentIndex - 1
	if action == "forward" {
		i = h.CurrentIndex + 1
	}
	if i < 0 || i >= int64(len(h.Entries)) {
		return "", fmt.Errorf("There is no page to go %s to.", action)
	}
	o.acted = true
	err = o.began(ctx, send(ctx, o.c, o.mainKey().session, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: h.Entries[i].ID}).call)
	return fmt.Sprintf("Went %s.", action), err
}
