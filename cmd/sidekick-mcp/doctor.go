package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/tabgroups"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	json, fix, live, bundle, yes bool
}

func newDoctorCommand() *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Find out what is broken between an agent and the browser, and mend it",
		Long: "doctor looks at every part between an agent and a page, in order, and says for each that is\n" +
			"broken why, and the command that mends it. It exits with 1 if something is.\n\n" +
			"It starts nothing: the round trip at the end goes through the browsers that are connected,\n" +
			"in a tab of its own that is closed again. With --live it wakes a browser for it.\n\n" +
			"--fix does what is safe: it writes manifests, the installed copy of this program and the\n" +
			"extension's folder again, takes other users' rights to Sidekick's files away, removes a\n" +
			"left-over socket or a broken cache, and ends a helper that hangs.\n\n" +
			"--bundle writes a zip file for a bug report, with names, addresses and titles taken out,\n" +
			"after it has shown what is in it.",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.bundle {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			if len(args) > 0 {
				return fmt.Errorf("%q is one argument too many (a file is for --bundle)", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			env, err := doctorEnv()
			if err != nil {
				return err
			}
			env.Live = o.live
			if o.bundle {
				return runBundle(cmd, env, args, o.yes)
			}
			return runDoctor(cmd, env, o)
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	c.Flags().BoolVar(&o.fix, "fix", false, "mend what can be mended safely, and check again")
	c.Flags().BoolVar(&o.live, "live", false, "wake a browser for the round trip, if none is connected")
	c.Flags().BoolVar(&o.bundle, "bundle", false, "write a zip file for a bug report, FILE or one named by the time")
	c.Flags().BoolVar(&o.yes, "yes", false, "with --bundle: do not ask before it is written")
	c.MarkFlagsMutuallyExclusive("bundle", "json")
	c.MarkFlagsMutuallyExclusive("bundle", "fix")
	return c
}

// doctorEnv is this machine. A state folder that cannot even be named is a
// finding, not an error.
func doctorEnv() (doctor.Env, error) {
	dirs, derr := paths.Default()
	env, err := doctor.Host(dirs, version())
	if err != nil {
		return doctor.Env{}, err
	}
	env.DirsErr = derr
	env.Connect = func(token string) (browser.API, error) {
		dialer := &helper.Dialer{Dirs: dirs, Token: token, Client: "doctor", Version: version(), Start: starter(dirs)}
		return browser.New(func(ctx context.Context) (browser.Transport, error) {
			conn, _, err := dialer.Dial(ctx)
			if err != nil {
				return nil, err
			}
			return tabgroups.NewTransport(conn), nil
		}, browser.Options{Log: slog.New(slog.DiscardHandler)}), nil
	}
	return env, nil
}

// doctorReport is what doctor --json prints.
type doctorReport struct {
	doctor.Report
	// Fixed is what --fix did; the checks are those made after it.
	Fixed []doctor.Fixed `json:"fixed,omitempty"`
}

func runDoctor(cmd *cobra.Command, env doctor.Env, o doctorOptions) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	tell := func(f doctor.Finding) { printFinding(out, f) }
	if o.json {
		tell = nil
	}
	r := doctorReport{Report: doctor.Check(ctx, env, tell)}
	if o.fix {
		if r.Fixed = doctor.Fix(ctx, r.Report); len(r.Fixed) > 0 {
			if !o.json {
				printFixed(out, r.Fixed)
			}
			r.Report = doctor.Check(ctx, env, tell)
		}
	}
	if err := ctx.Err(); err != nil {
		return err // Ctrl-C: what was found is not all
	}
	if o.json {
		if err := writeJSON(out, r); err != nil {
			return err
		}
	} else {
		printSummary(out, r.Report, o.fix)
		mends := slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return f.Mend != "" })
		if name := typed(env.Dirs); mends && name != "sidekick-mcp" {
			fmt.Fprintf(out, "Where it says sidekick-mcp, type %s\n", name)
		}
	}
	if !r.OK {
		return exitCode(exitFailed)
	}
	return nil
}

func printFinding(out io.Writer, f doctor.Finding) {
	mark := map[doctor.State]string{doctor.OK: "ok", doctor.Note: "-", doctor.Warning: "warning", doctor.Failed: "FAILED"}[f.State]
	text := f.Text
	if f.Mend != "" {
		text += ": " + f.Mend
	}
	fmt.Fprintf(out, "%-8s %-12s %s\n", mark, f.Hop, printable(text))
}

func printFixed(out io.Writer, fixed []doctor.Fixed) {
	fmt.Fprintln(out)
	for _, f := range fixed {
		switch {
		case f.Error != "" && f.Did != "":
			fmt.Fprintf(out, "fixed in part  %s: %s\n", printable(f.Did), printable(f.Error))
		case f.Error != "":
			fmt.Fprintf(out, "not fixed      %s: %s\n", f.Cause, printable(f.Error))
		default:
			fmt.Fprintf(out, "fixed          %s\n", printable(f.Did))
		}
	}
	fmt.Fprintln(out, "\nChecked again:")
}

func printSummary(out io.Writer, r doctor.Report, fixed bool) {
	failed, warned, fixable := 0, 0, 0
	for _, f := range r.Findings {
		switch f.State {
		case doctor.Failed:
			failed++
		case doctor.Warning:
			warned++
		}
		if f.Fixable {
			fixable++
		}
	}
	var words []string
	if failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", failed))
	}
	if warned > 0 {
		words = append(words, fmt.Sprintf("%d to look at", warned))
	}
	if len(words) == 0 {
		fmt.Fprintln(out, "\nNothing is broken.")
		return
	}
	fmt.Fprintf(out, "\nOf %d checks %s.", len(r.Findings), strings.Join(words, ", "))
	if fixable > 0 && !fixed {
		fmt.Fprintf(out, " \"sidekick-mcp doctor --fix\" mends %d.", fixable)
	}
	fmt.Fprintln(out)
}

// printable is a text that a terminal may see: names in it may come from
// browsers and from files that anybody wrote.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '�'
		}
		return r
	}, s)
}
