package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

type configOptions struct {
	host, name, pairing                string
	project, write, remove, dryRun     bool
	keyring, managed, stdin, npx, json bool
}

func newConfigCommand() *cobra.Command {
	var o configOptions
	c := &cobra.Command{
		Use:   "config --host HOST",
		Short: "Set up an agent host: print its configuration, or write it",
		Long: "config prints what to put into an agent host's configuration. With --write it puts it there,\n" +
			"and with --remove it takes it out again; everything else in the file stays as it is, byte\n" +
			"for byte. An entry that is there already keeps what it says besides the command and the\n" +
			"token. The file as it was is kept beside it, with \"" + hostconfig.BackupSuffix + "\" after its name.\n\n" +
			"The hosts: " + hostIDs() + ".\n\n" +
			"The token is that in the environment variable SIDEKICK_TOKEN (or keyring:NAME, for one in\n" +
			"the keyring), the line on stdin with --token-stdin, or with --pairing NAME a new one, which\n" +
			"nobody has to copy. Without any, --write keeps the one in the file. With --project the file\n" +
			"of the project in this folder is meant. Others see that, so it only refers to\n" +
			"SIDEKICK_TOKEN, or has VS Code ask for the token.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := o.check()
			if err != nil {
				return &usageError{cmd, err}
			}
			return config(cmd, h, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.host, "host", "", "the agent host, such as claude-code")
	f.StringVar(&o.name, "name", hostconfig.DefaultName, "what to call Sidekick in the host's list of servers")
	f.BoolVar(&o.project, "project", false, "the file of the project in this folder, not that of your own settings")
	f.BoolVar(&o.write, "write", false, "add it to the host's file")
	f.BoolVar(&o.remove, "remove", false, "take it out of the host's file")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing, and show what would be changed")
	f.StringVar(&o.pairing, "pairing", "", "with --write: make a pairing of this name, and write its token")
	f.BoolVar(&o.keyring, "keyring", false, "with --pairing: keep the token in the system's keyring, so that no file holds it")
	f.BoolVar(&o.managed, "managed", false, "with --pairing: use a browser profile of Sidekick's own")
	f.BoolVar(&o.stdin, "token-stdin", false, "read the token from stdin")
	f.BoolVar(&o.npx, "npx", false, "have the host run npx "+hostconfig.Launcher+" instead of this program")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func hostIDs() string {
	var ids []string
	for _, h := range hostconfig.Hosts() {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, ", ")
}

// check finds what is wrong with the command line by itself.
func (o *configOptions) check() (hostconfig.Host, error) {
	if o.host == "" {
		return hostconfig.Host{}, errors.New("--host HOST is missing: it is one of " + hostIDs())
	}
	h, err := hostconfig.ByID(o.host)
	if err != nil {
		return h, err
	}
	if o.project {
		err = h.CheckProject()
	}
	switch {
	case err != nil:
	case o.write && o.remove:
		err = errors.New("--write and --remove exclude each other")
	case o.dryRun && !o.write && !o.remove:
		err = errors.New("--dry-run needs --write or --remove")
	case o.write || o.remove:
		err = h.Writable()
	}
	switch {
	case err != nil:
	case o.pairing != "" && !o.write:
		err = errors.New("--pairing needs --write, since the token is written and not shown; \"sidekick-mcp pair --name NAME\" shows one")
	case o.pairing != "" && o.project:
		err = errors.New("a project's file holds no token: make one with \"sidekick-mcp pair --name NAME\", and leave out --pairing")
	case (o.keyring || o.managed) && o.pairing == "":
		err = errors.New("--keyring and --managed are about the pairing that --pairing NAME makes")
	case o.stdin && (o.pairing != "" || o.project || o.remove):
		err = errors.New("--token-stdin does not go with --pairing, --project or --remove")
	default:
		err = hostconfig.CheckName(o.name)
	}
	return h, err
}

// configured is what config --json prints. It never holds a token but in the
// snippet, which is there to be pasted.
type configured struct {
	Host    string            `json:"host"`
	Name    string            `json:"name"`
	File    string            `json:"file,omitempty"` // not of a host without one
	Action  hostconfig.Action `json:"action"`
	DryRun  bool              `json:"dry_run"`
	Snippet string            `json:"snippet,omitempty"`
	Backup  string            `json:"backup,omitempty"`
	Deleted bool              `json:"deleted,omitempty"` // the file itself is gone
	Diff    string            `json:"diff,omitempty"`    // of a dry run
	Pairing string            `json:"pairing,omitempty"` // the id of the one that was made
	Notes   []string          `json:"notes"`
	program string            // as one types it
}

// printed is the action of a command that changes nothing.
const printed hostconfig.Action = "printed"

func config(cmd *cobra.Command, h hostconfig.Host, o configOptions) error {
	system, err := hostconfig.ThisSystem()
	if err != nil {
		return err
	}
	file := system.UserFile(h)
	if o.project {
		dir, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("finding this folder: %w", err)
		}
		file = system.ProjectFile(h, dir)
	}
	dirs, err := paths.Default()
	if err != nil {
		return err
	}
	done := configured{Host: h.ID, Name: o.name, File: file, Action: printed, DryRun: o.dryRun, Notes: []string{}, program: typed(dirs)}
	switch {
	case o.remove:
		err = configRemove(h, o, &done)
	default:
		err = configAdd(cmd, h, system, o, &done)
	}
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), done)
	}
	return done.print(cmd.OutOrStdout(), cmd.ErrOrStderr(), h, system)
}

// serverFor is Sidekick as a host is to start it, without its token.
func serverFor(h hostconfig.Host, goos string, o configOptions) (hostconfig.Server, error) {
	s := hostconfig.Server{Name: o.name, Shared: o.project}
	s.Command = []string{"npx", "-y", hostconfig.Launcher}
	if !o.npx {
		dirs, err := paths.Default()
		if err != nil {
			return s, err
		}
		if s.Command, err = agentCommand(dirs); err != nil {
			return s, err
		}
	}
	if !o.project {
		s.Home = os.Getenv("SIDEKICK_HOME")
	}
	return s.For(h, goos), nil
}

// configAdd prints or writes an entry.
func configAdd(cmd *cobra.Command, h hostconfig.Host, system hostconfig.System, o configOptions, done *configured) error {
	ctx := cmd.Context()
	s, err := serverFor(h, system.GOOS, o)
	if err != nil {
		return err
	}
	if !o.project && o.pairing == "" {
		if s.Token, err = givenToken(ctx, cmd.InOrStdin(), o.stdin); err != nil {
			return err
		}
	}
	if !o.write {
		done.Snippet = h.Snippet(s)
		if s.Token == "" && !o.project {
			note := fmt.Sprintf("Put a token in the place of %s. ", hostconfig.Placeholder)
			if h.Writable() == nil {
				note += fmt.Sprintf("In one step, without copying: %s config --host %s --write --pairing NAME", done.program, h.ID)
			} else {
				note += fmt.Sprintf("%s pair --name NAME makes one.", done.program)
			}
			done.Notes = append(done.Notes, note)
		}
		done.Notes = append(done.Notes, notesOf(h, s, o)...)
		return nil
	}
	file, err := hostconfig.Open(done.File)
	if err != nil {
		return err
	}
	if s.Token == "" && !s.Shared && o.pairing == "" {
		if s.Token = hostconfig.KeptToken(h, file, o.name); s.Token == "" {
			return fmt.Errorf("%w: --pairing NAME makes one, or set SIDEKICK_TOKEN to one that you have", hostconfig.ErrNoToken)
		}
	}
	// With --pairing this only tries whether it can be done: a token that is
	// of no use is not to be made.
	change, err := hostconfig.Add(h, file, s)
	if err != nil {
		return err
	}
	undo := func() error { return nil }
	if o.pairing != "" && !o.dryRun {
		if s.Token, done.Pairing, undo, err = pairFor(ctx, cmd.ErrOrStderr(), o); err != nil {
			return err
		}
		if change, err = hostconfig.Add(h, file, s); err != nil {
			return errors.Join(err, undo())
		}
	}
	if o.dryRun {
		done.Diff = change.Diff()
	} else if err := change.Apply(); err != nil {
		return errors.Join(err, undo())
	}
	done.Action, done.Backup = change.Action, change.Backup
	if change.Action != hostconfig.Unchanged {
		done.Notes = notesOf(h, s, o)
	}
	if change.Off {
		done.Notes = append(done.Notes, fmt.Sprintf("The entry says that it is switched off, and stays so: switch it on in %s or in the file.", h.Name))
	}
	if change.Exposed {
		done.Notes = append(done.Notes, fmt.Sprintf("Other users of this computer can read %s, and so the token: chmod 600 it.", change.Target))
	}
	return nil
}

// notesOf are the sentences that a person should know of.
func notesOf(h hostconfig.Host, s hostconfig.Server, o configOptions) []string {
	var notes []string
	if o.project {
		notes = append(notes, h.InProject)
		if filepath.IsAbs(s.Command[0]) {
			notes = append(notes, fmt.Sprintf("It starts %s, which is a place on this computer: whoever else gets the file puts their own there.", s.Command[0]))
		}
	}
	return append(notes, h.Reload)
}

// pairFor makes a pairing for the entry, and says how to undo it.
func pairFor(ctx context.Context, warn io.Writer, o configOptions) (token, id string, undo func() error, err error) {
	dirs, store, err := openStore()
	if err != nil {
		return "", "", nil, err
	}
	made, err := makePairing(ctx, warn, dirs, store, pairOptions{name: o.pairing, keyring: o.keyring, managed: o.managed})
	if err != nil {
		return "", "", nil, err
	}
	return made.Env["SIDEKICK_TOKEN"], made.ID, func() error {
		ctx := context.WithoutCancel(ctx)
		p, err := store.Revoke(ctx, made.ID)
		if err != nil {
			return err
		}
		return errors.Join(notify(ctx, dirs), forgetRevoked(ctx, dirs, store, p))
	}, nil
}

// configRemove takes an entry out.
func configRemove(h hostconfig.Host, o configOptions, done *configured) error {
	file, err := hostconfig.Open(done.File)
	if err != nil {
		return err
	}
	change, err := hostconfig.Remove(h, file, o.name)
	if err != nil {
		return err
	}
	if o.dryRun {
		done.Diff = change.Diff()
	} else if err := change.Apply(); err != nil {
		return err
	}
	done.Action, done.Backup, done.Deleted = change.Action, change.Backup, change.Deletes()
	if change.Action == hostconfig.Removed {
		done.Notes = append(done.Notes, fmt.Sprintf("The pairing stays as it is: \"%s revoke NAME\" ends it.", done.program))
	}
	return nil
}

// print tells a person what was done. What is to be pasted goes to stdout by
// itself, so that it can be piped.
func (c configured) print(out, words io.Writer, h hostconfig.Host, system hostconfig.System) error {
	file := system.Short(c.File)
	var b strings.Builder
	if c.Action == printed {
		where := "in its frogbot.config.ts"
		if c.File != "" {
			where = "in " + file
		}
		fmt.Fprintf(words, "For %s, %s:\n\n", h.Name, where)
		if _, err := io.WriteString(out, c.Snippet); err != nil {
			return err
		}
		fmt.Fprintf(words, "\n%s\n", strings.Join(c.Notes, "\n"))
		return nil
	}
	would := ""
	if c.DryRun {
		would = "would have "
	}
	switch {
	case c.Action == hostconfig.Removed && c.Deleted:
		fmt.Fprintf(&b, "%sremoved %s, which held nothing but %q (%s)\n", would, file, c.Name, h.Name)
	case c.Action == hostconfig.Removed:
		fmt.Fprintf(&b, "%sremoved %q from %s (%s)\n", would, c.Name, file, h.Name)
	case c.Action == hostconfig.Added:
		fmt.Fprintf(&b, "%sadded %q to %s (%s)\n", would, c.Name, file, h.Name)
	case c.Action == hostconfig.Updated:
		fmt.Fprintf(&b, "%supdated %q in %s (%s)\n", would, c.Name, file, h.Name)
	default:
		fmt.Fprintf(&b, "%s: nothing to do (%s)\n", file, h.Name)
	}
	if c.Diff != "" {
		b.WriteString("\n" + c.Diff + "\n")
	}
	if c.Backup != "" && !c.DryRun && c.Action != hostconfig.Unchanged {
		fmt.Fprintf(&b, "the file as it was before is %s\n", system.Short(c.Backup))
	}
	if c.Pairing != "" {
		fmt.Fprintf(&b, "made a pairing; to end its right: %s revoke %s\n", c.program, c.Pairing)
	}
	for _, note := range c.Notes {
		b.WriteString(note + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
