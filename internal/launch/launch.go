// Package launch starts browsers: Sidekick's own managed one, with the
// extension in it, and the user's, on the extension's wake page. What it starts
// outlives this process; the managed browser is found again and ended through a
// state file.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// ManagedProfileEnv names the environment variable by which the native host of
// the managed browser learns whose it is, on systems where it cannot read its
// parent's command line.
const ManagedProfileEnv = "SIDEKICK_MANAGED_PROFILE"

// Target is the browser that an agent needs.
type Target struct {
	// Managed is Sidekick's own browser; nothing else is set then.
	Managed bool
	// Profile is the extension's id of the profile; empty is any profile that
	// has the extension.
	Profile string
	// Browser is the executable that the profile was connected from last,
	// UserDataDir the folder of its profiles and ProfileDir the profile's own
	// in it; each is empty if it is not known.
	Browser, UserDataDir, ProfileDir string
}

// Launcher starts browsers. Its methods may be called by any number of
// goroutines.
type Launcher struct {
	Dirs        paths.Dirs // whose managed browser it is
	Self        string     // this program's executable, for the managed browser to start as its native host
	Extension   fs.FS      // the extension's files
	ExtensionID string
	Log         *slog.Logger

	// isBranded reports whether an executable ignores --load-extension; tests
	// make Chromium go the other browsers' way.
	isBranded func(exe string) bool

	managed sync.Mutex // held while the managed browser is started, woken or ended
	// pipe is the debugging pipe of the managed browser that piped names, nil
	// if it is not open here. managed guards both.
	pipe  *devtools
	piped process

	reaping sync.WaitGroup // one for each child that runs
}

// New makes a launcher for this user. self is this program's executable.
func New(dirs paths.Dirs, self string, log *slog.Logger) *Launcher {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Launcher{Dirs: dirs, Self: self, Log: log, Extension: extension.FS, ExtensionID: extension.ID, isBranded: browsers.IsBranded}
}

// Bounds of single steps of a wake.
const (
	// connectBound is how long a browser may take to connect before the next
	// thing is tried.
	connectBound = 6 * time.Second
	// wakeCommandBound is how long the command that reaches a running browser
	// may take. When it takes longer it has become the browser itself.
	wakeCommandBound = 3 * time.Second
)

// Wake makes the target's browser connect: it starts the browser, or has a
// running one open the wake page. connected is closed when the browser has
// connected: there is nothing more to try then. tried says what it did, each a phrase such as "starting /usr/bin/chromium".
func (l *Launcher) Wake(ctx context.Context, t Target, connected <-chan struct{}) (tried []string, err error) {
	args, err := browserArgs()
	if err != nil {
		return nil, err
	}
	if t.Managed {
		return l.wakeManaged(ctx, args, connected)
	}
	candidates, err := l.candidates(ctx, t)
	if err != nil {
		return nil, err
	}
	var errs []error
	for i, c := range candidates {
		what, err := l.openWakePage(ctx, c, args, browserEnv(), connected)
		tried = append(tried, what)
		if err != nil {
			errs = append(errs, err)
		}
		if err != nil || i == len(candidates)-1 {
			continue
		}
		if wait(ctx, connected, connectBound) {
			return tried, nil
		}
	}
	if len(errs) == len(candidates) {
		return tried, errors.Join(errs...)
	}
	return tried, nil
}

// wait reports whether there is nothing more to do: the browser connected, or
// ctx is done. It returns false after d.
func wait(ctx context.Context, connected <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-connected:
		return true
	case <-ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}

// wakePage is the extension's page that starts its worker and closes itself.
func (l *Launcher) wakePage() string {
	return "chrome-extension://" + l.ExtensionID + "/wake.html"
}

// candidate is a profile that may be the one that is looked for.
type candidate struct {
	exe         string
	userDataDir string // empty is the browser's own default
	profileDir  string // empty is the profile that the browser opens by itself
}

func (c candidate) String() string {
	s := c.exe
	if c.userDataDir != "" {
		s += " --user-data-dir=" + c.userDataDir
	}
	if c.profileDir != "" {
		s += " --profile-directory=" + c.profileDir
	}
	return s
}

// openWakePage runs a browser on the wake page. A running browser opens it in
// itself and the command ends; otherwise the command becomes the browser.
func (l *Launcher) openWakePage(ctx context.Context, c candidate, extra, env []string, connected <-chan struct{}) (what string, err error) {
	what = fmt.Sprintf("opening %s with %s", l.wakePage(), c)
	var args []string
	if c.userDataDir != "" {
		args = append(args, "--user-data-dir="+c.userDataDir)
	}
	if c.profileDir != "" {
		args = append(args, "--profile-directory="+c.profileDir)
	}
	args = append(args, extra...)
	cmd := exec.Command(c.exe, append(mergeFlags(args), l.wakePage())...)
	cmd.Env = env
	cmd.SysProcAttr = detached()
	exited, err := l.start(cmd)
	if err != nil {
		return what, cause.BrowserNoStart.About(c.exe, reason(err))
	}
	timer := time.NewTimer(wakeCommandBound)
	defer timer.Stop()
	select {
	case err := <-exited:
		if err != nil {
			return what, endedAtOnce(c.exe, err, "")
		}
	case <-connected:
	case <-ctx.Done():
	case <-timer.C:
	}
	return what, nil
}

// start starts cmd and reaps it when it ends, which is then told on the
// channel.
func (l *Launcher) start(cmd *exec.Cmd) (<-chan error, error) {
	inScope(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l.Log.Info("started a browser", "exe", cmd.Path, "args", cmd.Args[1:], "pid", cmd.Process.Pid)
	exited := make(chan error, 1)
	l.reaping.Go(func() {
		err := cmd.Wait()
		l.Log.Info("a browser that was started has ended", "pid", cmd.Process.Pid, "state", cmd.ProcessState.String())
		exited <- err
	})
	return exited, nil
}

// Wait waits for the end of all browsers that were started here and run still.
func (l *Launcher) Wait() { l.reaping.Wait() }

// browserArgs are the flags that the user gives to every browser that is
// started.
func browserArgs() ([]string, error) {
	return Args(os.Getenv("SIDEKICK_BROWSER_ARGS"))
}

// Args reads a value of SIDEKICK_BROWSER_ARGS. The error is a
// [cause.BrowserArgs].
func Args(value string) ([]string, error) {
	args, err := splitArgs(value)
	if err != nil {
		return nil, cause.BrowserArgs.About(err.Error())
	}
	return args, nil
}

// rootRefused is what Chromium says as it ends for root, unless it is told to
// leave its sandbox out.
const rootRefused = "without --no-sandbox is not supported"

// endedAtOnce is the cause that a browser ended with err, nil for none, having
// said something.
func endedAtOnce(exe string, err error, said string) error {
	if strings.Contains(said, rootRefused) {
		return cause.BrowserRoot.About(exe)
	}
	how := "without an error, as no browser does"
	if err != nil {
		how = "with " + err.Error()
	}
	if said != "" {
		how += "; it said: " + said
	}
	return cause.BrowserEnded.About(exe, how)
}

// reason is the system's own word of why a program cannot be started.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// browserEnv is the environment of a browser.
func browserEnv() []string { return withDisplay(ipc.HelperEnv(os.Environ())) }
