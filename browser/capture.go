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
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
)

// Limits of a picture.
const (
	// maxSide is the longest side that Chrome draws in one surface; what is
	// beyond it comes out empty.
	maxSide = 16_000
	// maxImageBytes is what models take.
	maxImageBytes = 5 << 20
)

// Screenshot takes a picture of the viewport, an element or the whole page (CDP
// Page.captureScreenshot); the tab stays where it is.
func (b *Browser) Screenshot(ctx context.Context, a ScreenshotArgs) (*Image, error) {
	if a.Ref != "" && a.FullPage {
		return nil, errors.New("A screenshot is of an element (ref) or of the whole page (full_page), not both.")
	}
	var out *Image
	err := b.do(ctx, a.Tab, a.Ref, 0, func(ctx context.Context, o *operation) error {
		o.holds(ctx, false)
		var notes []string
		params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: &yes}
		switch {
		case o.ref != nil:
			clip, err := o.elementClip(ctx)
			if err != nil {
				return err
			}
			params.Clip, params.CaptureBeyondViewport = clip, &yes
		case a.FullPage:
			l, err := send(ctx, o.c, o.mainKey().session, page.GetLayoutMetrics, cdp.Empty{}).wait(ctx)
			if err != nil {
				return err
			}
			params.Clip = &page.Viewport{Width: l.CSSContentSize.Width, Height: l.CSSContentSize.Height, Scale: 1}
			params.CaptureBeyondViewport = &yes
		}
		if c := params.Clip; c != nil {
			if side := math.Max(c.Width, c.Height) * o.deviceScale(ctx); side > maxSide {
				c.Scale = maxSide / side
				notes = append(notes, fmt.Sprintf("The page is %d × %d px: the picture is scaled to %.0f %%.", int(c.Width), int(c.Height), c.Scale*100))
			}
		}
		img, err := o.capture(ctx, params)
		if err != nil {
			return err
		}
		if len(img.Data) > maxImageBytes {
			quality := int64(80)
			params.Format, params.Quality = page.CaptureScreenshotFormatJpeg, &quality
			notes = append(notes, "The picture is a JPEG: as a PNG it would be over 5 MB.")
			for img, err = o.capture(ctx, params); err == nil && len(img.Data) > maxImageBytes && quality > 20; img, err = o.capture(ctx, params) {
				quality -= 20
			}
			if err != nil {
				return err
			}
		}
		img.Notes = notes
		b.mu.Lock()
		img.Tab = b.tabOf(o.t)
		b.mu.Unlock()
		out = img
		return nil
	})
	return out, err
}

// nudgeAfter is how long a picture may take before the tab is made to draw
// anew.
const nudgeAfter = 500 * time.Millisecond

// capture takes one picture. A tab that is not in front draws nothing; asked
// for a picture then, the browser waits for a frame that may never come (seen
// here: 30 s and more, where the page had changed while it was hidden). So the
// tab is made to draw first, and asked once it has drawn two frames.
func (o *operation) capture(ctx context.Context, p page.CaptureScreenshotParams) (*Image, error) {
	var r page.CaptureScreenshotResult
	err := o.orDialog(ctx, func(ctx context.Context) error {
		session := o.mainKey().session
		defer o.draw(ctx)()
		d, err := o.mainWorld(ctx)
		if err != nil {
			return err
		}
		drawn := o.startInDocument(ctx, d, "drawn")
		if err := answer(ctx, drawn, new(struct{})); err != nil && !contextGone(err) {
			return err
		}
		f := send(ctx, o.c, session, page.CaptureScreenshot, p)
		for {
			timer := time.NewTimer(nudgeAfter)
			select {
			case <-f.ready:
			case <-ctx.Done():
			case <-timer.C:
				// Not a second picture: its clip would change the first.
				o.c.tell(ctx, session, page.CommandStopScreencast, nil)
				o.draw(ctx)
				continue
			}
			timer.Stop()
			r, err = f.wait(ctx)
			return err
		}
	})
	if errors.Is(err, errDialog) {
		return nil, errors.New("A dialog opened; the page cannot be drawn. Call handle_dialog first.")
	}
	if err != nil {
		return nil, err
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(r.Data))
	if err != nil {
		return nil, fmt.Errorf("The browser gave no picture that can be read: %w.", err)
	}
	return &Image{Data: r.Data, MIMEType: "image/" + format, Width: size.Width, Height: size.Height}, nil
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

// elementClip returns where an element lies on the page, in CSS pixels.
func (o *operation) elementClip(ctx context.Context) (*page.Viewport, error) {
	p, err := o.prepare(false, 0)
	if err != nil {
		return nil, err
	}
	box := add(p.sequence, dom.GetBoxModel, dom.GetBoxModelParams{}, p.object())
	p.steps[box].Await = true
	if _, err := p.run(ctx, false); err != nil {
		return nil, err
	}
	layout := send(ctx, o.c, o.mainKey().session, page.GetLayoutMetrics, cdp.Empty{})
	m, err := box.of(p.sequence)
	if err != nil {
		return nil, fmt.Errorf("The element %s (%s) has no place on the page: %w.", o.ref.ref, o.ref, err)
	}
	l, err := layout.wait(ctx)
	if err != nil {
		return nil, err
	}
	q := m.Model.Border
	if len(q) != 8 {
		return nil, fmt.Errorf("The element %s (%s) has no place on the page.", o.ref.ref, o.ref)
	}
	left, right := min(q[0], q[2], q[4], q[6]), max(q[0], q[2], q[4], q[6])
	top, bottom := min(q[1], q[3], q[5], q[7]), max(q[1], q[3], q[5], q[7])
	v := &page.Viewport{X: left, Y: top, Width: right - left, Height: bottom - top, Scale: 1}
	if l.CSSVisualViewport != nil {
		v.X, v.Y = v.X+l.CSSVisualViewport.PageX, v.Y+l.CSSVisualViewport.PageY
	}
	if v.Width < 1 || v.Height < 1 {
		return nil, fmt.Errorf("The element %s (%s) has no size on the page.", o.ref.ref, o.ref)
	}
	return v, nil
}

// deviceScale returns how many device pixels a CSS pixel has.
func (o *operation) deviceScale(ctx context.Context) float64 {
	d, err := o.mainWorld(ctx)
	if err != nil {
		return 1
	}
	var p pageInfo
	f := o.startInDocument(ctx, d, "page")
	if err := o.orDialog(ctx, func(ctx context.Context) error { return answer(ctx, f, &p) }); err != nil || p.Scale <= 0 {
		return 1
	}
	return p.Scale
}
