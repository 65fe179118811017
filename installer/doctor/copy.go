package doctor

import (
	"context"
	"fmt"
	"os"

	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// installedCopy looks at the copy of this program that install makes, which
// manifests and agent hosts name.
func (c *checkup) installedCopy(ctx context.Context) {
	if c.Dirs.State == "" {
		return
	}
	file := c.Dirs.Binary()
	if file == c.Self || !exists(file) && installer.ReadLedger(c.Dirs.Installed()).Binary != file {
		return // it is looked at already; nothing was installed
	}
	// What is written anew names it, as install has it.
	c.Binary = file
	fault, runs := c.judgeCopy(ctx, file)
	if fault == "" {
		return
	}
	c.brokenCopy = file
	var fix func(context.Context) (string, error)
	if info, err := os.Stat(c.Self); err == nil && !info.IsDir() {
		fix = func(context.Context) (string, error) {
			// A folder in its place is none of ours.
			_, err := installer.CopyBinary(c.Self, file, false)
			return "copied this program to " + file, err
		}
	}
	c.bad(HopBinary, file, worse(!runs), cause.BinaryCopy.About(file, fault), fix)
}

// judgeCopy says what is wrong with it, and whether it runs all the same.
func (c *checkup) judgeCopy(ctx context.Context, file string) (fault string, runs bool) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "is missing", false
	case !info.Mode().IsRegular():
		return "is no file", false
	case c.Browsers.GOOS != "windows" && info.Mode().Perm()&0o100 == 0:
		return "may not be run", false
	}
	switch v, err := c.VersionOf(ctx, file); {
	case err != nil:
		return fmt.Sprintf("does not answer as sidekick-mcp (%v)", err), false
	case v != c.Version:
		return fmt.Sprintf("is %s, and this is %s", v, c.Version), true
	}
	return "", true
}

// hosts looks whether the programs are there that the agent hosts of the user
// are told to start.
func (c *checkup) hosts(context.Context) {
	system := hostconfig.System{GOOS: c.Browsers.GOOS, Home: c.Browsers.Home, Getenv: c.Browsers.Getenv, Exists: exists}
	for _, h := range hostconfig.Hosts() {
		file := system.UserFile(h)
		if h.Writable() != nil || file == "" {
			continue
		}
		entries, err := hostconfig.Entries(h, file)
		if err != nil {
			c.bad(HopHosts, h.Name, Warning, cause.HostUnreadable.About(h.Name, file, err.Error()), nil)
			continue
		}
		for _, s := range entries {
			program := s.Command[0]
			if !isAbs(c.Browsers.GOOS, program) {
				continue // where the host looks for it only the host knows
			}
			if c.mayRun(program) {
				c.good(HopHosts, h.Name, fmt.Sprintf("%s starts %s (%q in %s)", h.Name, program, s.Name, file))
				continue
			}
			why := cause.HostProgram.About(h.Name, file, program, fmt.Sprintf("sidekick-mcp config --host %s --write --name %s", h.ID, s.Name))
			if program == c.Dirs.Binary() {
				why.Mend = cause.BinaryCopy.Mend
			}
			c.bad(HopHosts, h.Name, Warning, why, nil)
		}
	}
}

// mayRun reports whether a program is there and may be run.
func (c *checkup) mayRun(program string) bool {
	info, err := os.Stat(program)
	return err == nil && info.Mode().IsRegular() && (c.Browsers.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}
