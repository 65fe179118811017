package npm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/npm/npmtest"
)

// bound is how long anything may take before it counts as hung.
const bound = time.Minute

// world is what all tests share.
var world = sync.OnceValues(func() (w struct {
	dir      string
	nodes    []npmtest.Node
	registry *npmtest.Registry
}, err error) {
	if w.dir, err = os.MkdirTemp("", "sidekick-npm-"); err != nil {
		return w, err
	}
	if w.nodes, err = npmtest.Nodes(filepath.Join(w.dir, "nodes")); err != nil {
		return w, err
	}
	if err = npmtest.Build(context.Background(), filepath.Join(w.dir, "dist")); err != nil {
		return w, err
	}
	w.registry, err = npmtest.NewRegistry(filepath.Join(w.dir, "dist", "npm"))
	return w, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if w, _ := world(); w.dir != "" {
		os.RemoveAll(w.dir)
	}
	os.Exit(code)
}

// onEachNode runs a test for a new user of each version of Node.js, this
// machine's included.
func onEachNode(t *testing.T, test func(t *testing.T, u *user)) {
	t.Helper()
	on(t, test, func(int, int) bool { return true })
}

// onEnds runs it for the oldest version only, which has no execve, and for the
// newest, which has it: npm's part is the same on all.
func onEnds(t *testing.T, test func(t *testing.T, u *user)) {
	t.Helper()
	on(t, test, func(i, n int) bool { return i == 0 || i == n-2 })
}

// on runs it for some of n versions; the last is this machine's.
func on(t *testing.T, test func(t *testing.T, u *user), some func(i, n int) bool) {
	t.Helper()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range w.nodes {
		if !some(i, len(w.nodes)) {
			continue
		}
		t.Run(n.Name, func(t *testing.T) {
			t.Parallel()
			test(t, newUser(t, n))
		})
	}
}

// user is a user with a pairing.
type user struct {
	*npmtest.User
	dir     string // an empty folder
	version string
	state   string // SIDEKICK_HOME
}

func newUser(t *testing.T, n npmtest.Node) *user {
	t.Helper()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	u := &user{dir: t.TempDir(), version: w.registry.Version, state: state}
	u.User = npmtest.NewUser(n, t.TempDir(), w.registry.URL, "SIDEKICK_HOME="+state)
	built := filepath.Join(w.dir, "dist", "bin", runtime.GOOS+"-"+runtime.GOARCH, "sidekick-mcp")
	out, _, code, err := u.Run(u.dir, built, "pair", "--name", "Test", "--json")
	if err != nil || code != 0 {
		t.Fatalf("pairing: %v, exit code %d", err, code)
	}
	var p struct{ Token string }
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	u.Env = append(u.Env, "SIDEKICK_TOKEN="+p.Token)
	return u
}

// must runs a command that is to succeed.
func (u *user) must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	stdout, stderr, code, err := u.Run(dir, name, args...)
	if err != nil || code != 0 {
		t.Fatalf("%s %v: %v, exit code %d\n%s%s", name, args, err, code, stdout, stderr)
	}
	return stdout
}

// server is a started agent role, whose greeting is over.
type server struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *strings.Builder // to be read when it has ended
	rest   chan error       // the end of stdout, and Wait's
}

// start starts a server as a host does, greets it, and checks its tools.
func (u *user) start(t *testing.T, dir, name string, args ...string) *server {
	t.Helper()
	cmd := u.Command(dir, name, args...)
	s := &server{cmd: cmd, stderr: &strings.Builder{}, rest: make(chan error, 1)}
	// Not exec's own pipes: at the death of what it started exec closes the one
	// to it, which would end all behind it, and waits for the end of the other.
	theirs, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, in, errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	in.Close()
	go func() {
		err := cmd.Wait()
		b, _ := os.ReadFile(errOut.Name())
		s.stderr.Write(b)
		errOut.Close()
		s.rest <- err
	}()
	t.Cleanup(func() {
		s.stdin.Close()
		cmd.Process.Kill()
		out.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	// The writer is not closed with the session: a host decides when.
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: out, Writer: stays{s.stdin}}, nil)
	if err != nil {
		b, _ := os.ReadFile(errOut.Name())
		t.Fatalf("%s %v: %v\n%s", name, args, err, b)
	}
	if got := session.InitializeResult().ServerInfo.Version; got != u.version {
		t.Errorf("the server is %q, the package %q", got, u.version)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range list.Tools {
		names[tool.Name] = true
	}
	if !names["navigate"] || !names["read_page"] || !names["tabs"] {
		t.Errorf("tools are missing: %v", names)
	}
	return s
}

type stays struct{ io.Writer }

func (stays) Close() error { return nil }

// end waits for the end and returns the exit code, or the signal of its death.
func (s *server) end(t *testing.T) (int, syscall.Signal) {
	t.Helper()
	select {
	case err := <-s.rest:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	case <-time.After(bound):
		t.Fatal("it does not end")
	}
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -1, status.Signal()
	}
	return status.ExitStatus(), 0
}

// endsWith checks how it ended.
func (s *server) endsWith(t *testing.T, code int, sig syscall.Signal) {
	t.Helper()
	if c, g := s.end(t); c != code || g != sig {
		t.Errorf("it ended with exit code %d, signal %v; want %d, %v\n%s", c, g, code, sig, s.stderr)
	}
}

// isProgram reports whether a file is the program and not a script.
func isProgram(t *testing.T, path string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return !strings.HasPrefix(string(b), "#!")
}

// installed is the launcher's file somewhere under a folder.
func installed(t *testing.T, dir string) string {
	t.Helper()
	var found string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, filepath.FromSlash("node_modules/"+npmtest.Package+"/bin/sidekick-mcp")) {
			found = path
			return fs.SkipAll
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("the package is not installed under %s: %v", dir, err)
	}
	return found
}

// The command that every host is told to run, from nothing.
func TestNpx(t *testing.T) {
	onEachNode(t, func(t *testing.T, u *user) {
		npx := func(t *testing.T) *server { return u.start(t, u.dir, "npx", "-y", npmtest.Package) }
		s := npx(t)
		s.stdin.Close()
		s.endsWith(t, 0, 0)
		if !isProgram(t, installed(t, u.Home)) {
			t.Error("install scripts ran, but the program is not in the launcher's place")
		}
		s = npx(t)
		s.cmd.Process.Signal(syscall.SIGTERM)
		s.end(t) // npm says in its own way that it was ended
		u.nothingRuns(t)
		// The host keeps its pipe, as one that hangs would.
		s = npx(t)
		s.cmd.Process.Kill()
		s.end(t)
		u.nothingRuns(t)

		if out := u.must(t, u.dir, "npx", "-y", npmtest.Package, "version"); !strings.HasPrefix(out, "sidekick-mcp "+u.version+" ") {
			t.Errorf("version prints %q", out)
		}
		if _, _, code, err := u.Run(u.dir, "npx", "-y", npmtest.Package, "no-such-command"); err != nil || code != 2 {
			t.Errorf("a wrong command ends with %d, %v; want 2", code, err)
		}
		// What a host is told to run by a program that npx brought.
		if out := u.must(t, u.dir, "npx", "-y", npmtest.Package, "pair", "--name", "Other", "--json"); !strings.Contains(out, `"command": "npx"`) {
			t.Errorf("pair tells of %s", out)
		}
	})
}

// Without install scripts npx runs the launcher.
func TestNpxWithoutScripts(t *testing.T) {
	onEachNode(t, func(t *testing.T, u *user) {
		u.Env = append(u.Env, "npm_config_ignore_scripts=true")
		s := u.start(t, u.dir, "npx", "-y", npmtest.Package)
		if isProgram(t, installed(t, u.Home)) {
			t.Error("the launcher was replaced")
		}
		s.stdin.Close()
		s.endsWith(t, 0, 0)
		s = u.start(t, u.dir, "npx", "-y", npmtest.Package)
		s.cmd.Process.Kill()
		s.end(t)
		u.nothingRuns(t)
		if _, _, code, err := u.Run(u.dir, "npx", "-y", npmtest.Package, "no-such-command"); err != nil || code != 2 {
			t.Errorf("a wrong command ends with %d, %v; want 2", code, err)
		}
	})
}

// The launcher and what takes its place are one and the same to a host.
func TestLauncher(t *testing.T) {
	for _, c := range []struct {
		name    string
		install []string
		program bool
	}{
		{"launcher", []string{"--ignore-scripts"}, false},
		{"replaced", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			each := onEachNode
			if c.program {
				each = onEnds // no Node is in it
			}
			each(t, func(t *testing.T, u *user) {
				dir := filepath.Join(u.dir, "Ordner mit Ä, 日本 & 'quotes'")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				u.must(t, dir, "npm", append([]string{"install", npmtest.Package}, c.install...)...)
				if got := isProgram(t, installed(t, dir)); got != c.program {
					t.Fatalf("the program is in the launcher's place: %v", got)
				}
				testLauncher(t, u, filepath.Join(dir, "node_modules", ".bin", "sidekick-mcp"))
			})
		})
	}
}

func testLauncher(t *testing.T, u *user, launcher string) {
	start := func() *server { return u.start(t, u.dir, launcher) }
	s := start()
	s.stdin.Close()
	s.endsWith(t, 0, 0)
	if s.stderr.Len() > 0 {
		t.Errorf("it has something to say: %s", s.stderr)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s := start()
		s.cmd.Process.Signal(sig)
		s.endsWith(t, 0, 0)
		u.nothingRuns(t)
	}
	// Which the program does not mind: the host sees the death that it died.
	s = start()
	s.cmd.Process.Signal(syscall.SIGHUP)
	s.endsWith(t, -1, syscall.SIGHUP)
	u.nothingRuns(t)
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP} {
		s = start()
		u.killProgram(t, sig)
		s.endsWith(t, -1, sig)
		u.nothingRuns(t)
	}
	// Killed while the host keeps its pipe.
	s = start()
	s.cmd.Process.Kill()
	s.endsWith(t, -1, syscall.SIGKILL)
	u.nothingRuns(t)

	out, errOut, code, err := u.Run(u.dir, launcher, "pair", "--name", "Ä b", "--json", "extra")
	if err != nil || code != 2 || out != "" || !strings.Contains(errOut, "extra") {
		t.Errorf("a wrong command: exit code %d, %v, stdout %q, stderr %q", code, err, out, errOut)
	}
	if out := u.must(t, u.dir, launcher, "pair", "--name", "Ä  b", "--json"); !strings.Contains(out, `"name": "Ä b"`) {
		t.Errorf("the arguments did not get through: %s", out)
	}
}

// The tarballs from files, without a registry.
func TestFromFiles(t *testing.T) {
	onEnds(t, func(t *testing.T, u *user) {
		w, err := world()
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(w.dir, "dist", "npm", "*.tgz"))
		if err != nil || len(files) != 2 {
			t.Fatalf("%v, %v", files, err)
		}
		u.must(t, u.dir, "npm", append([]string{"install", "--offline"}, files...)...)
		s := u.start(t, u.dir, "npx", "--offline", "-y", npmtest.Package)
		s.stdin.Close()
		s.endsWith(t, 0, 0)
	})
}

// Without optional dependencies there is no program: one sentence says which
// package to install, and doing so mends it.
func TestWithoutOptional(t *testing.T) {
	onEnds(t, func(t *testing.T, u *user) {
		u.must(t, u.dir, "npm", "install", "--omit=optional", npmtest.Package)
		launcher := filepath.Join(u.dir, "node_modules", ".bin", "sidekick-mcp")
		out, errOut, code, err := u.Run(u.dir, launcher)
		install := `npm install ` + npmtest.Platform() + "@" + u.version
		if err != nil || code != 1 || out != "" || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, install) {
			t.Fatalf("exit code %d, %v, stdout %q, stderr %q", code, err, out, errOut)
		}
		u.must(t, u.dir, "npm", strings.Fields(install)[1:]...)
		s := u.start(t, u.dir, launcher)
		s.stdin.Close()
		s.endsWith(t, 0, 0)
	})
}

// A folder of packages that came from another kind of machine, without the mode
// that says that the program may be run.
func TestModeLost(t *testing.T) {
	onEnds(t, func(t *testing.T, u *user) {
		u.must(t, u.dir, "npm", "install", "--ignore-scripts", npmtest.Package)
		program := filepath.Join(u.dir, "node_modules", filepath.FromSlash(npmtest.Platform()), "bin", "sidekick-mcp")
		if err := os.Chmod(program, 0o644); err != nil {
			t.Fatal(err)
		}
		s := u.start(t, u.dir, filepath.Join(u.dir, "node_modules", ".bin", "sidekick-mcp"))
		s.stdin.Close()
		s.endsWith(t, 0, 0)
	})
}
