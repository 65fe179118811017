//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// env is a machine of its own for one test: a state folder, a home folder and a
// folder for temporary files, all empty, and what every process gets to see.
type env struct {
	t    *testing.T
	base string // all of it
	home string // SIDEKICK_HOME
	user string // HOME
	tmp  string // TMPDIR
	vars map[string]string
	exe  string // the program, where a test has more than one version of it
	site *site
	// strays says that the test kills a browser, which leaves Chromium's own
	// temporary files behind.
	strays bool
}

// browserFlags are the flags of every browser under test: nothing of it reaches
// the internet, every *.example host is this machine, and the debugging port is
// the tests' own door.
func browserFlags() []string {
	flags := []string{
		"--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-default-apps", "--window-size=1200,900", "--remote-debugging-port=0",
		`"--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"`,
	}
	if display == "" {
		flags = append(flags, "--headless=new")
	}
	return flags
}

// newEnv makes a machine and, when the test ends, asserts that nothing of it is
// left: no process, no socket, no lock, no temporary file.
func newEnv(t *testing.T) *env {
	t.Helper()
	// Not t.TempDir: a test's name in it makes paths too long for a socket.
	base, err := os.MkdirTemp("/tmp", "sk-")
	if err != nil {
		t.Fatal(err)
	}
	e := &env{t: t, base: base, exe: binary, home: filepath.Join(base, "s"), user: filepath.Join(base, "u"), tmp: filepath.Join(base, "t")}
	for _, dir := range []string{e.home, e.user, e.tmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	e.vars = map[string]string{
		"PATH": os.Getenv("PATH"), "LANG": "C.UTF-8", "HOME": e.user, "TMPDIR": e.tmp,
		"SIDEKICK_HOME": e.home, "SIDEKICK_LOG": "debug", "SIDEKICK_BROWSER_ARGS": strings.Join(browserFlags(), " "),
		// By itself the race detector has each process sleep a second before it
		// exits. It waits for reports under way without that.
		"GORACE": "halt_on_error=0 atexit_sleep_ms=50 log_path=" + filepath.Join(base, "race"),
	}
	if b := os.Getenv("SIDEKICK_BROWSER"); b != "" {
		e.vars["SIDEKICK_BROWSER"] = b
	}
	if display != "" {
		e.vars["DISPLAY"] = display
	}
	t.Cleanup(func() {
		e.end()
		e.noRaces()
		if t.Failed() {
			e.showLog()
		}
		if os.Getenv("E2E_KEEP") != "" && t.Failed() {
			t.Logf("kept %s", base)
			return
		}
		if err := os.RemoveAll(base); err != nil {
			t.Errorf("removing the test's folder: %v", err)
		}
	})
	e.site = newSite(t)
	return e
}

// in is the same machine within a subtest.
func (e *env) in(t *testing.T) *env {
	c := *e
	c.t = t
	return &c
}

// environ is the environment of every process of this machine.
func (e *env) environ(more ...string) []string {
	var list []string
	for k, v := range e.vars {
		list = append(list, k+"="+v)
	}
	return append(list, more...)
}

// run runs the binary with arguments and returns what it printed.
func (e *env) run(args ...string) (stdout, stderr string, err error) {
	c := exec.Command(e.exe, args...)
	c.Env = e.environ()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		return "", "", err
	}
	timer := time.AfterFunc(60*time.Second, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	err = c.Wait()
	return out.String(), errs.String(), err
}

// must runs the binary and ends the test if it fails.
func (e *env) must(args ...string) string {
	e.t.Helper()
	out, errs, err := e.run(args...)
	if err != nil {
		e.t.Fatalf("sidekick-mcp %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out
}

// pair makes a pairing with a managed browser and returns its token.
func (e *env) pair(name string) string {
	e.t.Helper()
	return e.pairWith("--name", name, "--managed")
}

func (e *env) pairWith(args ...string) string {
	e.t.Helper()
	var made struct {
		Token string `json:"token"`
	}
	out := e.must(append([]string{"pair", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &made); err != nil || !strings.HasPrefix(made.Token, "skt_") {
		e.t.Fatalf("pair --json printed no token: %s", out)
	}
	return made.Token
}

// dirs are the paths of this machine's state.
func (e *env) dirs() paths.Dirs {
	return paths.Dirs{State: e.home, Run: filepath.Join(e.home, "run")}
}

// end stops everything and asserts that nothing is left.
func (e *env) end() {
	if out, errs, err := e.run("stop"); err != nil {
		e.t.Errorf("sidekick-mcp stop: %v\n%s%s", err, out, errs)
	}
	e.nothingLeft()
}

// nothingLeft asserts that no process, socket, lock or temporary file of this
// machine is there any more.
func (e *env) nothingLeft() {
	e.t.Helper()
	var left []process
	if !holds(5*time.Second, func() bool { left = processes(e.base); return len(left) == 0 }) {
		for _, p := range left {
			e.t.Errorf("still runs after stop: %v", p)
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		holds(5*time.Second, func() bool { return len(processes(e.base)) == 0 })
	}
	d := e.dirs()
	for what, path := range map[string]string{"socket": d.Socket(), "lock": d.Lock()} {
		if _, err := os.Lstat(path); err == nil {
			e.t.Errorf("the %s is still there after stop: %s", what, path)
		}
	}
	entries, err := os.ReadDir(e.tmp)
	if err != nil {
		e.t.Error(err)
	}
	for _, entry := range entries {
		if e.strays && strings.Contains(entry.Name(), "org.chromium.") {
			continue
		}
		e.t.Errorf("left among the temporary files: %s", entry.Name())
	}
}

// noRaces fails the test for what the race detector found in any process.
func (e *env) noRaces() {
	reports, _ := filepath.Glob(filepath.Join(e.base, "race.*"))
	for _, file := range reports {
		b, _ := os.ReadFile(file)
		e.t.Errorf("a data race in a process of the test:\n%s", b)
	}
}

// showLog shows the end of the helper's log with a failed test.
func (e *env) showLog() {
	b, err := os.ReadFile(e.dirs().Log())
	if err != nil {
		e.t.Logf("no helper's log: %v", err)
		return
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	e.t.Logf("the end of the helper's log:\n%s", strings.Join(lines[max(0, len(lines)-60):], "\n"))
}

// status is what `status --json` says.
type status struct {
	PID    int `json:"pid"`
	Agents []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		PID   int    `json:"pid"`
	} `json:"agents"`
	Browsers []struct {
		Profile string `json:"profile"`
		PID     int    `json:"pid"`
	} `json:"browsers"`
}

func (e *env) status() status {
	e.t.Helper()
	var s status
	out := e.must("status", "--json")
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		e.t.Fatalf("status --json: %v in %s", err, out)
	}
	return s
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return b
}
