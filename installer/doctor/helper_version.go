package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// makeWayBound is how long --fix waits for a helper to make way: it goes as
// soon as its agents are between two calls.
const makeWayBound = 5 * time.Second

// otherVersion is about a helper that is of another version than this program.
// To end it mends that only where the next one is of this version: who starts
// it takes the program that was noted (helper.Preferred).
func (c *checkup) otherVersion() {
	running := c.status.Version
	next := helper.PreferredVersion(c.Dirs, c.Version)
	if helper.Newer(running, c.Version) && !helper.Newer(next, running) {
		next = running // it is no mend to go back unasked
	}
	if next != c.Version {
		mend := "run \"sidekick-mcp install\", which has this version take its place"
		if helper.Newer(next, c.Version) {
			mend = fmt.Sprintf("update this program, which is older than %s, or run \"sidekick-mcp install\" to go back to it", next)
		}
		c.bad(HopHelper, "", Warning, cause.HelperOther.About(running, c.Version, mend), nil)
		return
	}
	mend := "run \"sidekick-mcp doctor --fix\", which has it make way for this version"
	c.bad(HopHelper, "", Warning, cause.HelperOther.About(running, c.Version, mend), func(ctx context.Context) (string, error) {
		if helper.Newer(c.Version, running) {
			// Or an agent of the old version brings the old helper back.
			if err := helper.PreferBinary(c.Dirs, c.Version, helper.Preferred(c.Dirs, c.Version, c.Self)); err != nil {
				return "", err
			}
		}
		ctx, cancel := context.WithTimeoutCause(ctx, makeWayBound, errors.New("its agents are at work; it makes way when their calls have ended"))
		defer cancel()
		err := helper.TakeOver(ctx, c.Dirs, "")
		if ctx.Err() != nil {
			return "asked helper " + running + " to make way", context.Cause(ctx)
		}
		return fmt.Sprintf("had helper %s make way for %s", running, c.Version), err
	})
}
