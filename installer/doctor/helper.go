package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// helperBound is how long a helper may take to answer before it counts as
// hung: it answers within milliseconds.
const helperBound = 3 * time.Second

// helper looks for the helper by its socket, asks it how it is, and looks for
// more than one.
func (c *checkup) helper(ctx context.Context) {
	socket := c.Dirs.Socket()
	if info, err := os.Lstat(socket); err == nil && runtime.GOOS != "windows" {
		switch {
		case info.Mode().Type() != fs.ModeSocket:
			c.inTheWay(socket, info)
			return
		case !ownedByUs(info):
			c.bad(HopHelper, socket, Failed, cause.SocketForeign.About(socket, ownerOf(info)), nil)
			return
		}
	}
	pid, err := c.askHelper(ctx)
	running, known := helpers(c.Dirs)
	switch {
	case err == nil:
		c.answering(pid, running)
	case errors.Is(err, helper.ErrNotRunning):
		c.noHelper(socket, running, known)
	case pid > 0:
		c.hung(pid, err)
	default:
		c.bad(HopHelper, socket, Failed, cause.HelperLast.About(err.Error()), nil)
	}
}

// askHelper fills in c.status. pid is the process at the other end of the
// socket as the system tells it, 0 if it does not.
func (c *checkup) askHelper(ctx context.Context) (pid int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, helperBound, fmt.Errorf("no answer within %v", helperBound))
	defer cancel()
	conn, err := ipc.Dial(ctx, c.Dirs)
	if err != nil {
		if ipc.NotRunning(err) {
			err = helper.ErrNotRunning
		}
		return 0, err
	}
	pid = conn.PeerPID()
	conn.Close()
	s, err := helper.Status(ctx, c.Dirs)
	if err != nil {
		return pid, err
	}
	c.status = &s
	return s.PID, nil
}

func (c *checkup) answering(pid int, running []int) {
	for _, other := range running {
		if other != pid {
			c.bad(HopHelper, "", Failed, cause.HelperTwo.About(fmt.Sprintf("process %d", pid), fmt.Sprintf("process %d", other)), func(ctx context.Context) (string, error) {
				// By force: one of an older version would take the socket of the
				// other with it.
				return fmt.Sprintf("ended the left-over helper (process %d)", other), endLeftOver(ctx, c.Dirs, other)
			})
			return
		}
	}
	if c.status.Version != c.Version {
		c.otherVersion()
		return
	}
	c.good(HopHelper, "", fmt.Sprintf("helper %s answers (process %d, %s, %s)", c.status.Version, pid,
		count(len(c.status.Agents), "agent"), count(len(c.status.Browsers), "browser")))
}

func (c *checkup) noHelper(socket string, running []int, known bool) {
	if known && len(running) > 0 {
		// It has lost its socket: whoever dials starts another one.
		old := running[0]
		c.bad(HopHelper, "", Failed, cause.HelperHung.About(fmt.Sprintf(" (process %d)", old), "its socket is gone"), func(ctx context.Context) (string, error) {
			return fmt.Sprintf("ended the helper that had lost its socket (process %d)", old), EndHelper(ctx, c.Dirs, old)
		})
		return
	}
	if _, err := os.Lstat(socket); err == nil && runtime.GOOS != "windows" {
		c.bad(HopHelper, socket, Warning, cause.SocketStale.About(socket), func(context.Context) (string, error) {
			return "removed " + socket, removeStale(socket)
		})
		return
	}
	c.good(HopHelper, "", "no helper runs; it is started when an agent or a browser needs it")
}

func (c *checkup) hung(pid int, err error) {
	c.bad(HopHelper, "", Failed, cause.HelperHung.About(fmt.Sprintf(" (process %d)", pid), err.Error()), func(ctx context.Context) (string, error) {
		if err := EndHelper(ctx, c.Dirs, pid); err != nil {
			return "", err
		}
		if err := ipc.CleanUp(c.Dirs); err != nil {
			return "", err
		}
		did := fmt.Sprintf("ended the helper that hung (process %d)", pid)
		if err := c.Start(ctx); err != nil {
			return did, err
		}
		conn, err := ipc.DialOrStart(ctx, c.Dirs, func(context.Context) error { return nil })
		if err != nil {
			return did, err
		}
		return did + " and started another", conn.Close()
	})
}

// inTheWay is about what has the socket's place and is none. An empty folder and
// a file are worth nothing there, and Sidekick's folder is its own; whatever
// else it is, somebody has put it there with something in mind.
func (c *checkup) inTheWay(socket string, info fs.FileInfo) {
	why := cause.SocketInTheWay.About(socket)
	fix := func(ctx context.Context) (string, error) {
		now, err := os.Lstat(socket)
		if err != nil {
			return "", err
		}
		if !os.SameFile(info, now) {
			return "", fmt.Errorf("%s is another thing now; it is let alone", socket)
		}
		if err := os.Remove(socket); err != nil {
			return "", err
		}
		did := "removed " + socket
		// A helper whose place this was is never found again.
		running, _ := helpers(c.Dirs)
		for _, pid := range running {
			if err := EndHelper(ctx, c.Dirs, pid); err != nil {
				return did, err
			}
			did += fmt.Sprintf(" and ended the helper that had lost it (process %d)", pid)
		}
		return did, nil
	}
	removable := info.Mode().IsRegular()
	if info.IsDir() {
		in, err := os.ReadDir(socket)
		removable = err == nil && len(in) == 0
	}
	if !removable || !ownedByUs(info) {
		why.Mend, fix = "move it away", nil
	}
	c.bad(HopHelper, socket, Failed, why, fix)
}

// removeStale removes a socket of ours that nobody listens on. The helper's
// lock is not there any more, or nobody holds it: ipc.CleanUp looks at that.
func removeStale(socket string) error {
	info, err := os.Lstat(socket)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket || !ownedByUs(info) {
		return fmt.Errorf("%s is no socket of this user", socket)
	}
	return os.Remove(socket)
}

// The bounds of ending a helper: what it may take by itself, and then by force.
const (
	politeBound = 2 * time.Second
	forceBound  = 3 * time.Second
)

// end ends a helper of ours, by force if it does not listen.
func end(ctx context.Context, pid int) error {
	if err := terminate(pid); err != nil {
		return err
	}
	polite, cancel := context.WithTimeout(ctx, politeBound)
	defer cancel()
	if launch.WaitGone(polite, pid) == nil {
		return nil
	}
	return force(ctx, pid)
}

// force ends a process and waits for its end.
func force(ctx context.Context, pid int) error {
	if err := kill(pid); err != nil {
		return err
	}
	force, cancel := context.WithTimeout(ctx, forceBound)
	defer cancel()
	if err := launch.WaitGone(force, pid); err != nil {
		return fmt.Errorf("the helper (process %d) does not end", pid)
	}
	return nil
}

// EndHelper ends a helper of a state folder, by force if it does not listen. It
// returns an error for a process that is none, or that does not end.
func EndHelper(ctx context.Context, dirs paths.Dirs, pid int) error {
	if err := surely(dirs, pid); err != nil {
		return err
	}
	return end(ctx, pid)
}

// endLeftOver is EndHelper without asking first.
func endLeftOver(ctx context.Context, dirs paths.Dirs, pid int) error {
	if err := surely(dirs, pid); err != nil {
		return err
	}
	return force(ctx, pid)
}
