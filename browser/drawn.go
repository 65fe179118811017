package browser

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"
)

// drawAfter is how long a call may take before its tab is made to draw.
const drawAfter = 40 * time.Millisecond

// whileDrawn is fn with a tab that draws, if fn takes a while.
func whileDrawn(fn func(context.Context, *operation) error) func(context.Context, *operation) error {
	return func(ctx context.Context, o *operation) error {
		defer o.drawIfSlow(ctx)()
		return fn(ctx, o)
	}
}

// drawIfSlow makes the tab draw if the call is not over soon, until the
// function it returns is called. A tab that is not in front draws once a second,
// and what waits for a frame waits that long: an animation that has to end, a
// timer of the page, the accessibility tree of a page that has just changed. On
// pages with animations that is most of what a call takes.
func (o *operation) drawIfSlow(ctx context.Context) (stop func()) {
	session, quality := o.mainKey().session, int64(1)
	var mu sync.Mutex
	begun, over := false, false
	timer := time.AfterFunc(drawAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if begun = !over; begun {
			o.c.tell(ctx, session, page.CommandStartScreencast, page.StartScreencastParams{
				Format: page.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 1, MaxHeight: 1,
			})
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if over = true; begun {
			o.c.tell(ctx, session, page.CommandStopScreencast, nil)
		}
	}
}
