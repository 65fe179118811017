package browser

import (
	"context"
	"path"
	"strings"
	"time"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

const (
	// downloadWait is how long the call that began a download waits for its end:
	// most files that pages hand out are there at once. What takes longer is told
	// as being under way, and the call during which it ends tells that.
	downloadWait = 2 * time.Second
	// leftWait is how long a tab that opened and closed again, or a navigation
	// that brought no document, is taken to have been for a file whose download is
	// still to be told of.
	leftWait = 300 * time.Millisecond
)

// download is one that a tab began. Browser.mu guards it.
type download struct {
	guid  string
	named bool // a call told of it
	told  bool // a call told that it is under way, and none that it is over
	// linked is whether it is that of a link that the page was seen to click.
	linked bool
	Download
}

// under reports whether the browser is still at it: of a file that it holds back
// the user decides.
func (d *download) under() bool { return d.State == "inProgress" && d.Held == "" }

// noteDownload takes in an event of a download. Whoever knows where the file
// lies, or why there is none, says so in the last. b.mu is held.
func (b *Browser) noteDownload(t *tab, method string, params jsonv2.Value) {
	var e struct {
		GUID     string  `json:"guid"`
		URL      string  `json:"url"`
		Name     string  `json:"suggestedFilename"`
		State    string  `json:"state"`
		Received float64 `json:"receivedBytes"`
		Total    float64 `json:"totalBytes"`
		Path     string  `json:"filePath"`
		Error    string  `json:"error"`
		Danger   string  `json:"danger"`
	}
	if !b.decode(method, params, &e) {
		return
	}
	if method == "Page.downloadWillBegin" {
		t.downloads = append(t.downloads, &download{guid: e.GUID, Download: Download{Name: e.Name, URL: e.URL, State: "inProgress"}})
		return
	}
	for _, d := range t.downloads {
		// What it was held back for stays with it until it is over.
		if d.guid != e.GUID || d.State != "inProgress" {
			continue
		}
		d.State, d.Received, d.Size = e.State, int64(e.Received), int64(e.Total)
		d.Path, d.Error = e.Path, e.Error
		if e.Danger != "" || e.State != "inProgress" {
			d.Held = e.Danger
		}
		if e.Path != "" {
			d.Name = path.Base(strings.ReplaceAll(e.Path, `\`, "/"))
		}
	}
}

// downloaded waits for the downloads that began since m, or are about to.
func (o *operation) downloaded(ctx context.Context, m mark) error {
	left := o.leftForFile(m)
	if err := o.waitWhile(ctx, leftWait, func() bool {
		return o.t.awaited() || left && len(o.t.downloads) == m.downloads
	}); err != nil {
		return err
	}
	return o.downloadsEnd(ctx, downloadWait, m.downloads)
}

// leftForFile reports whether since m the tab was to go to another document and
// did not, or a tab opened and is gone: that is how links to files end.
func (o *operation) leftForFile(m mark) bool {
	o.b.mu.Lock()
	defer o.b.mu.Unlock()
	if o.t.load.stayed(m.load) {
		return true
	}
	for _, n := range o.b.opened[m.opened:] {
		if n.opener == o.t.id && o.b.tabs[n.id] == nil {
			return true
		}
	}
	return false
}

// stayed reports whether since before the tab was to go to another document and
// did not.
func (l loadState) stayed(before loadState) bool {
	return l.begun != before.begun && l.committed == before.committed && !l.pending
}

// downloadsEnd waits until the tab's downloads from the first on are over.
func (o *operation) downloadsEnd(ctx context.Context, bound time.Duration, first int) error {
	return o.waitWhile(ctx, bound, func() bool {
		for _, d := range o.t.downloads[min(first, len(o.t.downloads)):] {
			if d.under() {
				return true
			}
		}
		return false
	})
}

// downloads returns what a call tells of downloads, in any tab: those that no
// call told of, as a script may begin one after the call that set it off, and
// those that an earlier call told were under way and that are over. b.mu is held.
func (o *operation) downloads() []Download {
	var list []Download
	tell := func(t *tab) {
		for _, d := range t.downloads {
			if d.named && (!d.told || d.State == "inProgress") {
				continue
			}
			d.named, d.told = true, d.State == "inProgress"
			list = append(list, d.Download)
		}
	}
	tell(o.t)
	for _, id := range o.b.tabIDs() {
		tell(o.b.tabs[id])
	}
	return list
}
