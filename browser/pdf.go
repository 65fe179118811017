package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/page"
)

// PDFArgs are the arguments of [Browser.SavePDF].
type PDFArgs struct {
	Tab  string
	Path string // a whole one, of a file that is not there, or of a folder; empty: the user's Downloads
}

// maxPDF bounds a page as PDF, which comes to us in one message.
const maxPDF = 40 << 20

// SavePDF writes the page as it would be printed to a file. No file is ever
// overwritten. Round trips: 1.
func (b *Browser) SavePDF(ctx context.Context, a PDFArgs) (*Outcome, error) {
	folder, name, err := pdfPlace(a.Path)
	if err != nil {
		return nil, err
	}
	var out *Outcome
	err = b.do(ctx, a.Tab, "", 0, func(ctx context.Context, o *operation) error {
		m := o.mark()
		o.holds(ctx, true)
		var r struct {
			Data string `json:"data"`
		}
		err := o.orDialog(ctx, func(ctx context.Context) error {
			return o.c.start(ctx, o.mainKey().session, page.CommandPrintToPDF, map[string]any{"printBackground": true, "preferCSSPageSize": true}).wait(ctx, &r)
		})
		if err != nil {
			return o.missed(err, m, &out)
		}
		if base64.StdEncoding.DecodedLen(len(r.Data)) > maxPDF {
			return fmt.Errorf("The page as PDF is larger than %d MB.", maxPDF>>20)
		}
		data, err := base64.StdEncoding.DecodeString(r.Data)
		if err != nil {
			return fmt.Errorf("The browser's PDF cannot be read: %w.", err)
		}
		b.mu.Lock()
		title := o.t.title
		b.mu.Unlock()
		path, err := writeNew(folder, name, title, data)
		if err != nil {
			return err
		}
		out = o.outcome(m, fmt.Sprintf("Saved the page to %s (%d bytes).", path, len(data)))
		return nil
	})
	return out, err
}

// pdfPlace says where a PDF goes; an empty name is to be made of the title.
func pdfPlace(path string) (folder, name string, err error) {
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", fmt.Errorf("Your folder is not known (%w): give a path.", err)
		}
		folder = filepath.Join(home, "Downloads")
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			folder = home
		}
		return folder, "", nil
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", "", fmt.Errorf("The path %q is not a whole one; give one that begins at the root.", clip(path, 200))
	}
	path = filepath.Clean(path)
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return path, "", nil
		}
		return "", "", fmt.Errorf("There is a file %s already; give another name.", path)
	}
	if !strings.EqualFold(filepath.Ext(path), ".pdf") {
		return "", "", fmt.Errorf("The file %s must be called .pdf.", path)
	}
	folder, name = filepath.Split(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "", "", fmt.Errorf("There is no folder %s.", folder)
	}
	return folder, name, nil
}

// writeNew writes a file that was not there before.
func writeNew(folder, name, title string, data []byte) (string, error) {
	given := name != ""
	for n := 1; n <= 100; n++ {
		if !given {
			name = fileName(title)
			if n > 1 {
				name += fmt.Sprintf(" (%d)", n)
			}
			name += ".pdf"
		}
		path := filepath.Join(folder, name)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && !given {
			continue
		}
		if err == nil {
			_, err = f.Write(data)
			err = errors.Join(err, f.Close())
			if err != nil {
				os.Remove(path)
			}
		}
		if err != nil {
			return "", fmt.Errorf("The file %s cannot be written: %s.", path, reason(err))
		}
		return path, nil
	}
	return "", fmt.Errorf("The folder %s has too many files of that name; give a path.", folder)
}

// fileName makes a name of a page's title, which is the page's word: letters,
// digits and what cannot lead anywhere.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_().,", r) {
			return r
		}
		return '_'
	}, title)
	name = strings.Trim(clip(strings.Join(strings.Fields(name), " "), 80), " ._")
	name = strings.ReplaceAll(name, "…", "")
	if name == "" {
		return "page"
	}
	return name
}
