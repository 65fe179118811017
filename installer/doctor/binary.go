package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// binary looks at this program's own file.
func (c *checkup) binary(context.Context) {
	info, err := os.Stat(c.Self)
	switch {
	case err != nil || info.IsDir():
		// Linux goes on running a file that was removed.
		c.bad(HopBinary, c.Self, Failed, cause.BinaryGone.About(c.Self), nil)
	case vanishes(c.Self) && c.Binary != c.Self && c.mayRun(c.Binary):
		// As with npx, after an installation.
		c.good(HopBinary, c.Self, fmt.Sprintf("sidekick-mcp %s, started from a cache; the installed copy is %s", c.Version, c.Binary))
	case vanishes(c.Self):
		c.bad(HopBinary, c.Self, Warning, cause.BinaryCache.About(filepath.Dir(c.Self)), nil)
	default:
		c.good(HopBinary, c.Self, fmt.Sprintf("sidekick-mcp %s at %s", c.Version, c.Self))
	}
}

// vanishes reports whether a program lies in a cache of npm's kin, or among
// temporary files as with "go run".
func vanishes(program string) bool {
	p := strings.ToLower(filepath.ToSlash(program))
	for _, mark := range []string{"/_npx/", "/npm-cache/", "/dlx-", "/pnpm/dlx/", "/pnpm-cache/dlx/", "/.pnpm-store/", "/bunx-", "/.bun/install/cache/", "/go-build"} {
		if strings.Contains(p, mark) {
			return true
		}
	}
	return false
}
