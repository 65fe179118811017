//go:build linux

package e2e

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// doctorReport is what `doctor --json` says.
type doctorReport struct {
	OK     bool `json:"ok"`
	Checks []struct {
		Hop, About, State, Cause, Text, Mend string
	} `json:"checks"`
}

func (e *env) doctor(flags ...string) doctorReport {
	e.t.Helper()
	out, errs, err := e.run(append([]string{"doctor", "--json"}, flags...)...)
	var r doctorReport
	if jerr := json.Unmarshal([]byte(out), &r); jerr != nil {
		e.t.Fatalf("doctor --json: %v, %v\n%s%s", err, jerr, out, errs)
	}
	if r.OK != (err == nil) {
		e.t.Errorf("doctor says ok: %v, and ends with %v", r.OK, err)
	}
	return r
}

// states are a hop's states and causes.
func (r doctorReport) states(hop string) string {
	var list []string
	for _, c := range r.Checks {
		if c.Hop == hop {
			list = append(list, strings.TrimSpace(c.State+" "+c.Cause))
		}
	}
	return strings.Join(list, ", ")
}

// failed are the causes of what failed.
func (r doctorReport) failed() []string {
	var list []string
	for _, c := range r.Checks {
		if c.State == "failed" {
			list = append(list, c.Cause)
		}
	}
	return list
}

// In the user's own browser: before it is started, connected, and with the
// extension switched off in it.
func TestDoctorOwnBrowser(t *testing.T) {
	e := newEnv(t)
	o := e.ownMachine()
	o.install()
	token := e.pairWith("--name", "FrogBot")
	if r := e.doctor(); !r.OK || r.states("native-host") != "note" || r.states("round-trip") != "note" {
		t.Errorf("before the browser is started: %+v", r)
	}

	p := o.start()
	eventually(t, 20*time.Second, "the browser to connect", func() bool { return len(e.status().Browsers) == 1 })
	r := e.doctor()
	if !r.OK || r.states("native-host") != "ok" || r.states("round-trip") != "ok" {
		t.Errorf("with the browser: %+v", r)
	}
	if out := e.must("pairings"); strings.Contains(out, "doctor") || !strings.Contains(out, "FrogBot") {
		t.Errorf("after doctor the pairings are:\n%s", out)
	}
	// Nothing is left of its tab, and the user's is in front as before.
	pages := slices.DeleteFunc(p.targets(), func(i targetInfo) bool { return i.Type != "page" })
	if len(pages) != 1 {
		t.Errorf("after doctor the browser has the pages %+v, want the one of before", pages)
	}
	eventually(t, 5*time.Second, "doctor's agent to be gone", func() bool { return len(e.status().Agents) == 0 })

	// An agent's tabs and what it does are in the status.
	a := e.agent("researcher", token)
	a.open(e.site.page("start.html"))
	eventually(t, 5*time.Second, "the agent's tab in the status", func() bool {
		out := e.must("status")
		return strings.Contains(out, `"FrogBot · researcher"`) && strings.Contains(out, "   1      idle") && strings.Contains(out, "MB in 3 processes")
	})
	a.close()

	// After a stop the browser stays, and does not connect by itself. (A
	// headless one takes no second command, so that it cannot be woken here.)
	e.must("stop")
	if r := e.doctor(); !r.OK || r.states("native-host") != "warning not-connected" {
		t.Errorf("after a stop: %+v", r)
	}

	// Switched off as a user does it, at chrome://extensions.
	page := p.userTab("chrome://extensions/")
	var off bool
	p.eval(page, fmt.Sprintf(`chrome.management.setEnabled(%q, false).then(() => true)`, extensionID(t)), &off)
	eventually(t, 20*time.Second, "doctor to find the extension switched off", func() bool {
		r = e.doctor()
		return r.states("extension") == "failed extension-disabled"
	})
	if r.OK || !slices.Equal(r.failed(), []string{"extension-disabled"}) {
		t.Errorf("with the extension switched off: %+v", r)
	}
	o.quit(p)
}

// The managed browser, and an agent that is told what doctor says.
func TestDoctorManaged(t *testing.T) {
	e := newEnv(t)
	token := e.pair("FrogBot")
	if r := e.doctor(); !r.OK || r.states("round-trip") != "note" || r.states("extension") != "note" {
		t.Errorf("before: %+v", r)
	}
	if n := len(processes(e.base)); n != 0 {
		t.Errorf("without --live doctor has started %d processes", n)
	}
	if r := e.doctor("--live"); !r.OK || r.states("round-trip") != "ok" {
		t.Errorf("with --live: %+v", r)
	}
	e.browser()
	e.must("stop")

	// The same words for the agent and for its user.
	e.vars["SIDEKICK_BROWSER"] = filepath.Join(e.base, "no-browser")
	r := e.doctor()
	if !slices.Equal(r.failed(), []string{"browser-choice"}) {
		t.Errorf("without the browser: %+v", r)
	}
	text := e.agent("researcher", token).fails("tabs", args{"action": "open", "url": e.site.page("start.html")})
	for _, c := range r.Checks {
		if c.Cause == "browser-choice" {
			contains(t, text, c.Text)
		}
	}
}

// No secret of a whole run is in the log, nor in a bug report made of it; and
// the report names neither the agents, nor places in the web or on the machine.
func TestLogsTellNoSecrets(t *testing.T) {
	e := newEnv(t)
	token := e.pair("Zebrafish")
	follow := exec.Command(binary, "logs", "-f")
	follow.Env = e.environ()
	followed := &mcptest.Buffer{}
	follow.Stdout, follow.Stderr = followed, followed
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	a := e.agent("wombat", token)
	const query, value, fragment = "q5ecret7", "v5ecret7", "f5ecret7"
	tab := a.open(e.site.page("form.html") + "?key=" + query + "#" + fragment)
	page := a.ok("read_page", args{"tab": tab})
	name := a.ref(tab, "textbox", "Name")
	a.ok("fill", args{"ref": name, "value": value})
	title := firstTitle(page)

	// What goes wrong is noted too: a wrong token, a broken hop, a browser that
	// does not start.
	wrong := e.raw("skt_" + strings.Repeat("0", 20) + "wr0ng5ecret")
	wrong.Send(handshake["initialize"])
	wrong.Receive(10 * time.Second)
	e.kill(e.nativeHost())
	e.strays = true
	a.call("read_page", args{"tab": tab})
	e.must("stop")
	e.vars["SIDEKICK_BROWSER_ARGS"] += " --proxy-server=http://ada:pr0xy5ecret@127.0.0.1:9/?" + query + " --no-such=skt_AAAAAAAAAAAAAAAA5ecret"
	a.call("tabs", args{"action": "list"})

	log := ""
	files, err := filepath.Glob(filepath.Join(e.home, "log", "helper*.log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no log: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		log += string(b)
	}
	log += a.stderr.String() // the host keeps that, too
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	if !strings.Contains(log, "an agent connected") || !strings.Contains(log, "pr") {
		t.Fatalf("the log is of another run:\n%s", log)
	}
	for what, secret := range map[string]string{
		"the token": token, "half of the token": token[8:], "an address' query": query, "an address' fragment": fragment,
		"a form's value": value, "a wrong token": "wr0ng5ecret", "a proxy's password": "pr0xy5ecret", "a token in a flag": "AAAA5ecret", "a page's title": title,
	} {
		if secret != "" && strings.Contains(log, secret) {
			t.Errorf("%s is in the log: %q", what, lineWith(log, secret))
		}
	}
	if out := e.must("logs", "-n", "1000"); !strings.Contains(out, "an agent connected") {
		t.Errorf("logs shows:\n%s", out)
	}

	// Who followed has seen it, and ends with Ctrl-C, which is no failure.
	eventually(t, 10*time.Second, "the log to be followed", func() bool { return strings.Contains(followed.String(), "the helper ends") })
	if err := follow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := follow.Wait(); err != nil || !strings.Contains(followed.String(), "an agent connected") {
		t.Errorf("logs -f ended with %v: %s", err, followed.String())
	}

	report := filepath.Join(e.base, "report.zip")
	if out := e.must("doctor", "--bundle", "--yes", report); !strings.Contains(out, "helper.log") || !strings.Contains(out, "doctor.json") {
		t.Errorf("what is in it is not shown:\n%s", out)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range unzip(t, report) {
		for what, secret := range map[string]string{
			"the token": token[8:], "a query": query, "a value": value, "the pairing's name": "Zebrafish", "the client's name": "wombat",
			"the machine's name": host, "the home folder": e.user, "an address": "127.0.0.1", "a host": ".example", "a title": title,
		} {
			if secret != "" && strings.Contains(text, secret) {
				t.Errorf("%s is in the report's %s: %s", what, name, lineWith(text, secret))
			}
		}
		for _, want := range map[string][]string{"doctor.json": {`"hop": "helper"`}, "helper.log": {"an agent connected"}, "config.json": {`"agent-1"`}, "versions.json": {`"extension"`}}[name] {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not hold %s:\n%s", name, want, text)
			}
		}
	}
}

func firstTitle(page string) string {
	if _, after, ok := strings.Cut(page, `title="`); ok {
		title, _, _ := strings.Cut(after, `"`)
		return title
	}
	return ""
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

func unzip(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		texts[f.Name] = string(b)
	}
	if len(texts) != 4 {
		t.Fatalf("the report holds %d files", len(texts))
	}
	return texts
}

// A policy against the debugger, in a file as those who administer machines
// write it, with a comment and a comma too many, which Chromium takes: doctor names it, and so does what the agent is told.
func TestDoctorPolicy(t *testing.T) {
	e := newEnv(t)
	e.pair("FrogBot")
	// In a mount namespace of its own, so that no other browser is under it.
	script := `mount -t tmpfs none /etc/chromium
mkdir -p /etc/chromium/policies/managed
echo '{"DeveloperToolsAvailability": 2,} // ours' >/etc/chromium/policies/managed/it.json
"$0" doctor --json --live || true
"$0" stop >/dev/null`
	flags := []string{"--mount", "--propagation", "private"}
	if os.Getuid() != 0 {
		flags = append(flags, "--user", "--map-root-user")
	}
	c := exec.Command("unshare", append(flags, "sh", "-euc", script, binary)...)
	c.Env = e.environ()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r doctorReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !slices.Equal(r.failed(), []string{"policy-developer-tools", "round-trip"}) {
		t.Errorf("doctor finds %v: %+v", r.failed(), r.Checks)
	}
	for _, c := range r.Checks {
		if c.Hop == "round-trip" {
			contains(t, c.Text, "Chrome refuses this tab the debugger", "DeveloperToolsAvailability")
		}
	}
}
