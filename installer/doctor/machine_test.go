//go:build linux

package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// The programs under test: the one, and one of another version.
var program, otherProgram string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// Not os.MkdirTemp's default: what lies in a folder of go's own counts as
	// soon gone.
	dir, err := os.MkdirTemp("/tmp", "sk-doctor-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program, otherProgram = filepath.Join(dir, "sidekick-mcp"), filepath.Join(dir, "other", "sidekick-mcp")
	for _, args := range [][]string{{"-o", program}, {"-ldflags", "-X main.release=9.9.9", "-o", otherProgram}} {
		build := exec.Command("go", append(append([]string{"build", "-buildvcs=false"}, args...), "github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp")...)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "building the program:", err)
			return 1
		}
	}
	return m.Run()
}

// machine is one that has all of Sidekick, and on which nothing is broken: a
// home folder with a profile that a real Chromium wrote, the extension in it,
// the manifest, a pairing.
type machine struct {
	t       *testing.T
	base    string
	home    string // HOME
	s       string // SIDEKICK_HOME
	vars    map[string]string
	program string // the one under test
	// inside is a script that changes what the file system looks like for
	// doctor alone, run in a mount namespace of its own.
	inside string
	// before is a command that runs doctor, such as one that takes rights away.
	before []string
}

// realProfile is the folder of a user data directory as a real Chromium left it
// that had the extension in it. It is made once.
var realProfile = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(program), "chromium")
	ext, err := filepath.Abs("../../extension")
	if err != nil {
		return "", err
	}
	return dir, runChromium(dir, ext)
})

// runChromium runs a browser with the extension until that has started once.
func runChromium(dir, ext string) error {
	var output bytes.Buffer
	c := exec.Command(chromium(), "--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-gpu", "--user-data-dir="+dir, "--load-extension="+ext,
		"--disable-features=DisableLoadExtensionCommandLineSwitch", "about:blank")
	c.Stdout, c.Stderr = &output, &output
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() { _ = c.Wait(); close(exited) }()
	// The worker keeps the profile's id there as the first thing that it does.
	storage := filepath.Join(dir, "Default", "Local Extension Settings", extension.ID, "*.log")
	there := wait(30*time.Second, func() bool {
		found, _ := filepath.Glob(storage)
		for _, f := range found {
			if info, err := os.Stat(f); err == nil && info.Size() > 0 {
				return true
			}
		}
		return false
	})
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGINT) // it writes its preferences as it ends
	select {
	case <-exited:
	case <-time.After(20 * time.Second):
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		<-exited
	}
	if !there {
		return fmt.Errorf("Chromium did not run the extension: %s", output.String())
	}
	return nil
}

func chromium() string {
	if b := os.Getenv("SIDEKICK_BROWSER"); b != "" {
		return b
	}
	return "chromium"
}

// newMachine makes one. What runs on it ends with the test.
func newMachine(t *testing.T) *machine {
	t.Helper()
	real, err := realProfile()
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp("/tmp", "sk-") // short, for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, base: base, home: filepath.Join(base, "u"), s: filepath.Join(base, "s"), program: program}
	m.vars = map[string]string{"PATH": os.Getenv("PATH"), "HOME": m.home, "LANG": "C.UTF-8", "SIDEKICK_HOME": m.s}
	if b := os.Getenv("SIDEKICK_BROWSER"); b != "" {
		m.vars["SIDEKICK_BROWSER"] = b
	}
	t.Cleanup(func() {
		for _, pid := range helpersOf(m.s) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	m.mkdir(m.home)
	for _, name := range []string{"Preferences", "Secure Preferences"} {
		b, err := os.ReadFile(filepath.Join(real, "Default", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		m.write(m.profile("Default", name), string(b))
	}
	m.must("install")
	m.must("pair", "--name", "FrogBot")
	return m
}

// profile is a file of Chromium's user data directory.
func (m *machine) profile(elem ...string) string {
	return filepath.Join(append([]string{m.home, ".config", "chromium"}, elem...)...)
}

func (m *machine) manifest() string {
	return m.profile("NativeMessagingHosts", "ai.frogbot.sidekick.json")
}

func (m *machine) dirs() paths.Dirs { return paths.Dirs{State: m.s, Run: filepath.Join(m.s, "run")} }

func (m *machine) mkdir(dir string) {
	m.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) write(file, text string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// edit changes a file of JSON.
func (m *machine) edit(file string, change func(map[string]any)) {
	m.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		m.t.Fatal(err)
	}
	change(v)
	if b, err = json.Marshal(v); err != nil {
		m.t.Fatal(err)
	}
	m.write(file, string(b))
}

// setting is the extension's entry in the preferences.
func setting(t *testing.T, prefs map[string]any) map[string]any {
	t.Helper()
	at := prefs
	for _, key := range []string{"extensions", "settings", extension.ID} {
		next, ok := at[key].(map[string]any)
		if !ok {
			t.Fatalf("the preferences have no %s", key)
		}
		at = next
	}
	return at
}

func (m *machine) environ() []string {
	var list []string
	for k, v := range m.vars {
		list = append(list, k+"="+v)
	}
	return list
}

// run runs the program.
func (m *machine) run(args ...string) (stdout, stderr string, code int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	command := append(append(slices.Clone(m.before), m.program), args...)
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	if m.inside != "" {
		flags := []string{"--mount", "--propagation", "private"}
		if os.Getuid() != 0 {
			flags = append(flags, "--user", "--map-root-user")
		}
		c = exec.CommandContext(ctx, "unshare", append(append(flags, "sh", "-euc", m.inside+"\nexec \"$@\"", "sh", m.program), args...)...)
	}
	c.Env = m.environ()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("sidekick-mcp %s: %v %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func (m *machine) must(args ...string) string {
	m.t.Helper()
	out, errs, code := m.run(args...)
	if code != 0 {
		m.t.Fatalf("sidekick-mcp %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// report is what doctor --json prints.
type report struct {
	doctor.Report
	Fixed []doctor.Fixed `json:"fixed"`
	code  int
}

func (m *machine) doctor(flags ...string) report {
	m.t.Helper()
	out, errs, code := m.run(append([]string{"doctor", "--json"}, flags...)...)
	r := report{code: code}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		m.t.Fatalf("doctor --json: %v\n%s%s", err, out, errs)
	}
	if r.OK != (code == 0) {
		m.t.Errorf("ok is %v, and the exit code %d", r.OK, code)
	}
	return r
}

// of are the findings with a cause.
func (r report) of(cause string) []doctor.Finding {
	var found []doctor.Finding
	for _, f := range r.Findings {
		if f.Cause == cause {
			found = append(found, f)
		}
	}
	return found
}

// bad are the causes of what is not as it should be.
func (r report) bad() []string {
	var causes []string
	for _, f := range r.Findings {
		if f.State == doctor.Failed || f.State == doctor.Warning {
			causes = append(causes, f.Cause)
		}
	}
	return causes
}

// helper starts one that outlives the call, as an agent does, and waits until
// it answers.
func (m *machine) helper() int {
	m.t.Helper()
	before := helpersOf(m.s)
	c := exec.Command(m.program, "helper")
	c.Env = m.environ()
	c.Dir = m.s
	if err := c.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() { _ = c.Wait() }()
	if !wait(10*time.Second, func() bool {
		out, _, code := m.run("status", "--json")
		return code == 0 && strings.Contains(out, fmt.Sprintf(`"pid": %d`, c.Process.Pid))
	}) {
		m.t.Fatalf("the helper does not answer; there were %v", before)
	}
	return c.Process.Pid
}

// helpersOf are the helpers of a state folder, found as their user would: by
// what they were started with.
func helpersOf(state string) []int {
	var pids []int
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		line, _ := os.ReadFile(file)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if !strings.Contains(string(line), "\x00helper\x00") || !strings.Contains(string(env), "SIDEKICK_HOME="+state+"\x00") {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(file, "/proc/%d/cmdline", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func wait(bound time.Duration, ok func() bool) bool {
	for deadline := time.Now().Add(bound); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
