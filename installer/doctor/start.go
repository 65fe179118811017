package doctor

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
)

func (c *checkup) getenv(name string) string {
	if c.Env.Browsers.Getenv == nil {
		return ""
	}
	return c.Env.Browsers.Getenv(name)
}

// startable looks whether the browser that Sidekick is to start can be, as far
// as that can be told without starting it.
func (c *checkup) startable(ctx context.Context, choice string) {
	args, err := launch.Args(c.getenv("SIDEKICK_BROWSER_ARGS"))
	if why, ok := err.(cause.Cause); ok {
		// Whatever is started gets them.
		c.bad(HopBrowsers, "", Failed, why, nil)
	}
	exe, err := browsers.Resolve(ctx, choice)
	if err != nil {
		return // that is told where browsers are looked for
	}
	what, err := kindOf(exe)
	_, known := browsers.Identify(exe)
	switch {
	case choice == "":
	case err != nil:
		c.bad(HopBrowsers, "", worse(c.wantsManaged()), cause.BrowserNoStart.About(exe, plain(err)), nil)
	case what == other && c.Env.Browsers.GOOS == "linux":
		c.bad(HopBrowsers, "", worse(c.wantsManaged()), cause.BrowserNoStart.About(exe, "it is no program of this system's"), nil)
	case !known:
		c.note(HopBrowsers, "", exe+`, which SIDEKICK_BROWSER names, is no browser that is known here: "sidekick-mcp doctor --live" tries whether it is one`)
	}
	// A script that starts a browser may give it flags of its own.
	if c.AsRoot && c.Env.Browsers.GOOS == "linux" && known && c.wantsManaged() && !slices.Contains(args, "--no-sandbox") {
		scripted := what == script || strings.Contains(c.getenv("CHROMIUM_FLAGS"), "--no-sandbox")
		c.bad(HopBrowsers, "", worse(!scripted), cause.BrowserRoot.About(exe), nil)
	}
}

// format is how a program is written.
type format int

const (
	other format = iota
	script
	native
)

// kindOf reads the beginning of a program.
func kindOf(exe string) (format, error) {
	f, err := os.Open(exe)
	if err != nil {
		return other, err
	}
	defer f.Close()
	begin := make([]byte, 4)
	n, err := io.ReadFull(f, begin)
	switch begin = begin[:n]; {
	case bytes.HasPrefix(begin, []byte("#!")):
		return script, nil
	case bytes.Equal(begin, []byte("\x7fELF")):
		return native, nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return other, nil
	}
	return other, err
}
