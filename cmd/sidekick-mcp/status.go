package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// watchEvery is how often status --watch asks.
const watchEvery = time.Second

// statusReport is what status --json prints.
type statusReport struct {
	Running bool `json:"running"`
	wire.Status
	// Memory is what Sidekick's own processes hold, in bytes by process id, as
	// far as the system tells; browsers are not in it.
	Memory map[int]int64 `json:"memory,omitempty"`
}

func newStatusCommand() *cobra.Command {
	var asJSON, watch bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show which agents and browsers are connected, and what they do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := paths.Default()
			if err != nil {
				return err
			}
			if watch {
				return watchStatus(cmd.Context(), cmd.OutOrStdout(), dirs, asJSON)
			}
			r, err := askStatus(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), r)
			}
			return r.print(cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&watch, "watch", false, "show it again as it changes, until Ctrl-C; with --json one line each time")
	return c
}

func askStatus(ctx context.Context, dirs paths.Dirs) (statusReport, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askBound, fmt.Errorf("it did not answer within %v: \"sidekick-mcp doctor --fix\" ends one that hangs", askBound))
	defer cancel()
	r := statusReport{Running: true}
	var err error
	r.Status, err = helper.Status(ctx, dirs)
	if errors.Is(err, helper.ErrNotRunning) {
		r, err = statusReport{}, lostHelper(ctx, dirs)
		if err != nil {
			// One that was only starting answers by now.
			if s, again := helper.Status(ctx, dirs); again == nil {
				r, err = statusReport{Running: true, Status: s}, nil
			}
		}
	}
	if err != nil {
		return r, fmt.Errorf("asking the helper: %w", err)
	}
	if r.Agents == nil {
		r.Agents = []wire.AgentStatus{}
	}
	if r.Browsers == nil {
		r.Browsers = []wire.BrowserStatus{}
	}
	r.Memory = memoryOf(ctx, r.pids())
	return r, nil
}

// pids are Sidekick's own processes.
func (r statusReport) pids() []int {
	if !r.Running {
		return nil
	}
	pids := []int{r.PID}
	for _, a := range r.Agents {
		pids = append(pids, a.PID)
	}
	for _, b := range r.Browsers {
		pids = append(pids, b.PID)
	}
	return pids
}

// watchStatus shows the status until ctx is done, which is no error.
func watchStatus(ctx context.Context, out io.Writer, dirs paths.Dirs, asJSON bool) error {
	f, file := out.(*os.File)
	screen := file && !asJSON && isTerminal(f)
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	var shown []byte
	for {
		r, err := askStatus(ctx, dirs)
		var b bytes.Buffer
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && asJSON:
			return err
		case err != nil:
			fmt.Fprintf(&b, "%v\n", err) // it may come back
		case asJSON:
			err = json.NewEncoder(&b).Encode(r)
		default:
			err = r.print(&b)
		}
		if err != nil && b.Len() == 0 {
			return err
		}
		// Where all of it stays to be read, only what is new is of interest.
		if screen || !bytes.Equal(steady(b.Bytes()), steady(shown)) {
			shown = bytes.Clone(b.Bytes())
			if screen {
				fmt.Fprint(out, "\x1b[H\x1b[2J")
			}
			if _, err := out.Write(b.Bytes()); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// steady leaves out what changes with the time alone: the first line's age, and
// how much memory is held.
func steady(b []byte) []byte {
	var r statusReport
	if json.Unmarshal(b, &r) == nil {
		r.UptimeMS, r.Memory = 0, nil
		for i := range r.Wakes {
			r.Wakes[i].ForMS = 0
		}
		if b, err := json.Marshal(r); err == nil {
			return b
		}
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && bytes.HasPrefix(b, []byte("The helper")) {
		if j := bytes.Index(b[:i], []byte(", for ")); j >= 0 {
			return append(bytes.Clone(b[:j]), b[i:]...)
		}
	}
	return b
}

func (r statusReport) print(out io.Writer) error {
	if !r.Running {
		_, err := fmt.Fprintln(out, "The helper is not running. It is started when an agent or a browser needs it.")
		return err
	}
	up := (time.Duration(r.UptimeMS) * time.Millisecond).Round(time.Second)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "The helper %s is running (process %d, for %v%s).\n", r.Version, r.PID, up, r.sum())
	if len(r.Agents) == 0 {
		fmt.Fprintln(w, "No agent is connected.")
	} else {
		fmt.Fprintln(w, "\nAGENT\tCLIENT\tPROCESS\tCONNECTED\tTABS\tNOW\tLAST ACTION")
	}
	for _, a := range r.Agents {
		// The client's name is whatever a program called itself.
		fmt.Fprintf(w, "%q\t%q\t%d\t%s\t%s\t%s\t%s\n", a.Title, a.Client, a.PID, day(a.ConnectedAt), r.tabsOf(a.ID), now(a, r.stopped(a.ID)), lastAction(a))
	}
	if len(r.Browsers) == 0 {
		fmt.Fprintln(w, "No browser is connected.")
	} else {
		fmt.Fprintln(w, "\nBROWSER\tEXECUTABLE\tPROFILES IN\tSIDEKICK'S OWN\tEXTENSION")
	}
	for _, b := range r.Browsers {
		own := "no"
		if b.Managed {
			own = "yes"
		}
		fmt.Fprintf(w, "%q\t%s\t%s\t%s\t%s\n", b.Browser, printable(unknown(b.Exe)), printable(unknown(b.UserDataDir)), own, printable(unknown(b.Extension)))
	}
	var idle []string
	for _, b := range r.Browsers {
		for _, g := range b.Groups {
			if !r.hasAgent(g.Agent) {
				idle = append(idle, fmt.Sprintf("%q\t%d", g.Title, g.Tabs))
			}
		}
	}
	if len(idle) > 0 {
		fmt.Fprintln(w, "\nGROUP OF AN AGENT THAT LEFT\tTABS")
		for _, line := range idle {
			fmt.Fprintln(w, line)
		}
	}
	for _, k := range r.Wakes {
		what := "a browser with the extension"
		if k.Managed {
			what = "Sidekick's own browser"
		}
		fmt.Fprintf(w, "\nWaking %s, for %v now.\n", what, (time.Duration(k.ForMS) * time.Millisecond).Round(time.Second/10))
	}
	return w.Flush()
}

// sum is what Sidekick's processes hold together.
func (r statusReport) sum() string {
	if len(r.Memory) == 0 {
		return ""
	}
	var bytes int64
	for _, n := range r.Memory {
		bytes += n
	}
	processes := "process"
	if len(r.Memory) > 1 {
		processes += "es"
	}
	return fmt.Sprintf(", %d MB in %d %s", (bytes+1<<19)>>20, len(r.Memory), processes)
}

func (r statusReport) hasAgent(id string) bool {
	for _, a := range r.Agents {
		if a.ID == id {
			return true
		}
	}
	return false
}

// tabsOf is how many tabs an agent's groups have, as far as extensions tell.
func (r statusReport) tabsOf(id string) string {
	n, told := 0, false
	for _, b := range r.Browsers {
		for _, g := range b.Groups {
			if g.Agent == id {
				n, told = n+g.Tabs, true
			}
		}
	}
	if !told {
		return "-"
	}
	return fmt.Sprint(n)
}

func (r statusReport) stopped(id string) bool {
	for _, b := range r.Browsers {
		for _, g := range b.Groups {
			if g.Agent == id && g.Stopped {
				return true
			}
		}
	}
	return false
}

// now is what an agent is at.
func now(a wire.AgentStatus, stopped bool) string {
	switch {
	case stopped:
		return "stopped by you"
	case a.Waiting > 0:
		return "waits for its browser"
	case a.UnderWay > 0:
		return "at work"
	}
	return "idle"
}

// actions are the methods that agents use, as people say it.
var actions = map[string]string{
	wire.MethodRun:        "act on a page",
	"Page.navigate":       "go to an address",
	"Page.reload":         "load a page again",
	"Target.createTarget": "open a tab", "Target.closeTarget": "close a tab", "Target.getTargets": "list the tabs",
	"Target.attachToTarget": "take up a tab", "Target.activateTarget": "switch tabs",
	"Page.captureScreenshot": "take a picture", "Page.printToPDF": "make a PDF",
	"Accessibility.getFullAXTree": "read a page", "Page.handleJavaScriptDialog": "answer a dialog",
}

func lastAction(a wire.AgentStatus) string {
	if a.LastAction == nil {
		return "none yet"
	}
	what := cmp.Or(actions[a.LastAction.Method], printable(a.LastAction.Method))
	return fmt.Sprintf("%s (%s)", what, a.LastAction.At.Local().Format("15:04:05"))
}

func unknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
