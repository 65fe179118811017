package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// UploadArgs are the arguments of [Browser.UploadFile].
type UploadArgs struct {
	Tab, Ref string
	Paths    []string
}

// chooser is a file dialog that a page asked for, while they are kept back.
type chooser struct {
	session string
	frame   cdp.FrameID
	node    cdp.BackendNodeID // 0 if no field asked for it
}

// noField says that a page asked for a file in a way that takes none from us:
// the promise of its picker was rejected with an AbortError. Which of the
// pickers it was the browser does not say.
const noField = "The page asked for a file or folder with showOpenFilePicker, showSaveFilePicker or showDirectoryPicker, which an agent cannot answer; it was told that none was chosen. Look for another file field or a drop zone with read_page, or tell the user to choose the file."

// askedForFile says what to do where the page asked for a file.
func (o *operation) askedForFile(ch *chooser) string {
	switch {
	case ch.node == 0:
		return noField
	case o.asks && o.ref != nil:
		return fmt.Sprintf("It asks for a file, and no dialog was shown: call upload_file with ref %s and the paths.", o.ref.ref)
	}
	return "The page asks for a file, and no dialog was shown: call upload_file with the ref of what asks, and the paths."
}

const (
	// chooserWait is how long a click may take to bring up a file dialog.
	chooserWait = 3 * time.Second
	// askedWait is how long the word of it may take where the page said that
	// it asks; none comes where no dialog is kept back.
	askedWait = 500 * time.Millisecond
	// uploadTimeout bounds a call; bytes that we send take a while.
	uploadTimeout = 2 * time.Minute
	// maxSent bounds the files that are sent to the page through us, because
	// the browser does not read them for us: 20 MB.
	maxSent = 20 << 20
	// partSize is how much of a file goes into one message.
	partSize = 384 << 10
)

// UploadFile gives files to a page: to a file field (which may be hidden, and
// may be named by its label), to what opens one when it is clicked, or to what
// takes files that are dropped on it. Round trips: 2 for a field.
func (b *Browser) UploadFile(ctx context.Context, a UploadArgs) (*Outcome, error) {
	files, err := localFiles(a.Paths, b.uploadDirs)
	if err != nil {
		return nil, err
	}
	var out *Outcome
	err = b.do(ctx, a.Tab, a.Ref, uploadTimeout, func(ctx context.Context, o *operation) error {
		m := o.mark()
		u := &upload{operation: o, files: files}
		to := o.ref.String()
		r, err := o.askElement(ctx, "uploadTarget", len(files))
		if err == nil {
			switch r.Kind {
			case "input":
				r, err = u.intoField(ctx)
			case "drop":
				r, err = u.drop(ctx)
			default:
				r, err = u.byClick(ctx)
			}
		}
		if err != nil {
			return o.missed(err, m, &out)
		}
		o.noteReply(r)
		did := fmt.Sprintf("Gave %s to %s.", strings.Join(quoted(r.Files), ", "), to)
		if len(r.Files) == 0 {
			var names []string
			for _, f := range files {
				names = append(names, filepath.Base(f.path))
			}
			did = fmt.Sprintf("Gave %s to %s; the page has taken them out of the field since, as pages do that send them at once.", strings.Join(quoted(names), ", "), to)
		}
		out, err = o.finish(ctx, m, did)
		return err
	})
	return out, err
}

func quoted(list []string) []string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = fmt.Sprintf("%q", s)
	}
	return q
}

// upload is one call of UploadFile.
type upload struct {
	*operation
	files []localFile
}

func (u *upload) paths() []string {
	p := make([]string, len(u.files))
	for i, f := range u.files {
		p[i] = f.path
	}
	return p
}

// refused reports whether a browser does not let us name files of the computer:
// Chrome does not let an extension that has no access to file: addresses.
func refused(err error) bool {
	var p *ProtocolError
	return errors.As(err, &p) && strings.Contains(strings.ToLower(p.Message), "not allowed")
}

// intoField has the browser put the files into the element's field, with the
// events of its own dialog.
func (u *upload) intoField(ctx context.Context) (reply, error) {
	r, err := u.onElement()
	if err != nil {
		return reply{}, err
	}
	u.listen(r.sequence)
	field := u.field(r, "fileInput(this)")
	set := add(r.sequence, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: u.paths()}, field)
	held := r.on("heldFiles")
	r.steps[held].Await = true
	u.acted = true
	if err := r.run(ctx); err != nil {
		return reply{}, err
	}
	if _, err := set.of(r.sequence); err != nil {
		u.acted = false
		if refused(err) {
			return u.send(ctx, "giveFiles")
		}
		return reply{}, err
	}
	return r.reply(held)
}

// field adds a call that answers with a field itself, and returns it as the
// parameter of another command.
func (u *upload) field(r *elementRun, expression string) use {
	d := u.ref.doc
	f := add(r.sequence, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function([t]){const s=globalThis.sidekick;return s&&s.token===t?s." + expression + "??this:null}",
		Arguments:           arguments(d, nil), Silent: &yes, ObjectGroup: objectGroup,
	}, r.object())
	return f.use("result.objectId", "objectId")
}

// drop drops the files onto the element. The browser puts them into a field of
// our own first, if it does: that way they may be of any size.
func (u *upload) drop(ctx context.Context) (reply, error) {
	r, err := u.onElement()
	if err != nil {
		return reply{}, err
	}
	set := add(r.sequence, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: u.paths()}, u.field(r, "scratchField()"))
	if err := r.run(ctx); err != nil {
		return reply{}, err
	}
	_, err = set.of(r.sequence)
	if refused(err) {
		return u.send(ctx, "dropFiles")
	}
	if err != nil {
		return reply{}, err
	}
	return u.change(ctx, "dropFiles")
}

// send sends the files' bytes to the page, which makes files of them.
func (u *upload) send(ctx context.Context, fn string) (reply, error) {
	total := int64(0)
	for _, f := range u.files {
		total += f.size
	}
	if total > maxSent {
		return reply{}, fmt.Errorf("The files are too large: %d bytes, and %d at most. For larger ones the user must turn on \"Allow access to file URLs\" for Sidekick in the browser's extension settings.", total, maxSent)
	}
	if _, err := u.askElement(ctx, "startFiles"); err != nil {
		return reply{}, err
	}
	for i, f := range u.files {
		if err := u.sendFile(ctx, i, f); err != nil {
			return reply{}, err
		}
	}
	return u.change(ctx, fn)
}

func (u *upload) sendFile(ctx context.Context, index int, f localFile) error {
	r, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("The file %s cannot be read: %s.", f.path, reason(err))
	}
	defer r.Close()
	name := filepath.Base(f.path)
	kind, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(name)), ";")
	// It is as long as it was when it was looked at, whatever becomes of it.
	in := io.LimitReader(r, f.size)
	buf := make([]byte, partSize)
	for first := true; ; first = false {
		n, err := io.ReadFull(in, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return fmt.Errorf("The file %s cannot be read: %s.", f.path, reason(err))
		}
		if n > 0 || first {
			if _, err := u.askElement(ctx, "addPart", index, name, kind, base64.StdEncoding.EncodeToString(buf[:n])); err != nil {
				return err
			}
		}
		if n < len(buf) {
			return nil
		}
	}
}

// byClick clicks the element and gives the files to the field that asks for
// them, instead of the dialog that the user would see.
func (u *upload) byClick(ctx context.Context) (reply, error) {
	session := u.ref.doc.session
	u.b.mu.Lock()
	u.t.chooser = nil
	u.b.mu.Unlock()
	if _, err := send(ctx, u.c, session, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}).wait(ctx); err != nil {
		return reply{}, err
	}
	defer u.c.tell(ctx, session, page.CommandSetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: false})
	if _, _, err := u.click(ctx, clicking{button: input.MouseButtonLeft, count: 1}); err != nil {
		return reply{}, err
	}
	if err := u.waitWhile(ctx, chooserWait, func() bool { return u.t.chooser == nil }); err != nil {
		return reply{}, err
	}
	u.b.mu.Lock()
	ch := u.t.chooser
	doc := u.ref.doc
	u.t.chooser = nil // it is answered
	if ch != nil && u.t.documents[docKey{ch.session, ch.frame}] != nil {
		doc = u.t.documents[docKey{ch.session, ch.frame}]
	}
	u.b.mu.Unlock()
	if u.dialog() != nil {
		return reply{}, errDialog
	}
	if ch != nil && ch.node == 0 {
		return reply{}, fmt.Errorf("Clicked %s (%s). %s", u.ref.ref, u.ref, noField)
	}
	if ch == nil {
		return reply{}, fmt.Errorf("Clicked %s (%s), but it did not open a file dialog, and it takes no files that are dropped on it. Call read_page and look for another file field or drop zone.", u.ref.ref, u.ref)
	}
	u.ref = &element{ref: u.ref.ref, tab: u.ref.tab, doc: doc, node: ch.node, role: u.ref.role, name: u.ref.name}
	if _, err := u.askElement(ctx, "chosenField", len(u.files)); err != nil {
		return reply{}, err
	}
	return u.intoField(ctx)
}
