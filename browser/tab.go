package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// tab is what is known of one tab. Browser.mu guards it.
type tab struct {
	id      string
	session string        // what its commands and events name it by, once attached
	turn    chan struct{} // holds a token: whoever has it may act on the tab
	url     string
	title   string
	gone    bool

	attached  bool
	mainFrame cdp.FrameID
	children  map[string]*child // child sessions (frames in other processes)
	workers   map[string]bool   // child sessions of dedicated workers, while requests are recorded
	documents map[docKey]*document
	dialog    *Dialog
	dialogIn  string // the session that the dialog is to be handled in
	load      loadState
	downloads []*download
	reading   pastReading
	read      map[*document]*pastTree // what the last reading of the whole page read
	pieces    *pieces
	crashed   bool
	photos    *document // the last that pictures showed to be mostly photographs
	console   recorder[Message]
	requests  requestRecorder
	setOff    *setOff         // what the action under way set off
	told      map[string]bool // the sessions whose requests the browser tells of for that
	deaf      *time.Timer     // has it tell no more
	endless   map[string]bool // requests of the page that are not waited for
	silent    bool            // its page left the last question unanswered
	dragged   jsonv2.Value    // what the page began to drag, while drags are kept back
	status    int             // of the answer that the page came with, if it tells of an error
	failed    string          // the address that could not be loaded, where the browser shows an error page
	pdf       bool            // it shows a PDF, in the browser's viewer
	saves     []*save         // files that the page began to save by links
	chooser   *chooser        // the last file dialog that was kept back
}

// child is a session of a frame that runs in a process of its own.
type child struct {
	session string
	parent  string // the session that its frame's element is in
	frame   cdp.FrameID
	ready   bool
}

// loadState follows the main frame's navigation.
type loadState struct {
	seq       int  // counts navigations that began or were committed
	pending   bool // one has begun and is not committed yet
	loading   bool // one was committed and has not finished loading
	dom       bool // its document is parsed (DOMContentLoaded)
	committed int  // counts committed navigations
	begun     int  // counts navigations that are to bring another document
}

func newTab(id string) *tab {
	t := &tab{id: id, turn: make(chan struct{}, 1), children: map[string]*child{}, workers: map[string]bool{}, documents: map[docKey]*document{}}
	t.load.dom = true
	t.turn <- struct{}{}
	return t
}

// lock waits for the tab's turn.
func (t *tab) lock(ctx context.Context) error {
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *tab) unlock() { t.turn <- struct{}{} }

// attachWait is how long a page may take for its first answer. A dialog that
// opened while nobody was attached is not told of, and holds it up for good.
const attachWait = 10 * time.Second

// attach makes the tab ready for commands, if it is not yet:
// the session, Page events, and sessions for frames of other processes.
func (o *operation) attach(ctx context.Context) error {
	o.b.mu.Lock()
	attached, gone := o.t.attached, o.t.gone
	o.b.mu.Unlock()
	if gone {
		return o.b.tabGone(o.t.id)
	}
	if attached {
		return nil
	}
	var got struct {
		SessionID  string     `json:"sessionId"`
		TargetInfo targetInfo `json:"targetInfo"`
		RefBase    int        `json:"refBase"`
	}
	flatten := true
	err := send(ctx, o.c, "", target.AttachToTarget, target.AttachToTargetParams{TargetID: target.ID(o.t.id), Flatten: &flatten}).call.wait(ctx, &got)
	if err != nil {
		return err
	}
	s := got.SessionID
	d := got.TargetInfo.Dialog.dialog()
	o.b.mu.Lock()
	o.t.session = s
	o.b.session[s] = o.t
	o.t.dialog, o.t.dialogIn = d, s
	if d != nil && got.TargetInfo.Dialog.SessionID != "" {
		o.t.dialogIn = got.TargetInfo.Dialog.SessionID
	}
	o.b.mu.Unlock()
	if d != nil {
		// The page answers nothing until the dialog is handled; the next call
		// after that makes the tab ready.
		return nil
	}
	pageEnabled := send(ctx, o.c, s, page.Enable, page.EnableParams{})
	inspected := send(ctx, o.c, s, inspector.Enable, cdp.Empty{})
	auto := send(ctx, o.c, s, target.SetAutoAttach, autoAttachParams)
	// A tab that is not in front swallows input, or is slow to take it, unless
	// it is made to believe that it has the focus.
	focus := send(ctx, o.c, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	tree := send(ctx, o.c, s, page.GetFrameTree, cdp.Empty{})
	scripted(ctx, o.c, s) // behind what is waited for
	wctx, stop := context.WithTimeoutCause(ctx, attachWait, errTimedOut)
	defer stop()
	frames, err := tree.wait(wctx)
	if errors.Is(err, errTimedOut) {
		return fmt.Errorf(`The page in tab %s does not answer: a script of it runs without end, or a dialog waits that opened before you came and that only the user can answer. Close the tab with tabs and action "close", or use another.`, o.t.id)
	}
	if err != nil {
		return err
	}
	for _, c := range []*call{pageEnabled.call, inspected.call, auto.call, focus.call} {
		if err := c.wait(ctx, nil); err != nil {
			return err
		}
	}
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	o.t.mainFrame = frames.FrameTree.Frame.ID
	o.t.attached = true
	o.t.console.on, o.t.requests.on = false, false
	o.t.told = nil
	o.t.load.pending, o.t.load.loading = false, false
	return nil
}

var yes = true

// autoAttachParams asks for sessions of frames in other processes, and of
// nothing else. Nothing is paused for us: a page must not wait for an agent.
var autoAttachParams = target.SetAutoAttachParams{
	AutoAttach: true, Flatten: &yes,
	Filter: target.Filter{{Type: "iframe"}, {Exclude: true}},
}

// autoAttach is autoAttachParams, or what takes their place while requests are
// recorded.
func (o *operation) autoAttach() target.SetAutoAttachParams {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if o.t.requests.on {
		return withWorkers
	}
	return autoAttachParams
}

func (o *operation) dialog() *Dialog {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	return o.t.dialog
}

// tabEvent takes in an event of a tab's session or of a child of it. b.mu is
// held; what an event does not need to be decoded for is left raw.
func (b *Browser) tabEvent(t *tab, session, method string, params jsonv2.Value) {
	root := session == t.session
	b.recordEvent(t, session, method, params)
	b.noteRequest(t, method, params)
	switch cdproto.MethodType(method) {
	case cdproto.EventPageJavascriptDialogOpening:
		var e page.EventJavascriptDialogOpening
		if b.decode(method, params, &e) {
			t.dialog, t.dialogIn = &Dialog{Type: string(e.Type), Message: e.Message, Default: e.DefaultPrompt}, session
		}
	case cdproto.EventPageJavascriptDialogClosed:
		var e struct {
			Result bool `json:"result"`
		}
		if b.decode(method, params, &e) && !e.Result && t.dialog != nil && t.dialog.Type == "beforeunload" {
			t.load.pending = false // the page is not left
		}
		t.dialog = nil
	case cdproto.EventPageFrameNavigated:
		var e struct {
			Frame struct {
				ID       cdp.FrameID `json:"id"`
				ParentID string      `json:"parentId"`
				URL      string      `json:"url"`
				Fragment string      `json:"urlFragment"`
				// Unreachable is the address that an error page stands for.
				Unreachable string `json:"unreachableUrl"`
				Type        string `json:"mimeType"`
			} `json:"frame"`
			Type string `json:"type"`
		}
		if !b.decode(method, params, &e) {
			return
		}
		t.dropDocument(session, e.Frame.ID)
		if root && e.Frame.ParentID == "" {
			t.mainFrame = e.Frame.ID
			t.url = e.Frame.URL + e.Frame.Fragment
			if t.failed = e.Frame.Unreachable; t.failed != "" {
				t.url = t.failed
			}
			t.status, t.pdf = 0, e.Frame.Type == "application/pdf"
			t.crashed = false
			t.endless = nil
			if t.setOff != nil {
				t.setOff.left = true
			}
			whole := e.Type == "BackForwardCacheRestore"
			// (Of a PDF's viewer the browser never says that it is loaded.)
			t.load = loadState{seq: t.load.seq + 1, committed: t.load.committed + 1, begun: t.load.begun, loading: !whole && !t.pdf, dom: whole || t.pdf}
		}
	case cdproto.EventPageNavigatedWithinDocument:
		var e struct {
			FrameID cdp.FrameID `json:"frameId"`
			URL     string      `json:"url"`
		}
		if b.decode(method, params, &e) && root && e.FrameID == t.mainFrame {
			t.url = e.URL
			t.load.seq++
			t.load.pending = false
		}
	case cdproto.EventPageFrameStartedNavigating, cdproto.EventPageFrameRequestedNavigation:
		var e struct {
			FrameID        cdp.FrameID `json:"frameId"`
			NavigationType string      `json:"navigationType"`
			Disposition    string      `json:"disposition"`
		}
		if b.decode(method, params, &e) && root && e.FrameID == t.mainFrame &&
			e.NavigationType != "sameDocument" && e.NavigationType != "historySameDocument" &&
			(e.Disposition == "" || e.Disposition == "currentTab") {
			t.load.seq++
			t.load.begun++
			t.load.pending = true
		}
	case cdproto.EventPageDomContentEventFired:
		if root {
			t.load.dom = true
		}
	case cdproto.EventPageLoadEventFired:
		if root {
			t.load.dom, t.load.loading = true, false
		}
	case cdproto.EventPageFrameStoppedLoading:
		var e page.EventFrameStoppedLoading
		if b.decode(method, params, &e) && root && e.FrameID == t.mainFrame {
			t.load.pending, t.load.loading = false, false
		}
	case cdproto.EventTargetAttachedToTarget:
		var e target.EventAttachedToTarget
		if b.decode(method, params, &e) && e.TargetInfo != nil && e.TargetInfo.Type == "iframe" {
			s := string(e.SessionID)
			t.children[s] = &child{session: s, parent: session, frame: cdp.FrameID(e.TargetInfo.TargetID)}
			b.session[s] = t
			b.frameAttached(t, s)
		} else if e.TargetInfo != nil && e.TargetInfo.Type == "worker" {
			t.workers[string(e.SessionID)] = true
			b.session[string(e.SessionID)] = t
			b.workerAttached(t, string(e.SessionID))
		}
	case cdproto.EventTargetDetachedFromTarget:
		var e target.EventDetachedFromTarget
		if b.decode(method, params, &e) {
			delete(t.children, string(e.SessionID))
			delete(t.workers, string(e.SessionID))
			delete(b.session, string(e.SessionID))
			t.dropSession(string(e.SessionID))
			if b.conn != nil {
				b.conn.endSession(string(e.SessionID))
			}
		}
	case "Page.downloadWillBegin", "Page.downloadProgress": // old, and the only ones a tab's session has
		b.noteDownload(t, method, params)
	case cdproto.EventPageFileChooserOpened:
		var e page.EventFileChooserOpened
		if b.decode(method, params, &e) {
			t.chooser = &chooser{session, e.FrameID, e.BackendNodeID}
		}
	case cdproto.EventInputDragIntercepted:
		var e struct {
			Data jsonv2.Value `json:"data"`
		}
		if b.decode(method, params, &e) {
			t.dragged = e.Data
		}
	case cdproto.EventInspectorTargetCrashed:
		t.crashed = true
	}
}

func (b *Browser) decode(method string, params jsonv2.Value, v any) bool {
	if err := jsonv2.Unmarshal(params, v, jsonOptions); err != nil {
		b.log.Warn("an event could not be decoded", "method", method, "error", err)
		return false
	}
	return true
}
