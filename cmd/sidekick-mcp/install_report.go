package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/frogbotai/sidekick-mcp/installer"
)

// wording is how a command tells what it did.
type wording struct{ did, would, nothing string }

// report is what install and uninstall tell.
type report struct {
	dryRun  bool
	words   wording
	changes []installer.Change
	notes   []string
	next    string // what is left to the user
}

func newReport(dryRun bool, words wording) *report {
	return &report{dryRun: dryRun, words: words, changes: []installer.Change{}, notes: []string{}}
}

func (r *report) add(changes ...installer.Change) { r.changes = append(r.changes, changes...) }

func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// print tells it, one line for each place. It returns err, how it all ended, with
// its own error.
func (r *report) print(out io.Writer, asJSON bool, err error) error {
	if asJSON {
		told := map[string]any{"changes": r.changes, "notes": r.notes, "dry_run": r.dryRun}
		if r.next != "" {
			told["next"] = r.next
		}
		return errors.Join(writeJSON(out, told), err)
	}
	verb := r.words.did
	if r.dryRun {
		verb = r.words.would
	}
	var b strings.Builder
	for _, c := range r.changes {
		what := c.Kind
		if len(c.Browsers) > 0 {
			what += " for " + strings.Join(c.Browsers, ", ")
		}
		switch {
		case c.Gone:
			fmt.Fprintf(&b, "%s %s, which held nothing but %q (configuration of %s)\n", verb, c.Place, c.Entry, c.Host)
		case c.Entry != "":
			fmt.Fprintf(&b, "%s %q from %s (configuration of %s)\n", verb, c.Entry, c.Place, c.Host)
			if c.Backup != "" && !r.dryRun {
				fmt.Fprintf(&b, "the file as it was before is %s\n", c.Backup)
			}
		case c.Done:
			fmt.Fprintf(&b, "%s %s (%s)\n", verb, c.Place, what)
		default:
			fmt.Fprintf(&b, "%s: is right already (%s)\n", c.Place, what)
		}
	}
	if len(r.changes) == 0 && err == nil {
		fmt.Fprintln(&b, r.words.nothing)
	}
	for _, note := range r.notes {
		fmt.Fprintln(&b, note)
	}
	if r.next != "" {
		fmt.Fprintf(&b, "\n%s\n", r.next)
	}
	_, werr := io.WriteString(out, b.String())
	return errors.Join(werr, err)
}
