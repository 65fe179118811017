package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/internal/logs"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func newLogsCommand() *cobra.Command {
	var follow, asJSON bool
	var n int
	c := &cobra.Command{
		Use:   "logs",
		Short: "Show what the helper has noted",
		Long: "logs shows the end of the helper's log. No tokens, no contents of pages and no queries of\n" +
			"addresses are in it. With -f it goes on as more is noted, until Ctrl-C.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 0 {
				return &usageError{cmd, fmt.Errorf("-n is %d, and has to be 0 or more", n)}
			}
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			line := func(l string) error {
				if !asJSON {
					l = forPeople(l)
				}
				_, err := fmt.Fprintln(out, l)
				return err
			}
			if follow {
				return logs.Follow(cmd.Context(), dirs.Log(), n, line)
			}
			return showLog(cmd.ErrOrStderr(), dirs, n, line)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as more is noted, until Ctrl-C")
	c.Flags().IntVarP(&n, "lines", "n", 50, "how many lines of before to show")
	c.Flags().BoolVar(&asJSON, "json", false, "print the lines as they are, JSON")
	return c
}

func showLog(errs io.Writer, dirs paths.Dirs, n int, line func(string) error) error {
	lines, err := logs.Tail(dirs.Log(), n)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	if len(lines) == 0 && n > 0 {
		fmt.Fprintf(errs, "There is no log yet (%s): it begins when an agent or a browser starts the helper.\n", dirs.Log())
	}
	for _, l := range lines {
		if err := line(l); err != nil {
			return err
		}
	}
	return nil
}

// forPeople writes a line of the log as a sentence with what belongs to it.
// What is no JSON, such as the last words of a helper that crashed, stays.
func forPeople(line string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil {
		return printable(line)
	}
	take := func(key string) string {
		v, ok := fields[key].(string)
		if ok {
			delete(fields, key)
		}
		return v
	}
	at, level, msg := take("time"), take("level"), take("msg")
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = t.Local().Format("2006-01-02 15:04:05.000")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-5s %s", at, level, msg)
	keys := make([]string, 0, len(fields))
	for k := range fields {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := fields[k]
		if f, ok := v.(float64); ok && f == float64(int64(f)) {
			v = int64(f) // process ids have no exponent
		}
		if v == "" {
			continue
		}
		fmt.Fprintf(&b, " %s=%v", k, v)
	}
	return printable(b.String())
}
