package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// loadBound is how long a branded browser may take from its start to having
// loaded the extension.
const loadBound = 15 * time.Second

// endBound is how long a browser that closed its pipe may take to end.
const endBound = 2 * time.Second

// wakeManaged starts the managed browser, or reaches the running one.
func (l *Launcher) wakeManaged(ctx context.Context, extra []string, connected <-chan struct{}) (tried []string, err error) {
	l.managed.Lock()
	defer l.managed.Unlock()
	s, err := readState(l.Dirs)
	if err != nil {
		return nil, err
	}
	if s.alive() {
		what, err := l.wakeOverPipe(ctx, s)
		if err != nil {
			what += fmt.Sprintf(" (%v)", err)
		}
		tried = append(tried, what)
		if err == nil && wait(ctx, connected, connectBound) {
			return tried, nil
		}
		what, err = l.openWakePage(ctx, candidate{exe: s.Exe, userDataDir: l.Dirs.ManagedProfile()}, extra, l.managedEnv(), connected)
		if err != nil {
			what += fmt.Sprintf(" (%v)", err)
		}
		tried = append(tried, what)
		// Whether the command failed says nothing of the browser.
		if wait(ctx, connected, connectBound) {
			return tried, nil
		}
		// It is ours, so it may be ended.
		tried = append(tried, "ending the managed browser, which did not answer")
		if err := s.stop(ctx, managedProcesses(l.Dirs)); err != nil {
			return tried, fmt.Errorf("ending the managed browser (process %d): %w", s.PID, err)
		}
	}
	what, err := l.startManaged(ctx, extra, connected)
	return append(tried, what), err
}

// wakeOverPipe has the running managed browser open the wake page, with no
// window coming forward. A headless one is reached in no other way: it takes no
// second command (exit status 21, its profile is in use).
func (l *Launcher) wakeOverPipe(ctx context.Context, s state) (what string, err error) {
	what = fmt.Sprintf("opening %s over the debugging pipe of %s", l.wakePage(), s.Exe)
	if l.pipe == nil || l.piped != s.process {
		l.dropPipe()
		if l.pipe, err = reopenDevtools(s.process); err != nil {
			return what, err
		}
		l.piped = s.process
	}
	ctx, cancel := context.WithTimeout(ctx, wakeCommandBound)
	defer cancel()
	if err := l.pipe.open(ctx, l.wakePage()); err != nil {
		l.dropPipe()
		return what, err
	}
	return what, nil
}

// dropPipe closes the managed browser's debugging pipe, which it does not mind.
func (l *Launcher) dropPipe() {
	if l.pipe != nil {
		l.pipe.close()
		l.pipe = nil
	}
}

// startManaged starts the managed browser with the extension in it. It returns
// when the browser has connected, when it seems to be on its way to that, or
// when it has ended.
func (l *Launcher) startManaged(ctx context.Context, extra []string, connected <-chan struct{}) (what string, err error) {
	exe, err := managedBrowser(ctx)
	if err != nil {
		return "looking for a browser to start", err
	}
	what = fmt.Sprintf("starting the managed browser %s (its output: %s)", exe, l.outputFile())
	if err := extract(l.Extension, l.Dirs.Extension()); err != nil {
		return what, err
	}
	if err := l.writeManifest(ctx); err != nil {
		return what, err
	}
	if err := allowDownloads(l.Dirs.ManagedProfile()); err != nil {
		l.Log.Warn("pages may begin one download each only", "error", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = l.managedEnv()
	cmd.SysProcAttr = detached()
	if err := os.MkdirAll(filepath.Dir(l.outputFile()), 0o700); err != nil {
		return what, fmt.Errorf("making the folder for the browser's output: %w", err)
	}
	output, err := os.OpenFile(l.outputFile(), os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return what, fmt.Errorf("making the file for the browser's output: %w", err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output

	branded := l.isBranded(exe)
	cmd.Args = append(cmd.Args, l.managedFlags(branded, extra)...)
	l.dropPipe()
	pipe, err := newDevtools(cmd)
	if err != nil {
		return what, err
	}
	exited, err := l.start(cmd)
	if err != nil {
		pipe.close()
		return what, cause.BrowserNoStart.About(exe, reason(err))
	}
	l.pipe = pipe
	ended := func(err error) error { return endedAtOnce(exe, err, l.lastOutput()) }
	p, err := processOf(cmd.Process.Pid)
	if err != nil {
		cmd.Process.Kill()
		return what, ended(<-exited)
	}
	if err := writeState(l.Dirs, state{p, exe}); err != nil {
		cmd.Process.Kill() // nobody would find it again
		return what, err
	}
	l.piped = p
	if err := pipe.started(); err != nil {
		return what, err
	}
	if branded {
		ctx, cancel := context.WithTimeout(ctx, loadBound)
		defer cancel()
		id, err := pipe.loadUnpacked(ctx, l.Dirs.Extension())
		if err != nil {
			// One that has crashed is about to be noticed: that says more.
			timer := time.NewTimer(endBound)
			defer timer.Stop()
			select {
			case err := <-exited:
				return what, ended(err)
			case <-timer.C:
			case <-ctx.Done():
			}
			p.stop(ctx, managedProcesses(l.Dirs))
			return what, err
		}
		if id != l.ExtensionID {
			return what, fmt.Errorf("the browser loaded the extension as %s, not as %s", id, l.ExtensionID)
		}
	}
	select {
	case err := <-exited:
		return what, ended(err)
	case <-connected:
	case <-ctx.Done():
	}
	return what, nil
}

// managedFlags are the managed browser's flags, and the page that it begins
// with: a window has to be there for the agents' tabs.
func (l *Launcher) managedFlags(branded bool, extra []string) []string {
	flags := []string{
		"--user-data-dir=" + l.Dirs.ManagedProfile(),
		"--no-first-run",
		"--no-default-browser-check",
		"--hide-crash-restore-bubble",
		"--remote-debugging-pipe",
	}
	if branded {
		flags = append(flags, "--enable-unsafe-extension-debugging")
	} else {
		flags = append(flags, "--load-extension="+l.Dirs.Extension(), "--disable-features=DisableLoadExtensionCommandLineSwitch")
	}
	return append(mergeFlags(append(flags, extra...)), "about:blank")
}

// managedEnv lets the native host that the managed browser starts find this
// helper, whatever the environment says.
func (l *Launcher) managedEnv() []string {
	return append(browserEnv(), "SIDEKICK_HOME="+l.Dirs.State, mark(l.Dirs))
}

// mark is in the environment of all processes of the managed browser.
func mark(dirs paths.Dirs) string { return ManagedProfileEnv + "=" + dirs.ManagedProfile() }

// managedProcesses are those processes of the managed browser that can be told
// by their mark: its crash handlers for instance, which are nobody's children.
func managedProcesses(dirs paths.Dirs) []process { return marked(mark(dirs)) }

// outputFile is where the managed browser's own output goes, beside the log.
func (l *Launcher) outputFile() string { return Output(l.Dirs) }

// Output is the file that the managed browser's own output goes to.
func Output(dirs paths.Dirs) string {
	return filepath.Join(filepath.Dir(dirs.Log()), "browser.log")
}

// lastOutput is the end of what the browser said, for an error's text, "" for
// nothing.
func (l *Launcher) lastOutput() string {
	b, err := os.ReadFile(l.outputFile())
	text := strings.TrimSpace(string(b))
	if err != nil || text == "" {
		return ""
	}
	const enough = 600
	if len(text) > enough {
		text = "…" + strings.ToValidUTF8(text[len(text)-enough:], "")
	}
	return text
}

// Running reports whether the target's browser seems to run, so that its
// extension may connect by itself.
func (l *Launcher) Running(ctx context.Context, t Target) bool {
	if t.Managed {
		s, err := readState(l.Dirs)
		return err == nil && s.alive()
	}
	candidates, err := l.candidates(ctx, t)
	if err != nil {
		return false
	}
	for _, c := range candidates {
		dir := c.userDataDir
		if b, ok := browsers.Identify(c.exe); dir == "" && ok && len(b.UserDataDirs) > 0 {
			dir = b.UserDataDirs[0]
		}
		if dir != "" && inUse(dir) {
			return true
		}
	}
	return false
}

// StopManaged ends the managed browser and waits for its end.
func (l *Launcher) StopManaged(ctx context.Context) error {
	l.managed.Lock()
	defer l.managed.Unlock()
	defer l.dropPipe()
	return StopManaged(ctx, l.Dirs)
}

// StopManaged ends the managed browser that a helper has started, whether that
// helper still runs or not, and waits for its end.
func StopManaged(ctx context.Context, dirs paths.Dirs) error {
	s, err := readState(dirs)
	if err != nil {
		return err
	}
	if err := s.stop(ctx, managedProcesses(dirs)); err != nil {
		return fmt.Errorf("the managed browser (process %d) does not end: %w", s.PID, err)
	}
	return removeState(dirs)
}

// closeBound is how long a browser may take to hear that it is to close.
const closeBound = time.Second

// closeOverPipe tells a browser to close without its pages being asked whether
// they may be left (CDP Browser.close). A signal has them asked, and a question
// that nobody answers keeps the browser until it is killed, with its temporary
// folder left behind. It reports whether the browser heard.
func (p process) closeOverPipe(ctx context.Context) bool {
	d, err := reopenDevtools(p)
	if err != nil {
		return false
	}
	defer d.close()
	ctx, cancel := context.WithTimeout(ctx, closeBound)
	defer cancel()
	return d.call(ctx, "Browser.close", struct{}{}, new(struct{})) == nil
}
