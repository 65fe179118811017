package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/internal/demosite"
)

// demoOptions are the flags of the demo command.
type demoOptions struct {
	headful bool
	keep    bool
	out     string
}

// newDemoCommand makes the command "demo": one agent, one real job, on pages
// that this binary serves.
func newDemoCommand() *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch an agent do a small job in a browser of its own, on local pages",
		Long: "demo makes a pairing in a temporary folder, starts sidekick-mcp the way an agent's host would,\n" +
			"and has it order two lamps in a shop that exists only on this computer. It needs a Chromium or\n" +
			"Chrome (SIDEKICK_BROWSER names one), touches no profile of yours, and leaves nothing running.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return runDemo(ctx, cmd.OutOrStdout(), o)
		},
	}
	c.Flags().BoolVar(&o.headful, "headful", false, "show the browser's window")
	c.Flags().BoolVar(&o.keep, "keep", false, "leave the browser and its folder when done, and say how to end them")
	c.Flags().StringVar(&o.out, "out", "demo-screenshot.png", "where to save the screenshot")
	return c
}

// demo is one run: what was started and has to be ended.
type demo struct {
	out    io.Writer
	self   string
	home   string
	env    []string
	stderr lockedBuffer // the agent's process, shown when a step fails

	session *mcp.ClientSession
	group   string // the agent's group, as the helper named it
}

// lockedBuffer keeps what a process says while somebody may look at it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// runDemo does the demo's job from beginning to end. Whatever it started is
// ended when it returns, unless o.keep asks for the browser to stay.
func runDemo(ctx context.Context, out io.Writer, o demoOptions) (err error) {
	began := time.Now()
	if o.headful && runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("demo: --headful needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set; leave the flag out, or run it under xvfb-run")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("demo: finding this program's own file: %w", err)
	}
	home, err := os.MkdirTemp("", "sidekick-demo-")
	if err != nil {
		return fmt.Errorf("demo: making a temporary folder: %w", err)
	}
	d := &demo{out: out, self: self, home: home}
	d.env = d.environment(o)
	site, err := demosite.Start()
	if err != nil {
		return errors.Join(err, os.RemoveAll(home))
	}
	keep := false
	defer func() {
		if keep {
			// The page on show must stay reachable for as long as the user
			// looks at it, so the shop stays until the demo is interrupted.
			fmt.Fprintf(out, "\nThe browser stays open. Press Ctrl+C to end it and to remove %s.\n", home)
			waiting, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
			<-waiting.Done()
			stop()
		}
		err = errors.Join(err, d.end(), site.Close())
		if err == nil {
			fmt.Fprintf(out, "\nDone in %.1f s; nothing is left running.\n", time.Since(began).Seconds())
		}
	}()

	fmt.Fprintf(out, "An agent orders two lamps in a shop that exists only on this computer: %s\n\n", site.URL)
	if err := d.job(ctx, site, o.out); err != nil {
		if ctx.Err() != nil {
			return errors.New("demo: interrupted")
		}
		if text := strings.TrimSpace(d.stderr.String()); text != "" {
			return fmt.Errorf("demo: %w\nsidekick-mcp said:\n%s", err, text)
		}
		return fmt.Errorf("demo: %w", err)
	}
	keep = o.keep
	return nil
}

// environment is what every process of the demo gets: state of its own, and the
// flags that this run of the browser needs.
func (d *demo) environment(o demoOptions) []string {
	flags := []string{"--no-first-run", "--disable-sync", "--window-size=1200,900"}
	if !o.headful {
		flags = append(flags, "--headless=new", "--hide-scrollbars")
	}
	if os.Geteuid() == 0 {
		fmt.Fprintln(d.out, "(running as root: the browser gets --no-sandbox, as Chromium refuses to start without it)")
		flags = append(flags, "--no-sandbox")
	}
	if own := os.Getenv("SIDEKICK_BROWSER_ARGS"); own != "" {
		flags = append(flags, own)
	}
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "SIDEKICK_HOME", "SIDEKICK_TOKEN", "SIDEKICK_BROWSER_ARGS":
		default:
			env = append(env, v)
		}
	}
	return append(env, "SIDEKICK_HOME="+d.home, "SIDEKICK_BROWSER_ARGS="+strings.Join(flags, " "))
}

// job is what the agent does: it reads two pages, orders, and checks its order
// against the shop's books.
func (d *demo) job(ctx context.Context, site *demosite.Site, picture string) error {
	if err := d.start(ctx); err != nil {
		return err
	}

	// What does it cost, and who brings it soonest? Two pages, two tabs.
	if _, err := d.step(ctx, "opens the catalogue (this starts the browser)", "tabs", args{"action": "open", "url": site.URL}); err != nil {
		return err
	}
	if err := d.learnGroup(ctx); err != nil {
		return err
	}
	catalogue, err := d.step(ctx, "reads it", "read_page", args{"tab": "t1"})
	if err != nil {
		return err
	}
	if _, err := d.step(ctx, "opens the delivery table in a second tab", "tabs", args{"action": "open", "url": site.URL + "delivery"}); err != nil {
		return err
	}
	delivery, err := d.step(ctx, "reads it", "read_page", args{"tab": "t2", "mode": "text"})
	if err != nil {
		return err
	}
	if !strings.Contains(delivery, "Heron Express") {
		return fmt.Errorf("reading the delivery table: there is no Heron Express in\n%s", delivery)
	}
	if err := d.showTabs(ctx); err != nil {
		return err
	}

	// To the order form, as a person would go there.
	if _, err := d.act(ctx, "clicks \"Lotus lamp\"", "click", catalogue, "link", "Lotus lamp", nil); err != nil {
		return err
	}
	item, err := d.step(ctx, "reads the lamp's page", "read_page", args{"tab": "t1"})
	if err != nil {
		return err
	}
	if _, err := d.act(ctx, "clicks \"Order this\"", "click", item, "link", "Order this", nil); err != nil {
		return err
	}
	form, err := d.step(ctx, "reads the form", "read_page", args{"tab": "t1"})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		what, tool, role, name string
		more                   args
	}{
		{"fills the name", "fill", "textbox", "Your name", args{"value": "FrogBot"}},
		{"fills the e-mail address", "fill", "textbox", "E-mail", args{"value": "frogbot@pond.example"}},
		{"fills the quantity", "fill", "spinbutton", "Quantity", args{"value": "2"}},
		{"chooses the carrier", "select_option", "combobox", "Delivery", args{"values": []string{"Heron Express"}}},
		{"types a note", "type_text", "textbox", "Note for the packer", args{"text": "It is for Mum 🪷 please hide the price."}},
		{"ticks \"Wrap it as a gift\"", "click", "checkbox", "Wrap it as a gift", nil},
		{"clicks \"Place order\"", "click", "button", "Place order", nil},
	} {
		if _, err := d.act(ctx, f.what, f.tool, form, f.role, f.name, f.more); err != nil {
			return err
		}
	}
	if _, err := d.step(ctx, "waits for the confirmation", "wait_for", args{"tab": "t1", "text": "Thank you", "timeout_ms": 5000}); err != nil {
		return err
	}
	confirmation, err := d.step(ctx, "reads it", "read_page", args{"tab": "t1", "mode": "text"})
	if err != nil {
		return err
	}
	if err := d.screenshot(ctx, picture); err != nil {
		return err
	}
	return d.checkOrder(site, confirmation)
}

// args are the arguments of a tool call.
type args map[string]any

// start makes the pairing and starts sidekick-mcp as an agent's host does.
func (d *demo) start(ctx context.Context) error {
	began := time.Now()
	made, err := d.command(ctx, "pair", "--name", "FrogBot", "--managed", "--json")
	if err != nil {
		return err
	}
	var pairing struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(made, &pairing); err != nil || pairing.Token == "" {
		return fmt.Errorf("pair --json printed no token: %s", made)
	}
	d.say(began, "makes the pairing \"FrogBot\", with a browser profile of Sidekick's own", "")

	began = time.Now()
	agent := exec.Command(d.self)
	agent.Env = append(append([]string(nil), d.env...), "SIDEKICK_TOKEN="+pairing.Token)
	agent.Stderr = &d.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "researcher", Version: "1"}, nil)
	d.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: agent}, nil)
	if err != nil {
		return fmt.Errorf("starting sidekick-mcp over stdio: %w", err)
	}
	tools, err := d.session.ListTools(ctx, nil)
	if err != nil {
		return fmt.Errorf("listing the tools: %w", err)
	}
	d.say(began, fmt.Sprintf("starts the agent \"researcher\" and lists its %d tools (no browser yet)", len(tools.Tools)), "")
	return nil
}

// command runs this program with a subcommand and returns its stdout.
func (d *demo) command(ctx context.Context, arg ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, d.self, arg...)
	c.Env = d.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("sidekick-mcp %s: %w: %s", arg[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// learnGroup asks the helper how the agent's tab group is called.
func (d *demo) learnGroup(ctx context.Context) error {
	out, err := d.command(ctx, "status", "--json")
	if err != nil {
		return err
	}
	var status struct {
		Agents []struct {
			Title string `json:"title"`
		} `json:"agents"`
	}
	if err := json.Unmarshal(out, &status); err != nil || len(status.Agents) != 1 {
		return fmt.Errorf("status --json does not name the one agent there is: %s", out)
	}
	d.group = status.Agents[0].Title
	return nil
}

// step calls a tool, prints what was done and how long it took, and returns the
// result's text.
func (d *demo) step(ctx context.Context, what, tool string, a args) (string, error) {
	r, err := d.call(ctx, what, tool, a)
	return textOf(r), err
}

// act is step for a tool that takes the ref of an element in an outline of t1.
func (d *demo) act(ctx context.Context, what, tool, outline, role, name string, more args) (string, error) {
	ref, ok := findRef(outline, role, name)
	if !ok {
		return "", fmt.Errorf("it %s: the page's outline has no %s %q:\n%s", what, role, name, outline)
	}
	a := args{"tab": "t1", "ref": ref}
	for k, v := range more {
		a[k] = v
	}
	return d.step(ctx, what, tool, a)
}

func (d *demo) call(ctx context.Context, what, tool string, a args) (*mcp.CallToolResult, error) {
	began := time.Now()
	r, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any(a)})
	if err != nil {
		return nil, fmt.Errorf("it %s: %w", what, err)
	}
	if r.IsError {
		return nil, fmt.Errorf("it %s: %s", what, textOf(r))
	}
	d.say(began, what, tool)
	return r, nil
}

// say prints one line: how long it took, with which tool, and what.
func (d *demo) say(began time.Time, what, tool string) {
	fmt.Fprintf(d.out, "%7.1f ms  %-13s  %s\n", float64(time.Since(began).Microseconds())/1000, tool, what)
}

// showTabs prints the agent's tabs and the group they are in.
func (d *demo) showTabs(ctx context.Context) error {
	list, err := d.step(ctx, fmt.Sprintf("lists its tabs; they are in the group \"%s\":", d.group), "tabs", args{"action": "list"})
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		fmt.Fprintf(d.out, "%27s%s\n", "", line)
	}
	return nil
}

func (d *demo) screenshot(ctx context.Context, file string) error {
	r, err := d.call(ctx, "takes a screenshot, saved as "+file, "screenshot", args{"tab": "t1", "format": "png"})
	if err != nil {
		return err
	}
	for _, c := range r.Content {
		if image, ok := c.(*mcp.ImageContent); ok {
			if err := os.WriteFile(file, image.Data, 0o644); err != nil { //nolint:gosec // a picture for the user to share
				return fmt.Errorf("saving the screenshot: %w", err)
			}
			return nil
		}
	}
	return errors.New("the screenshot's result has no picture in it")
}

// checkOrder compares what the agent read with what the shop has in its books.
func (d *demo) checkOrder(site *demosite.Site, confirmation string) error {
	orders := site.Orders()
	if len(orders) != 1 {
		return fmt.Errorf("the shop has %d orders in its books, where one was placed", len(orders))
	}
	o := orders[0]
	if o.Quantity != 2 || o.Item.ID != "lotus-lamp" || o.Carrier.ID != "heron" || !o.Gift || o.Name != "FrogBot" || !strings.Contains(o.Note, "🪷") {
		return fmt.Errorf("the shop took another order than the agent meant: %+v", o)
	}
	for _, want := range []string{o.Number, "2 × Lotus lamp", o.Total()} {
		if !strings.Contains(confirmation, want) {
			return fmt.Errorf("the confirmation that the agent read lacks %q:\n%s", want, confirmation)
		}
	}
	fmt.Fprintf(d.out, "\nThe shop's books agree with what the agent read: order %s, 2 × %s by %s, %s.\n", o.Number, o.Item.Name, o.Carrier.Name, o.Total())
	return nil
}

// end ends what the demo started and removes its folder.
func (d *demo) end() error {
	// The demo's own context may be over: this has to happen all the same.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs []error
	if d.session != nil {
		errs = append(errs, d.session.Close())
	}
	if _, err := d.command(ctx, "stop"); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, os.RemoveAll(d.home))
	if left, _ := filepath.Glob(filepath.Join(d.home, "*")); len(left) > 0 {
		errs = append(errs, fmt.Errorf("something still writes to %s: %s", d.home, strings.Join(left, ", ")))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("demo: ending what it started: %w", err)
	}
	return nil
}

// textOf joins the text parts of a tool's result.
func textOf(r *mcp.CallToolResult) string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// outlineLine is an element with a ref in an outline:
// - button "Go" [ref=e9]
var outlineLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*- (\w+) ("(?:[^"\\]|\\.)*").*\[ref=(\w+)\]`)
})

// findRef finds the first element of a role and name in an outline.
func findRef(outline, role, name string) (string, bool) {
	for _, m := range outlineLine().FindAllStringSubmatch(outline, -1) {
		var got string
		if m[1] == role && json.Unmarshal([]byte(m[2]), &got) == nil && got == name {
			return m[3], true
		}
	}
	return "", false
}
