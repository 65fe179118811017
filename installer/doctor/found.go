package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// found looks which browsers are on this machine.
func (c *checkup) found(ctx context.Context) {
	for _, b := range browsers.Known(c.Env.Browsers) {
		if exe, ok := b.Find(); ok {
			c.browsers = append(c.browsers, browsers.Installation{Browser: b, Exe: exe})
		}
	}
	choice := c.getenv("SIDEKICK_BROWSER")
	c.startable(ctx, choice)
	if choice != "" {
		exe, err := browsers.Resolve(ctx, choice)
		if err == nil {
			c.good(HopBrowsers, "", "Sidekick's own browser is "+exe+", for SIDEKICK_BROWSER says so")
			if b, ok := browsers.Identify(exe); ok && !slices.ContainsFunc(c.browsers, func(i browsers.Installation) bool { return i.ID == b.ID }) {
				c.browsers = append(c.browsers, browsers.Installation{Browser: b, Exe: exe})
			}
		} else {
			what, mend, _ := strings.Cut(err.Error(), ": ")
			why := cause.BrowserChoice.About(what)
			if mend != "" {
				why.Mend = mend + "; " + why.Mend
			}
			c.bad(HopBrowsers, "", worse(c.wantsManaged()), why, nil)
		}
	} else if len(c.browsers) == 0 {
		c.bad(HopBrowsers, "", Failed, cause.BrowserAbsent, nil)
		return
	}
	for _, b := range c.browsers {
		if b.Confined {
			c.bad(HopBrowsers, b.Name, worse(false), cause.BrowserConfined.About(b.Name), nil)
			continue
		}
		c.good(HopBrowsers, b.Name, b.Name+" at "+b.Exe)
	}
}
