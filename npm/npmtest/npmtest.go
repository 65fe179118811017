// Package npmtest gives tests and benchmarks what a user of the npm package
// has: the packages in a registry, a version of Node.js with its npm, and a
// home folder. It is a package of its own since two others need it.
package npmtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Package is the name of the launcher's package.
const Package = "@frogbotai/sidekick-mcp"

// Platform is the name of the package that holds this machine's program.
func Platform() string {
	system, cpu := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return Package + "-" + system + "-" + cpu
}

// Root is the source tree.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for the source tree: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// Build makes the packages for this machine in dir, as a release makes them.
func Build(ctx context.Context, dir string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./scripts/release", "-platforms", runtime.GOOS+"/"+runtime.GOARCH, "-out", dir, "npm")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("making the npm packages: %w\n%s", err, out)
	}
	return nil
}

// Node is a version of Node.js and the npm that is used with it.
type Node struct {
	Name string // such as "v22.23.5"
	// Dir holds node, npm and npx, and nothing else.
	Dir string
}

// Nodes are the versions of npm/nodes, and this machine's own, with a folder
// for each in dir. On Linux, for which npm has all of them, it is an error if
// one is missing.
func Nodes(dir string) ([]Node, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	modules := filepath.Join(root, "npm", "nodes", "node_modules")
	cpu := strings.TrimPrefix(Platform(), Package+"-")
	var nodes []Node
	for _, major := range []string{"18", "20", "22"} {
		bin := filepath.Join(modules, "node-"+major+"-"+cpu, "bin", "node")
		if _, err := os.Stat(bin); err != nil {
			if runtime.GOOS == "linux" {
				return nil, fmt.Errorf("Node.js %s is missing: run scripts/npm-nodes.sh (%w)", major, err)
			}
			continue
		}
		n, err := newNode(filepath.Join(dir, major), bin, filepath.Join(modules, "npm", "bin", "npm-cli.js"), filepath.Join(modules, "npm", "bin", "npx-cli.js"))
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	var own []string
	for _, name := range []string{"node", "npm", "npx"} {
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("%w: run scripts/setup.sh test", err)
		}
		own = append(own, path)
	}
	n, err := newNode(filepath.Join(dir, "own"), own[0], own[1], own[2])
	n.Name += " of this machine"
	return append(nodes, n), err
}

func newNode(dir, node, npm, npx string) (Node, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Node{}, err
	}
	for name, target := range map[string]string{"node": node, "npm": npm, "npx": npx} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return Node{}, err
		}
	}
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		return Node{}, fmt.Errorf("%s: %w", node, err)
	}
	return Node{Name: strings.TrimSpace(string(out)), Dir: dir}, nil
}

// User is somebody who has a version of Node.js and has installed nothing yet.
type User struct {
	Node     Node
	Home     string // with npm's cache in it
	Registry string // the address of the only one there is
	Manager  string // the folder with the programs of one of npm's kin; see [Manager]
	Env      []string
}

// NewUser is a user with an empty home, and with env besides what everyone has.
func NewUser(node Node, home, registry string, env ...string) *User {
	return &User{Node: node, Home: home, Registry: registry, Env: append([]string{
		"PATH=" + node.Dir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home,
		"npm_config_registry=" + registry,
		"npm_config_cache=" + filepath.Join(home, ".npm"),
		"TMPDIR=" + os.TempDir(),
	}, env...)}
}

// Command is a command of the user's, in a folder.
func (u *User) Command(dir, name string, args ...string) *exec.Cmd {
	for _, own := range []string{u.Node.Dir, u.Manager} {
		if file := filepath.Join(own, name); own != "" && filepath.Base(name) == name && isFile(file) {
			name = file
		}
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, u.Env
	return cmd
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// Run runs a command to its end and returns what it printed.
func (u *User) Run(dir, name string, args ...string) (stdout, stderr string, code int, err error) {
	cmd := u.Command(dir, name, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return o.String(), e.String(), exit.ExitCode(), nil
	}
	return o.String(), e.String(), 0, err
}
