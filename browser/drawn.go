package browser

import (
	"context"
	"sync"
	"time"
)

// drawAfter is how long a call may take before its tab is made to draw.
const drawAfter = 40 * time.Millisecond

// drawIfSlow makes the tab draw if the call is not over soon, until the
// function it returns is called. A tab that is not in front draws once a second,
// and what waits for a frame waits that long: an animation that has to end, a
// timer of the page, the accessibility tree of a page that has just changed. On
// pages with animations that is most of what a call takes.
func (o *operation) drawIfSlow(ctx context.Context) (stop func()) {
	var mu sync.Mutex
	over, end := false, func() {}
	timer := time.AfterFunc(drawAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			end = o.draw(ctx)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		end()
	}
}
