package npm

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/frogbotai/sidekick-mcp/npm/npmtest"
)

// manager is one of npm's kin, and what a user types.
type manager struct {
	name, dir string
	// once runs the program without installing it; none where there is no such
	// thing.
	once []string
	// add installs it, trust has install scripts run besides, and run runs it.
	add, trust, run []string
	// bin is whether there is a node_modules/.bin.
	bin bool
	env []string
}

func managers() []manager {
	p := npmtest.Package
	return []manager{
		{
			name: "pnpm-10", dir: "pnpm-10", once: []string{"pnpm", "dlx", p}, add: []string{"pnpm", "add", p},
			trust: []string{"--allow-build=" + p}, run: []string{"pnpm", "exec", "sidekick-mcp"}, bin: true,
		},
		{
			// Without the flag it ends with an error because it ran no script, and
			// has installed everything all the same.
			name: "pnpm-12", dir: "pnpm-12", once: []string{"pnpm", "dlx", p}, add: []string{"pnpm", "add", "--config.strict-dep-builds=false", p},
			trust: []string{"--allow-build=" + p}, run: []string{"pnpm", "exec", "sidekick-mcp"}, bin: true,
		},
		{
			name: "yarn-1", dir: "yarn-1", add: []string{"yarn", "add", "--ignore-scripts", p},
			trust: []string{"--no-ignore-scripts"}, run: []string{"yarn", "-s", "sidekick-mcp"}, bin: true,
		},
		{
			name: "yarn-4", dir: "yarn-4", once: []string{"yarn", "dlx", "-q", p}, add: []string{"yarn", "add", p},
			run: []string{"yarn", "sidekick-mcp"},
		},
		{
			name: "yarn-4 with scripts", dir: "yarn-4", add: []string{"yarn", "add", p}, run: []string{"yarn", "sidekick-mcp"},
			env: []string{"YARN_ENABLE_SCRIPTS=true"},
		},
		{
			name: "yarn-4 with node_modules", dir: "yarn-4", add: []string{"yarn", "add", p}, run: []string{"yarn", "sidekick-mcp"}, bin: true,
			env: []string{"YARN_NODE_LINKER=node-modules"},
		},
		{
			name: "bun", dir: "bun", once: []string{"bunx", p}, add: []string{"bun", "add", p},
			trust: []string{"--trust"}, run: []string{"bun", "run", "--silent", "sidekick-mcp"}, bin: true,
		},
	}
}

// project is an empty one of a user who has a manager.
func (m manager) project(t *testing.T, u *user, name string) string {
	t.Helper()
	dir := filepath.Join(u.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"package.json": `{"private": true}`}
	if m.dir == "yarn-4" {
		files["yarn.lock"] = "" // else it looks for the project further up
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// equip gives the user the manager, and no other.
func (m manager) equip(t *testing.T, u *user) {
	t.Helper()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	u.Manager = filepath.Join(t.TempDir(), "bin")
	if err := npmtest.Manager(u.Manager, m.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(u.Home, ".npmrc"), []byte("registry="+w.registry.URL+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	u.Env = append(u.Env, append([]string{
		"PATH=" + u.Manager + ":" + u.Node.Dir + ":/usr/bin:/bin",
		"TMPDIR=" + tmp, // where bunx installs
		"YARN_NPM_REGISTRY_SERVER=" + w.registry.URL, "YARN_UNSAFE_HTTP_WHITELIST=127.0.0.1", "YARN_ENABLE_TELEMETRY=0",
		"YARN_CACHE_FOLDER=" + filepath.Join(u.Home, "yarn"), // Yarn 1 has root's elsewhere
	}, m.env...)...)
}

// Each of npm's kin, in its own layout of folders, with and without install
// scripts, starts the program as a host does. With a Node.js that has execve, in
// one of the ways: the layouts are the same.
func TestManagers(t *testing.T) {
	for _, m := range managers() {
		t.Run(m.name, func(t *testing.T) {
			onEnds(t, func(t *testing.T, u *user) {
				m.equip(t, u)
				oldest := strings.HasPrefix(u.Node.Name, "v18.")
				if m.once != nil {
					t.Run("once", func(t *testing.T) { u.serves(t, u.dir, m.once) })
				}
				if oldest || m.once == nil {
					t.Run("installed", func(t *testing.T) {
						dir := m.project(t, u, "Ordner mit Ä, 日本")
						m.installs(t, u, dir, m.add)
					})
				}
				if m.trust != nil && oldest {
					t.Run("with scripts", func(t *testing.T) {
						m.installs(t, u, m.project(t, u, "trusted"), append(append([]string{}, m.add...), m.trust...))
					})
				}
			})
		})
	}
}

// installs installs the package in a project and runs it there.
func (m manager) installs(t *testing.T, u *user, dir string, add []string) {
	t.Helper()
	u.must(t, dir, add[0], add[1:]...)
	u.serves(t, dir, m.run)
	launcher := filepath.Join(dir, "node_modules", ".bin", "sidekick-mcp")
	if _, err := os.Stat(launcher); (err == nil) != m.bin {
		t.Fatalf("%s: %v", launcher, err)
	}
	if m.bin {
		u.serves(t, u.dir, []string{launcher})
	}
}

// serves checks that a command is an MCP server that ends with its input, by a
// signal, and when it is killed.
func (u *user) serves(t *testing.T, dir string, command []string) {
	t.Helper()
	start := func() *server { return u.start(t, dir, command[0], command[1:]...) }
	s := start()
	s.stdin.Close()
	s.endsWith(t, 0, 0)
	u.nothingRuns(t)
	s = start()
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.end(t) // each says in its own way that it was ended
	u.nothingRuns(t)
	// The host keeps its pipe, as one that hangs would.
	s = start()
	s.cmd.Process.Kill()
	s.end(t)
	u.nothingRuns(t)
	if _, errOut, code, err := u.Run(dir, command[0], append(command[1:len(command):len(command)], "no-such-command")...); err != nil || code == 0 || !strings.Contains(errOut, `there is no command "no-such-command"`) {
		t.Errorf("a wrong command ends with %d, %v: %s", code, err, errOut)
	}
	out := u.must(t, dir, command[0], append(command[1:len(command):len(command)], "config", "--host", "cursor")...)
	if !strings.Contains(out, `"command": "npx"`) {
		t.Errorf("a host is told to run %s", out)
	}
}
