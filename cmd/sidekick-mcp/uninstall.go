package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/installer/userservice"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

type uninstallOptions struct {
	yes, keepPairings, dryRun, json bool
}

func newUninstallCommand() *cobra.Command {
	var o uninstallOptions
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove Sidekick from this computer",
		Long: "uninstall stops Sidekick and its managed browser, and removes the service, the browsers'\n" +
			"manifests, the program that install has copied, the unpacked extension, the managed\n" +
			"browser's profile, all pairings, what the system's keyring holds for Sidekick, and its\n" +
			"entries in your agent hosts' configurations; all else in those files stays as it is. It\n" +
			"asks first. A project's files and a frogbot.config.ts you look after yourself, and the\n" +
			"extension in your own browser you remove at chrome://extensions.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.yes && !o.dryRun {
				switch ok, err := confirmUninstall(cmd.ErrOrStderr(), o); {
				case err != nil:
					return err
				case !ok:
					return errors.New("nothing was removed")
				}
			}
			r := newReport(o.dryRun, wording{"removed", "would remove", "nothing to remove"})
			err := uninstall(cmd.Context(), o, r)
			return r.print(cmd.OutOrStdout(), o.json, err)
		},
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&o.keepPairings, "keep-pairings", false, "keep the pairings and the agent hosts' configurations, so that all is good again after a new installation")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "change nothing, and say what would be removed")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// confirmUninstall asks the user.
func confirmUninstall(out io.Writer, o uninstallOptions) (bool, error) {
	if !isTerminal(os.Stdin) {
		return false, errors.New("uninstall asks before it removes anything, and there is nobody to ask: run it in a terminal, or with --yes")
	}
	what := "all pairings, the managed browser's profile, and the entries in your agent hosts' configurations included"
	if o.keepPairings {
		what = "the managed browser's profile included, but not the pairings and your agent hosts' configurations"
	}
	fmt.Fprintf(out, "Remove Sidekick from this computer, %s? [y/N] ", what)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// uninstall goes through the steps in the order in which nothing that is gone
// is missed by what still runs. It goes on after an error.
func uninstall(ctx context.Context, o uninstallOptions, r *report) error {
	dirs, err := paths.Default()
	if err != nil {
		return err
	}
	env, err := browsers.HostEnv()
	if err != nil {
		return err
	}
	ledger := installer.ReadLedger(dirs.Installed())
	errs := []error{r.removeService(ctx, dirs, o.dryRun)}
	if !o.dryRun {
		if err := endAll(ctx, dirs); err != nil {
			// What runs would put back what is removed.
			return errors.Join(append(errs, err)...)
		}
	}
	if !o.keepPairings {
		// A token without its pairing is of no use.
		errs = append(errs, r.leaveHosts(o.dryRun), r.forgetSecrets(ctx, dirs, o.dryRun))
	}
	self, err := os.Executable()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	changes, err := installer.Uninstall(ctx, installer.Options{
		Binary: self, ExtensionID: extension.ID, Env: env, StateDir: dirs.State, DryRun: o.dryRun,
	})
	r.add(changes...)
	errs = append(errs, err)
	changes, err = installer.RemoveState(dirs, o.keepPairings, os.Getenv("SIDEKICK_HOME") != "", o.dryRun)
	r.add(changes...)
	errs = append(errs, err)
	if !o.dryRun {
		ledger.RemoveDirs()
	}
	if found, err := browsers.ProfilesWith(ctx, extension.ID); err == nil && len(found) > 0 {
		r.next = "One step is left: remove the extension at chrome://extensions in " + found[0].Browser.Name
	}
	return errors.Join(errs...)
}

// removeService takes the service away, also where no manager answers.
func (r *report) removeService(ctx context.Context, dirs paths.Dirs, dryRun bool) error {
	s, err := userservice.Open(ctx, serviceConfig(dirs, dirs.Binary()))
	if err != nil && !errors.Is(err, userservice.ErrNoManager) {
		return err
	}
	there, _, err := s.Installed()
	if err != nil || !there {
		return err
	}
	if !dryRun {
		if err := s.Remove(ctx); err != nil {
			return fmt.Errorf("the service cannot be removed: %w", err)
		}
	}
	r.add(installer.Change{Kind: installer.KindService, Place: s.Place, Done: true})
	return nil
}

// hostsBound is how long the browsers' native hosts may take to end after the
// helper: their extension is told to be quiet, and closes them.
const hostsBound = 8 * time.Second

// endAll ends the helper, the managed browser, and the native hosts, which
// would start a helper again.
func endAll(ctx context.Context, dirs paths.Dirs) error {
	if _, err := os.Stat(dirs.Run); err != nil {
		return nil // nothing has ever run, and asking would make the folder
	}
	ask, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	status, err := helper.Status(ask, dirs)
	if err != nil && !errors.Is(err, helper.ErrNotRunning) {
		return fmt.Errorf("asking the helper who is connected: %w", err)
	}
	stop, cancel := context.WithTimeout(ctx, stopBound)
	defer cancel()
	if err := helper.Stop(stop, dirs); err != nil && !errors.Is(err, helper.ErrNotRunning) {
		return fmt.Errorf("stopping Sidekick: %w", err)
	}
	hosts, cancel := context.WithTimeout(ctx, hostsBound)
	defer cancel()
	for _, b := range status.Browsers {
		if err := launch.WaitGone(hosts, b.PID); err != nil {
			return fmt.Errorf("the browser %s does not let go of Sidekick's program (process %d): close it and try again", b.Browser, b.PID)
		}
	}
	return nil
}

// leaveHosts takes Sidekick out of the agent hosts' configurations.
func (r *report) leaveHosts(dryRun bool) error {
	system, err := hostconfig.ThisSystem()
	if err != nil {
		return err
	}
	var errs []error
	for _, h := range hostconfig.Hosts() {
		if h.Writable() != nil {
			continue
		}
		taken, err := hostconfig.TakeOut(h, system.UserFile(h), os.Getenv("SIDEKICK_HOME"), dryRun)
		for _, c := range taken {
			r.add(installer.Change{
				Kind: installer.KindConfig, Place: c.File, Host: h.Name, Entry: c.Name,
				Gone: c.Deletes(), Backup: c.Backup, Done: true,
			})
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the configuration of %s: %w", h.Name, err))
		}
	}
	return errors.Join(errs...)
}

// forgetSecrets empties the keyring of what is ours.
func (r *report) forgetSecrets(ctx context.Context, dirs paths.Dirs, dryRun bool) error {
	if _, err := os.Stat(dirs.State); err != nil {
		return nil
	}
	store := pairing.Open(dirs.Pairings())
	n, err := pairing.OpenSecrets(store, dirs.KeyFile()).ForgetAll(ctx, dryRun)
	if n > 0 {
		r.add(installer.Change{Kind: installer.KindKeyring, Place: fmt.Sprintf("%d of Sidekick's secrets in the keyring", n), Done: true})
	}
	return err
}
