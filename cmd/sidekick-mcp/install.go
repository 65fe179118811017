package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/installer/userservice"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

type installOptions struct {
	all, noService, noOpen, dryRun, json bool
}

func newInstallCommand() *cobra.Command {
	var o installOptions
	c := &cobra.Command{
		Use:   "install",
		Short: "Install Sidekick for your browsers, or a new version of it",
		Long: "install copies this program to a folder of yours where it stays, tells each browser of the\n" +
			"Chromium family that is here where it is, unpacks the extension, and has your system start\n" +
			"Sidekick's helper at login. It needs no administrator's rights, and doing it again does no\n" +
			"harm: a new version takes the old one's place while agents are at work.\n\n" +
			"\"sidekick-mcp uninstall\" takes all of it back.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := newReport(o.dryRun, wording{"wrote", "would write", "nothing to do"})
			err := install(cmd.Context(), o, r)
			return r.print(cmd.OutOrStdout(), o.json, err)
		},
	}
	c.Flags().BoolVar(&o.all, "all", false, "also for the browsers that are not here yet")
	c.Flags().BoolVar(&o.noService, "no-service", false, "do not start the helper at login; it is then started when it is needed")
	c.Flags().BoolVar(&o.noOpen, "no-open", false, "do not open the browser with what is left to do")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "change nothing, and say what would be changed")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// install goes through the steps. What can be done without a step that failed
// is done; the errors come joined.
func install(ctx context.Context, o installOptions, r *report) error {
	dirs, err := paths.Default()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program's own file: %w", err)
	}
	env, err := browsers.HostEnv()
	if err != nil {
		return err
	}
	r.whose(env.Home)
	ledger := installer.ReadLedger(dirs.Installed())
	if !o.dryRun {
		ledger.Note(dirs.State)
		if err := dirs.Ensure(); err != nil {
			return err
		}
	}

	// The rest names this copy.
	binary := dirs.Binary()
	c, err := installer.CopyBinary(self, binary, o.dryRun)
	if err != nil {
		return err
	}
	r.add(c)
	errs := []error{
		r.unpack(dirs, o.dryRun),
		r.manifests(ctx, installer.Options{
			Binary: binary, ExtensionID: extension.ID, Env: env, StateDir: dirs.State,
			DryRun: o.dryRun, All: o.all, Ledger: ledger,
		}),
	}
	if !o.dryRun {
		ledger.Version, ledger.Binary = version(), binary
		// Before the helper: whoever starts it next takes the new one.
		errs = append(errs, helper.PreferBinary(dirs, version(), binary))
	}
	if o.noService {
		r.note("The helper is not started at login. It is started when an agent or a browser needs it.")
		if !o.dryRun {
			_, err := r.makeWay(ctx, dirs, c.Done)
			errs = append(errs, err)
		}
	} else {
		errs = append(errs, r.service(ctx, dirs, ledger, c.Done))
	}
	if !o.dryRun {
		errs = append(errs, ledger.Write(dirs.Installed()))
	}
	if name := typed(dirs); name != "sidekick-mcp" && !o.dryRun {
		r.note("Where Sidekick's texts say sidekick-mcp, type %s", name)
	}
	errs = append(errs, r.leftToDo(ctx, dirs, env, o))
	return errors.Join(errs...)
}

// whose says whose home it is where that may be a mistake.
func (r *report) whose(home string) {
	if user := os.Getenv("SUDO_USER"); user != "" && user != "root" && os.Geteuid() == 0 {
		r.note("This is for root (%s), because of sudo. Sidekick needs no administrator's rights: for %s, run it again without sudo.", home, user)
	}
}

// unpack puts the extension where the browser loads it from.
func (r *report) unpack(dirs paths.Dirs, dryRun bool) error {
	c := installer.Change{Kind: installer.KindExtension, Place: dirs.Extension()}
	var err error
	if dryRun {
		var right bool
		right, err = launch.Unpacked(extension.FS, c.Place)
		c.Done = !right
	} else {
		c.Done, err = launch.Unpack(extension.FS, c.Place)
	}
	if err == nil {
		r.add(c)
	}
	return err
}

// manifests tells the browsers.
func (r *report) manifests(ctx context.Context, opts installer.Options) error {
	changes, err := installer.Install(ctx, opts)
	r.add(changes...)
	for _, name := range installer.Confined(opts.Env) {
		r.note("%s runs in a sandbox that lets it start no program of yours, so it cannot reach Sidekick. Use another browser, or Sidekick's own: sidekick-mcp pair --name NAME --managed", name)
	}
	if errors.Is(err, browsers.ErrNoBrowser) {
		return errors.New("no browser of the Chromium family was found that can reach Sidekick: install one and run this again, or use --all to be ready for each")
	}
	return err
}

// makeWayBound is how long install waits for the old helper's agents to be
// between two calls. One that has to be waited for longer makes way later.
const makeWayBound = 10 * time.Second

// place is what is in the helper's place after an old one was asked to make way.
type place int

const (
	placeFree  place = iota // nobody
	placeTaken              // this very version
	placeBusy               // the old one, until its agents are between two calls
)

// makeWay has a running helper of another build end when its agents are between
// two calls. fresh is whether one of this version counts as another build, too.
func (r *report) makeWay(ctx context.Context, dirs paths.Dirs, fresh bool) (place, error) {
	ask, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	status, err := helper.Status(ask, dirs)
	switch {
	case errors.Is(err, helper.ErrNotRunning):
		return placeFree, nil
	case err == nil && !fresh && status.Version == version():
		return placeTaken, nil
	case err == nil:
		wait, cancel := context.WithTimeout(ctx, makeWayBound)
		defer cancel()
		err = helper.TakeOver(wait, dirs, "")
		if wait.Err() != nil {
			r.note("Sidekick %s still runs: agents are at work. It makes way for this version when their calls have ended.", status.Version)
			return placeBusy, ctx.Err()
		}
	}
	if err != nil {
		return placeBusy, fmt.Errorf("the running helper could not be asked to make way (%w): run \"sidekick-mcp stop\"", err)
	}
	r.note("Sidekick %s has made way for this version; its agents go on with it.", status.Version)
	return placeFree, nil
}

// service makes the helper a service of the user's. Where that cannot be it is
// no error. fresh is whether the program in its place is another than before.
func (r *report) service(ctx context.Context, dirs paths.Dirs, ledger *installer.Ledger, fresh bool) error {
	s, err := userservice.Open(ctx, serviceConfig(dirs, dirs.Binary()))
	if errors.Is(err, userservice.ErrNoManager) {
		r.note("The helper is not started at login: %v. It is started when an agent or a browser needs it.", err)
		if !r.dryRun {
			_, err := r.makeWay(ctx, dirs, fresh)
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	there, right, err := s.Installed()
	if err != nil {
		return err
	}
	c := installer.Change{Kind: installer.KindService, Place: s.Place, Done: !right}
	if r.dryRun {
		r.add(c)
		return nil
	}
	// To replace a service ends what it runs.
	at, err := r.makeWay(ctx, dirs, fresh || there && !right)
	switch {
	case err != nil:
		return err
	case right && at == placeFree:
		err = s.Restart()
	case right:
		// Whoever is next in that place is this version, by login or on demand.
	case there && at == placeBusy:
		r.note("The service is not changed yet: run \"sidekick-mcp install\" again when no agent is at work.")
		return nil
	default:
		for _, dir := range s.Dirs {
			ledger.Note(dir)
		}
		err = s.Install(ctx)
	}
	if err != nil {
		return fmt.Errorf("the helper could not be made a service (%w): it is started when an agent or a browser needs it; --no-service leaves this out", err)
	}
	r.add(c)
	return nil
}

func serviceConfig(dirs paths.Dirs, binary string) userservice.Config {
	return userservice.Config{Binary: binary, Home: os.Getenv("SIDEKICK_HOME"), LogDir: filepath.Dir(dirs.Log())}
}

// leftToDo says what only the user can do, and opens the browser for it.
func (r *report) leftToDo(ctx context.Context, dirs paths.Dirs, env browsers.Env, o installOptions) error {
	b, exe, ok := installer.ToOpen(env)
	if !ok {
		return nil
	}
	if found, err := browsers.ProfilesWith(ctx, extension.ID); err == nil && len(found) > 0 {
		var names []string
		for _, f := range found {
			names = append(names, fmt.Sprintf("%s (%s)", f.Browser.Name, filepath.Join(f.UserDataDir, f.ProfileDir)))
		}
		r.note("The extension is in %s. If it was loaded from a folder, it takes a new version when the browser starts the next time, or with the button to reload it at chrome://extensions.", strings.Join(names, ", "))
		return nil
	}
	r.next = fmt.Sprintf("One step is left: open chrome://extensions in %s, turn on Developer mode, press “Load unpacked” and choose %s", b.Name, dirs.Extension())
	if o.dryRun || o.noOpen || !launch.HasDisplay() {
		return nil
	}
	page, err := installer.WriteWelcome(dirs.State, dirs.Extension())
	if err != nil {
		return fmt.Errorf("writing the page that says what is left: %w", err)
	}
	if err := launch.OpenPage(exe, page); err != nil {
		r.note("The browser could not be opened: %v", err)
	}
	return nil
}
