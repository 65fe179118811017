package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/installer/doctor"
)

// errNoBundle is the end of a bundle that its user does not want.
var errNoBundle = errors.New("nothing was written")

// runBundle makes the file for a bug report.
func runBundle(cmd *cobra.Command, env doctor.Env, args []string, yes bool) error {
	file := "sidekick-report-" + time.Now().Format("20060102-150405") + ".zip"
	if len(args) > 0 {
		file = args[0]
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already: name another file, or remove it", file)
	}
	if !yes && !isTerminal(os.Stdin) {
		return errors.New("--bundle asks before it writes, and nobody is there to answer: add --yes")
	}
	files, err := doctor.Bundle(cmd.Context(), env)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, "The file for a bug report would hold, with names, addresses and titles taken out:")
	for _, f := range files {
		fmt.Fprintf(out, "  %-14s %7d bytes   %s\n", f.Name, len(f.Text), f.What)
	}
	if !yes {
		ok, err := confirm(cmd, files)
		if err != nil {
			return err
		}
		if !ok {
			return errNoBundle
		}
	}
	var b bytes.Buffer
	if err := doctor.WriteBundle(&b, files); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	_, err = fmt.Fprintf(out, "Wrote %s. Nothing was sent anywhere.\n", file)
	return err
}

// confirm asks, and shows all of it to whoever wants to see.
func confirm(cmd *cobra.Command, files []doctor.BundleFile) (bool, error) {
	in := bufio.NewReader(cmd.InOrStdin())
	out := cmd.OutOrStdout()
	for {
		fmt.Fprint(out, "Write it? [y]es, [s]how all of it, [N]o: ")
		answer, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		case "s", "show":
			for _, f := range files {
				fmt.Fprintf(out, "\n== %s\n%s", f.Name, f.Text)
			}
			fmt.Fprintln(out)
		default:
			fmt.Fprintln(out)
			return false, nil
		}
		if err != nil {
			return false, nil // the end of the input
		}
	}
}
