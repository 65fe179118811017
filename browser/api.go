// Package browser is the page engine: it reads pages and acts on them over the
// Chrome DevTools Protocol. It drives any browser that answers on a
// [Transport]; an agent's tab group is one of them. It knows nothing of MCP and
// nothing of the extension.
package browser

import (
	"context"
	"io"
	"time"

	"github.com/chromedp/cdproto"
)

// Transport carries CDP messages to one browser. It is chromedp's interface of
// the same name, so whatever gives chromedp a browser gives the engine one.
// Read must return an error soon after Close.
type Transport interface {
	Read(context.Context, *cdproto.Message) error
	Write(context.Context, *cdproto.Message) error
	io.Closer
}

// Tab describes one tab of the browser.
type Tab struct {
	ID      string // "t1": short, never given to another tab
	URL     string
	Title   string  // the page's own; empty if it has none
	Current bool    // calls that name no tab go to this one
	Dialog  *Dialog // that is open in it, as far as is known
}

// Dialog is a JavaScript dialog that a page has open. Until it is handled the
// page answers nothing.
type Dialog struct {
	Type    string // alert, confirm, prompt, beforeunload (CDP Page.DialogType)
	Message string
	Default string // a prompt's default text
}

// Download is a file that a tab began to download.
type Download struct {
	Name     string
	URL      string
	State    string // inProgress, completed, canceled (CDP Page.downloadProgress)
	Received int64  // bytes
	Size     int64  // of the whole in bytes, 0 if the server did not say
	Path     string // where it lies once it is complete; empty if the browser does not say
	Error    string // why it was not completed, in the browser's word for it
	Held     string // why the browser asks the user whether to keep it, likewise
}

// Outcome is what an action changed, as far as it could be seen by the time it
// ended. Every action returns one, also together with an error where something
// happened before it failed.
type Outcome struct {
	Tab Tab    // after the action
	Did string // one line: what was done, with what was read back
	// What changed; zero values mean that it did not.
	URLChanged   bool
	TitleChanged bool
	Dialog       *Dialog
	Opened       []Tab
	Closed       []string
	Downloads    []Download
	// Changes are the lines of the outline that changed since it was last read,
	// after a sign: + new, - gone, ~ an element that is another way now.
	Changes string
	// Notes are further sentences the caller should know of, such as that the
	// page kept another value than the one asked for.
	Notes []string
}

// ReadMode says how ReadPage shows a page.
type ReadMode string

// The modes of ReadPage.
const (
	ReadOutline ReadMode = "outline" // roles, names and refs
	ReadText    ReadMode = "text"    // Markdown, without refs
)

// DefaultMaxChars is how much one reading returns if nothing else is asked.
const DefaultMaxChars = 20_000

// ReadArgs are the arguments of [Browser.ReadPage].
type ReadArgs struct {
	Tab      string
	Mode     ReadMode // empty is ReadOutline
	Ref      string   // only this element and what is in it
	Offset   int      // characters to pass over, from an earlier reading's NextOffset
	MaxChars int      // 0 is DefaultMaxChars
}

// Reading is a page as text.
type Reading struct {
	Tab        Tab
	Text       string
	Offset     int  // where Text begins
	Total      int  // characters of the whole
	Open       bool // the whole is longer: Total is what was read of it so far
	NextOffset int  // 0 when Text goes to the end
	Dialog     *Dialog
	Notes      []string // further sentences that the caller should know of
}

// NavigateArgs are the arguments of [Browser.Navigate]: a URL or an action.
type NavigateArgs struct {
	Tab    string
	URL    string
	Action string // back, forward, reload
}

// ClickArgs are the arguments of [Browser.Click].
type ClickArgs struct {
	Tab, Ref  string
	Button    string   // left (also empty), right, middle
	Count     int      // 0 is 1
	Modifiers []string // Alt, Control, Meta, Shift
	// At is a point from the element's top left; without a ref, of the visible
	// part of the page.
	At *Point
}

// FillArgs are the arguments of [Browser.Fill].
type FillArgs struct{ Tab, Ref, Value string }

// TypeArgs are the arguments of [Browser.TypeText].
type TypeArgs struct {
	Tab, Text string
	Ref       string // empty: whatever has the focus in the page
	Submit    bool   // press Enter after it
}

// PressArgs are the arguments of [Browser.PressKey].
type PressArgs struct {
	Tab string
	Key string // "Enter", "a", "Control+Shift+ArrowLeft"
	Ref string
}

// SelectArgs are the arguments of [Browser.SelectOption].
type SelectArgs struct {
	Tab, Ref string
	Values   []string // values or labels
}

// HoverArgs are the arguments of [Browser.Hover].
type HoverArgs struct {
	Tab, Ref string
	At       *Point // from the element's top left; nil: any point that hits it
}

// ScrollArgs are the arguments of [Browser.Scroll]. With a ref and no
// direction the element is scrolled into view.
type ScrollArgs struct {
	Tab, Ref  string
	Direction string  // up, down, left, right, top, bottom
	Pages     float64 // 0 is 1
}

// WaitArgs are the arguments of [Browser.WaitFor]; exactly one of Text,
// TextGone, Ref, Idle, URL and For is set.
type WaitArgs struct {
	Tab            string
	Text, TextGone string
	Ref            string        // until its element is visible and enabled
	Idle           bool          // until the page neither changes nor loads anything for half a second
	URL            string        // a substring of the address, or a pattern with *
	For            time.Duration // just wait
	Timeout        time.Duration // 0 is 10 s
}

// ScreenshotArgs are the arguments of [Browser.Screenshot].
type ScreenshotArgs struct {
	Tab, Ref string
	FullPage bool
	Format   string // png, jpeg, webp; empty: what suits the page
	Annotate bool   // draw a box with its ref around all that has one
	FullSize bool   // not scaled down to what models take without loss
}

// Image is a picture of a page.
type Image struct {
	Tab           Tab
	Data          []byte
	MIMEType      string
	Width, Height int     // of the picture, in pixels
	Scale         float64 // how many of them a CSS pixel has
	Notes         []string
}

// DialogArgs are the arguments of [Browser.HandleDialog].
type DialogArgs struct {
	Tab    string
	Accept bool
	Text   string // for a prompt
}

// API is what a server offers of the engine; [*Browser] has it. The optional
// Tab of every argument is a tab's id, empty for the current tab (a ref says
// its tab itself). Every method ends when its context does.
type API interface {
	Tabs(ctx context.Context) ([]Tab, error)
	OpenTab(ctx context.Context, url string) (*Outcome, error)
	SwitchTab(ctx context.Context, tab string) (*Outcome, error)
	CloseTab(ctx context.Context, tab string) (*Outcome, error)
	Navigate(ctx context.Context, a NavigateArgs) (*Outcome, error)
	ReadPage(ctx context.Context, a ReadArgs) (*Reading, error)
	Find(ctx context.Context, a FindArgs) (*Found, error)
	Click(ctx context.Context, a ClickArgs) (*Outcome, error)
	Fill(ctx context.Context, a FillArgs) (*Outcome, error)
	FillForm(ctx context.Context, a FormArgs) (*Outcome, error)
	UploadFile(ctx context.Context, a UploadArgs) (*Outcome, error)
	Drag(ctx context.Context, a DragArgs) (*Outcome, error)
	Evaluate(ctx context.Context, a EvaluateArgs) (*Evaluation, error)
	SavePDF(ctx context.Context, a PDFArgs) (*Outcome, error)
	Console(ctx context.Context, a RecordArgs) (*Records[Message], error)
	Network(ctx context.Context, a RecordArgs) (*Records[Request], error)
	Exchange(ctx context.Context, a ExchangeArgs) (*Exchange, error)
	TypeText(ctx context.Context, a TypeArgs) (*Outcome, error)
	PressKey(ctx context.Context, a PressArgs) (*Outcome, error)
	SelectOption(ctx context.Context, a SelectArgs) (*Outcome, error)
	Hover(ctx context.Context, a HoverArgs) (*Outcome, error)
	Scroll(ctx context.Context, a ScrollArgs) (*Outcome, error)
	WaitFor(ctx context.Context, a WaitArgs) (*Outcome, error)
	Screenshot(ctx context.Context, a ScreenshotArgs) (*Image, error)
	HandleDialog(ctx context.Context, a DialogArgs) (*Outcome, error)
	// Close lets go of the browser without closing its tabs.
	Close() error
}
