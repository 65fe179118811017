//go:build unix

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/npm/npmtest"
)

// BenchmarkLauncher is what the npm package adds to the bare program, up to the
// answer to initialize, with each version of Node.js (scripts/npm-nodes.sh): the
// launcher, which npm leaves where install scripts are off; the program in its
// place; and both through npx, whose packages are in its cache already.
func BenchmarkLauncher(b *testing.B) {
	h := newHome(b)
	dir := b.TempDir()
	if err := npmtest.Build(b.Context(), dir); err != nil {
		b.Fatal(err)
	}
	registry, err := npmtest.NewRegistry(filepath.Join(dir, "npm"))
	if err != nil {
		b.Fatal(err)
	}
	defer registry.Close()
	nodes, err := npmtest.Nodes(filepath.Join(dir, "nodes"))
	if err != nil {
		b.Fatal(err)
	}
	type way struct {
		name    string
		command func() *exec.Cmd
	}
	ways := []way{{"bare", func() *exec.Cmd {
		cmd := exec.Command(h.exe)
		cmd.Env = h.env()
		return cmd
	}}}
	for _, n := range nodes[:max(1, len(nodes)-1)] { // this machine's own is one of them
		major, _, _ := strings.Cut(n.Name, ".")
		for _, scripts := range []bool{false, true} {
			name := major + "-launcher"
			env := []string{"SIDEKICK_HOME=" + h.dir, "SIDEKICK_TOKEN=" + h.token}
			if scripts {
				name = major + "-replaced"
			} else {
				env = append(env, "npm_config_ignore_scripts=true")
			}
			home := filepath.Join(dir, name)
			if err := os.Mkdir(home, 0o755); err != nil {
				b.Fatal(err)
			}
			u := npmtest.NewUser(n, home, registry.URL, env...)
			if out, errOut, code, err := u.Run(home, "npm", "install", npmtest.Package); err != nil || code != 0 {
				b.Fatalf("npm install: %v, exit code %d\n%s%s", err, code, out, errOut)
			}
			bin := filepath.Join(home, "node_modules", ".bin", "sidekick-mcp")
			empty := b.TempDir() // where npx finds nothing installed
			ways = append(ways,
				way{name, func() *exec.Cmd { return u.Command(empty, bin) }},
				way{name + "-npx", func() *exec.Cmd { return u.Command(empty, "npx", "-y", npmtest.Package) }})
		}
	}
	took := map[string]times{}
	once := func(w way) time.Duration {
		start := time.Now()
		a := startAgent(b, w.command())
		a.initialize()
		d := time.Since(start)
		a.end()
		return d
	}
	for _, w := range ways { // the caches
		once(w)
	}
	for b.Loop() {
		for i := range 5 { // in turn, since machines drift
			for _, w := range ways {
				// npx takes so long that one figure of it must do.
				if i == 0 || !strings.HasSuffix(w.name, "-npx") {
					took[w.name] = append(took[w.name], once(w))
				}
			}
		}
	}
	for _, w := range ways {
		took[w.name].report(b, w.name)
	}
}
