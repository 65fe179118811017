package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// readPairings reads the list of pairings, which other checks need too.
func (c *checkup) readPairings(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := c.Env.Pairings.List(ctx)
	for _, p := range list {
		// One of that name is a doctor's that runs just now or was killed; the next round trip
		// takes it away.
		if !strings.HasPrefix(p.Name, probeName) {
			c.pairings = append(c.pairings, p)
		}
	}
	return err
}

// keptPairings tells what readPairings came to.
func (c *checkup) keptPairings(err error) {
	if err != nil {
		c.bad(HopPairings, c.Dirs.Pairings(), Failed, cause.PairingsBroken.About(strings.TrimSuffix(err.Error(), ".")), nil)
		return
	}
	own := 0
	for _, p := range c.pairings {
		if !p.Managed {
			own++
		}
	}
	if len(c.pairings) == 0 {
		c.bad(HopPairings, "", Warning, cause.PairingsNone, nil)
		return
	}
	c.good(HopPairings, "", fmt.Sprintf("%s paired, %d of them with the browser of its user", count(len(c.pairings), "agent host"), own))
}

// keyring asks the system's keyring. It is needed only by pairings whose token
// is in it: without one a file holds the rest.
func (c *checkup) keyring(ctx context.Context) {
	needed := ""
	for _, p := range c.pairings {
		if p.InKeyring {
			needed = p.Name
		}
	}
	err := c.Keyring(ctx)
	if err == nil {
		c.good(HopKeyring, "", "the keyring answers")
		return
	}
	why := keyringCause(c.Browsers.GOOS, c.Browsers.Getenv, err)
	if needed == "" {
		f := finding(HopKeyring, "", Note, why, nil)
		f.Text += "; no agent needs it, and what has to be kept is in a file that only you can read"
		f.Mend = ""
		c.add(f)
		return
	}
	f := finding(HopKeyring, needed, Failed, why, nil)
	f.Text += fmt.Sprintf("; the token of %q is in it", needed)
	c.add(f)
}

// keyringCause tells a keyring that is locked from one that there is not. None
// of the errors of the Secret Service's libraries has a type.
func keyringCause(goos string, getenv func(string) string, err error) cause.Cause {
	text := err.Error()
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("did not answer within", "failed to unlock", "IsLocked", "locked"):
		return cause.KeyringLocked.About(text)
	case has("dbus-launch", "autolaunch", "DBUS_SESSION_BUS_ADDRESS", "X11", "no such file or directory", "connection refused"):
		if goos != "windows" && goos != "darwin" {
			if getenv == nil || getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
				text = "DBUS_SESSION_BUS_ADDRESS is not set"
			}
			return cause.KeyringNoBus.About(text)
		}
	}
	return cause.KeyringAbsent.About(text)
}

// caches looks at what handshakes are answered from. One of another version is
// as it should be: it is made anew.
func (c *checkup) caches(context.Context) {
	bad := 0
	for _, p := range c.pairings {
		file := c.Dirs.Cache(p.ID)
		info, err := os.Lstat(file)
		if err != nil {
			continue
		}
		b, err := os.ReadFile(file)
		if err == nil && info.Mode().IsRegular() && jsonObject(b) {
			continue
		}
		bad++
		c.bad(HopCache, file, Warning, cause.CacheBroken.About(file), func(context.Context) (string, error) {
			if !strings.HasPrefix(filepath.Clean(file), filepath.Clean(c.Dirs.State)) {
				return "", fmt.Errorf("%s is not in the state folder", file)
			}
			return "removed " + file, os.Remove(file)
		})
	}
	if bad == 0 {
		c.good(HopCache, "", "what handshakes are answered from is whole")
	}
}

// count is a number of things.
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
