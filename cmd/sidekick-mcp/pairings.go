package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/pairing"
)

func newPairingsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "pairings",
		Short: "List the agent hosts that may use the browser",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, store, err := openStore()
			if err != nil {
				return err
			}
			list, err := store.List(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), map[string]any{"pairings": list})
			}
			return printPairings(cmd.OutOrStdout(), list)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printPairings(out io.Writer, list []pairing.Pairing) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "There are no pairings. Make one: sidekick-mcp pair --name NAME")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tID\tBROWSER\tEVALUATE\tMADE\tLAST USED")
	for _, p := range list {
		evaluate := "on"
		if p.NoEvaluate {
			evaluate = "off"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", shown(p.Name), p.ID, browserOf(p), evaluate, day(p.CreatedAt), day(p.LastUsedAt))
	}
	return w.Flush()
}

// shown is a name as a terminal may see it: somebody may have written what is
// no name into the file.
func shown(name string) string {
	if clean, err := pairing.CleanName(name); err != nil || clean != name {
		return strconv.QuoteToASCII(name)
	}
	return name
}

func browserOf(p pairing.Pairing) string {
	switch {
	case p.Managed:
		return "Sidekick's own"
	case p.ProfileDir != "":
		return "yours (" + p.ProfileDir + ")"
	case p.Profile != "":
		return "yours"
	}
	return "yours, once it is used"
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}
