package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // for the size of a picture
	_ "image/png"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	_ "golang.org/x/image/webp"
)

// Limits of a picture.
const (
	// modelSide is the longest side that models take: what is longer they
	// shrink themselves, and then nobody knows the scale.
	modelSide = 1568
	// maxSide is the longest side that Chrome draws in one surface; what is
	// beyond it comes out empty. It is also under what JPEG and WebP can hold.
	maxSide = 16_000
	// minSide is the shorter side below which a picture shows nothing.
	minSide = 10
	// maxImageBytes is what models take.
	maxImageBytes = 5 << 20
)

// Qualities of the formats. A PNG made for speed is the default: it takes as
// long as a JPEG, 20 ms less than lossless WebP, and small text stays sharp.
// Measured through all processes, in base64: a form 17 KB (JPEG 10, WebP 50), a
// page of text 131 KB (JPEG 142, WebP 45).
const (
	webpLossless = 100
	jpegQuality  = 85
	// jpegFallback is where a picture that was too large begins; it goes down
	// from there by 20.
	jpegFallback = 80
)

// photoBytes is how many bytes a pixel of a PNG takes where the page is mostly
// photographs (text takes 0.3): a JPEG is an eighth of it there, and as good.
const photoBytes = 0.7

// Screenshot takes a picture of the viewport, an element or the whole page (CDP
// Page.captureScreenshot); the tab stays where it is. Round trips: 2; with
// refs marked 6 and those of a reading.
func (b *Browser) Screenshot(ctx context.Context, a ScreenshotArgs) (*Image, error) {
	if a.Ref != "" && a.FullPage {
		return nil, errors.New("A screenshot is of an element (ref) or of the whole page (full_page), not both.")
	}
	switch a.Format {
	case "", "png", "jpeg", "webp":
	default:
		return nil, fmt.Errorf("There is no format %q; use png, jpeg or webp.", a.Format)
	}
	var out *Image
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		if a.Annotate { // drawn in the page, pixel by pixel
			o.askFirst(ctx)
		} else {
			o.holds(ctx, false)
		}
		err := o.orDialog(ctx, func(ctx context.Context) (err error) { out, err = o.screenshot(ctx, a); return err })
		if errors.Is(err, errDialog) {
			return errors.New("A dialog opened; the page cannot be drawn. Call handle_dialog first.")
		}
		return err
	})
	return out, err
}

func (o *operation) screenshot(ctx context.Context, a ScreenshotArgs) (*Image, error) {
	stop := o.draw(ctx)
	defer stop()
	s, err := o.plan(ctx, a)
	if err != nil {
		return nil, err
	}
	if s.clip != nil && len(o.childKeys()) > 0 {
		defer o.settleView(ctx)
	}
	if restore, err := o.enlarge(ctx, s); err != nil {
		return nil, err
	} else if restore != nil {
		defer restore()
		if s, err = o.plan(ctx, a); err != nil {
			return nil, err
		}
	}
	take := func(format string, quality int64) ([]byte, error) { return o.capture(ctx, s, format, quality) }
	if a.Annotate {
		marks, err := o.marks(ctx, s)
		if err != nil {
			return nil, err
		}
		plain, err := take("png", 0)
		if err == nil && len(plain) > maxImageBytes { // too much to send to and fro
			plain, err = take("jpeg", jpegQuality)
		}
		if err != nil {
			return nil, err
		}
		take = func(format string, quality int64) ([]byte, error) {
			return o.annotate(ctx, s, plain, marks, format, quality)
		}
		s.notes = append(s.notes, fmt.Sprintf("%d refs are marked.", len(marks)))
	}
	img, err := o.encode(s, a.Format, take)
	if err != nil {
		return nil, err
	}
	img.Notes = s.notes
	o.b.mu.Lock()
	img.Tab = o.b.tabOf(o.t)
	o.b.mu.Unlock()
	return img, nil
}

// encode has the picture made in the format asked for, or in the one that suits
// the page, and small enough for a model.
func (o *operation) encode(s *shot, format string, take func(format string, quality int64) ([]byte, error)) (*Image, error) {
	quality := map[string]int64{"webp": webpLossless, "jpeg": jpegQuality}
	asked := format
	if format == "" {
		format = "png"
		o.b.mu.Lock()
		if o.t.photos == s.doc {
			format = "jpeg"
		}
		o.b.mu.Unlock()
	}
	data, err := take(format, quality[format])
	if err == nil && asked == "" && format == "png" && float64(len(data)) > photoBytes*s.pixels() {
		o.b.mu.Lock()
		o.t.photos = s.doc
		o.b.mu.Unlock()
		format = "jpeg"
		data, err = take(format, quality[format])
	}
	if err == nil && len(data) > maxImageBytes {
		s.notes = append(s.notes, fmt.Sprintf("The picture is a JPEG: as %s it would be over 5 MB.", format))
		for q := int64(jpegFallback); ; q -= 20 {
			if data, err = take("jpeg", q); err != nil || len(data) <= maxImageBytes {
				break
			}
			if q <= 20 {
				return nil, errors.New("The picture is over 5 MB at any quality. Call screenshot without full_size, or of an element (ref).")
			}
		}
	}
	if err != nil {
		return nil, err
	}
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("The browser gave no picture that can be read: %w.", err)
	}
	return &Image{Data: data, MIMEType: "image/" + kind, Width: size.Width, Height: size.Height, Scale: s.scale}, nil
}

// shot is what a picture shows, in CSS pixels of the tab's viewport.
type shot struct {
	doc    *document // the tab's main document
	view   view
	area   rect
	scale  float64 // pixels of the picture that a CSS pixel has
	zoom   float64
	clip   *page.Viewport // nil for the viewport at full size
	beyond bool           // may reach beyond the viewport
	notes  []string
}

// pixels is how many the picture has.
func (s *shot) pixels() float64 { return s.area.Width * s.area.Height * s.scale * s.scale }

// view is what the page script says of a document's window.
type view struct {
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scrollX"`
	ScrollY float64 `json:"scrollY"`
	Scale   float64 `json:"scale"` // device pixels of a CSS pixel
}

// plan works out what the picture shows and how large it gets.
func (o *operation) plan(ctx context.Context, a ScreenshotArgs) (*shot, error) {
	var of *rect
	if o.ref != nil {
		var err error
		if of, err = o.elementRect(ctx); err != nil {
			return nil, err
		}
	}
	layout := send(ctx, o.c, o.mainKey().session, page.GetLayoutMetrics, cdp.Empty{})
	d, err := o.mainWorld(ctx)
	if err != nil {
		return nil, err
	}
	s := &shot{doc: d, zoom: 1}
	if err := answer(ctx, o.startInDocument(ctx, d, "view"), &s.view); err != nil {
		if contextGone(err) {
			return nil, errReplaced
		}
		return nil, err
	}
	l, err := layout.wait(ctx)
	if err != nil {
		return nil, err
	}
	if l.CSSVisualViewport != nil && l.CSSVisualViewport.Zoom > 0 {
		s.zoom = l.CSSVisualViewport.Zoom
	}
	v := s.view
	what := "window"
	switch {
	case of != nil:
		what, s.area, s.beyond = "element", *of, true
	case a.FullPage && l.CSSContentSize != nil:
		what, s.beyond = "page", true
		s.area = rect{-v.ScrollX, -v.ScrollY, l.CSSContentSize.Width, l.CSSContentSize.Height}
	default:
		s.area = rect{0, 0, v.Width, v.Height}
	}
	if s.area.Width < 1 || s.area.Height < 1 || v.Scale <= 0 {
		return nil, fmt.Errorf("The %s has no size: there is nothing to draw. Call read_page to see what the page holds.", what)
	}
	limit := float64(modelSide)
	if a.FullSize {
		limit = maxSide
	}
	shrink := min(1, limit/(max(s.area.Width, s.area.Height)*v.Scale))
	s.scale = v.Scale * shrink
	if min(s.area.Width, s.area.Height)*s.scale < minSide && shrink < 1 {
		return nil, fmt.Errorf("The %s is %.0f × %.0f px: one picture of it would show nothing. Call screenshot without full_page after scroll, or with the ref of an element.", what, s.area.Width, s.area.Height)
	}
	if s.beyond || shrink < 1 {
		s.clip = &page.Viewport{
			X: (s.area.X + v.ScrollX) * s.zoom, Y: (s.area.Y + v.ScrollY) * s.zoom,
			Width: s.area.Width * s.zoom, Height: s.area.Height * s.zoom, Scale: shrink,
		}
	}
	if shrink < 0.5 {
		s.notes = append(s.notes, fmt.Sprintf("The %s is %.0f × %.0f px; small text may be lost at this scale. full_size shows more, and so does a picture of a part.", what, s.area.Width, s.area.Height))
	}
	if note := s.coordinates(a.FullPage); note != "" {
		s.notes = append(s.notes, note)
	}
	return s, nil
}

// coordinates says how places in the picture are those in the page, where they
// are not the same.
func (s *shot) coordinates(full bool) string {
	place, from := "the viewport", rect{s.area.X, s.area.Y, 0, 0}
	if full {
		place, from = "the page", rect{}
	}
	var do []string
	if math.Abs(s.scale-1) > 0.0005 {
		do = append(do, fmt.Sprintf("divide the picture's by %.4g", s.scale))
	}
	if math.Abs(from.X) >= 0.5 || math.Abs(from.Y) >= 0.5 {
		do = append(do, fmt.Sprintf("add x %.0f, y %.0f", from.X, from.Y))
	}
	switch len(do) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("For coordinates in %s, in CSS pixels, %s.", place, do[0])
	}
	return fmt.Sprintf("For coordinates in %s, in CSS pixels, %s, then %s.", place, do[0], do[1])
}

// nudgeAfter is how long a picture may take before the tab is made to draw
// anew.
const nudgeAfter = 500 * time.Millisecond

// capture takes one picture of a tab that is made to draw (see draw). One that
// is not in front draws nothing by itself; asked for a picture then, the browser
// waits for a frame that may never come (seen here: 30 s and more).
func (o *operation) capture(ctx context.Context, s *shot, format string, quality int64) ([]byte, error) {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(format), Clip: s.clip, OptimizeForSpeed: &yes}
	if quality > 0 {
		p.Quality = &quality
	}
	if s.beyond {
		p.CaptureBeyondViewport = &yes
	}
	f := send(ctx, o.c, o.mainKey().session, page.CaptureScreenshot, p)
	for {
		timer := time.NewTimer(nudgeAfter)
		select {
		case <-f.ready:
		case <-ctx.Done():
		case <-timer.C:
			// Not a second picture: its clip would change the first.
			o.c.tell(ctx, o.mainKey().session, page.CommandStopScreencast, nil)
			o.draw(ctx)
			continue
		}
		timer.Stop()
		r, err := f.wait(ctx)
		return r.Data, err
	}
}

// settleView ends when the browser takes the page to be drawn as it was before a
// picture of a part of it. For that it moves the part to the window's corner,
// and the frames of other processes with it; until it has drawn the page anew it
// gives a click to what lay there then. Only a picture of the whole window waits
// for that: the page itself has drawn, by its own word, some frames before.
func (o *operation) settleView(ctx context.Context) {
	o.capture(ctx, &shot{}, "jpeg", 1) // if it fails there is no page to click on
}

// draw makes the tab draw, in front or not, until the function it returns is
// called: a screencast of one pixel does that.
func (o *operation) draw(ctx context.Context) (stop func()) {
	session, quality := o.mainKey().session, int64(1)
	send(ctx, o.c, session, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 1, MaxHeight: 1,
	})
	return func() { o.c.tell(ctx, session, page.CommandStopScreencast, nil) }
}
