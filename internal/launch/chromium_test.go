package launch_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/nativehost"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "chrome-extension://") {
		// The browser has started this binary as the native host.
		dirs, err := paths.Default()
		if err == nil {
			err = nativehost.Run(context.Background(), nativehost.Options{
				Stdin: os.Stdin, Stdout: os.Stdout, Hello: nativehost.Browser(os.Args[1:]),
				Dial: func(ctx context.Context) (*ipc.Conn, error) { return ipc.Dial(ctx, dirs) },
			})
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// hang bounds waits that should take a second at most.
const hang = 30 * time.Second

// chromium makes SIDEKICK_BROWSER and its flags those of a test.
func chromium(t *testing.T) {
	t.Helper()
	exe := os.Getenv("SIDEKICK_BROWSER")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if exe != "" {
			break
		}
		exe, _ = exec.LookPath(name)
	}
	if exe == "" {
		t.Fatal("this test needs a browser: run scripts/setup.sh test, or set SIDEKICK_BROWSER")
	}
	t.Setenv("SIDEKICK_BROWSER", exe)
	t.Setenv("SIDEKICK_BROWSER_ARGS", "--headless=new --no-sandbox --disable-background-networking --disable-component-update --disable-sync --disable-features=Translate")
	t.Setenv("SIDEKICK_TOKEN", "skt_secret")
}

// world is a helper in this process with the real launcher.
type world struct {
	dirs     paths.Dirs
	store    *pairing.Store
	launcher *launch.Launcher
	stop     func()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	chromium(t)
	home, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(testLog{t}, nil))
	dirs := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	w := &world{dirs: dirs, store: pairing.Open(dirs.Pairings()), launcher: launch.New(dirs, self, log)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), hang)
		defer cancel()
		if err := launch.StopManaged(ctx, dirs); err != nil {
			t.Error(err)
		}
		w.launcher.Wait()
		os.RemoveAll(home)
	})
	w.start(t, log)
	return w
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// start runs the helper; w.stop ends it, without ending the browser.
func (w *world) start(t *testing.T, log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- helper.Run(ctx, helper.Options{Dirs: w.dirs, Version: "test", Pairings: w.store, Launcher: w.launcher, Log: log})
	}()
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		done <- nil
	}
	t.Cleanup(func() { w.stop() })
}

// ask connects an agent and asks for its tabs.
func (w *world) ask(t *testing.T, token string) json.RawMessage {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	conn, _, err := helper.DialAgent(ctx, w.dirs, token, "tester", "test", func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Write(&wire.Message{ID: 1, Method: "Target.getTargets", Params: json.RawMessage("{}")}); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		if m.ID != 1 {
			continue
		}
		if m.Error != nil {
			t.Fatalf("asking for the tabs: %v", m.Error)
		}
		return m.Result
	}
}

func TestManagedBrowser(t *testing.T) {
	for name, prepare := range map[string]func(*launch.Launcher){
		"load-extension": func(*launch.Launcher) {},
		"pipe":           launch.GoPipeWay,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			prepare(w.launcher)
			_, token, err := w.store.Add(t.Context(), "Demo", pairing.Options{Managed: true})
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if got := w.ask(t, token.Reveal()); !strings.Contains(string(got), "targetInfos") {
				t.Errorf("the browser answered %s", got)
			}
			t.Logf("cold wake: %v", time.Since(begun))
			s, err := helper.Status(t.Context(), w.dirs)
			if err != nil || len(s.Browsers) != 1 || !s.Browsers[0].Managed || s.Browsers[0].Exe == "" {
				t.Errorf("the status is %+v, %v", s, err)
			}
			t.Logf("%+v", s.Browsers)
			for _, env := range processes(t, w.dirs.ManagedProfile()) {
				if strings.Contains(env, "skt_secret") {
					t.Error("a process of the browser has the agent's token in its environment")
				}
			}

			// The browser outlives the helper, and the next one finds it.
			w.stop()
			w.start(t, slog.New(slog.NewTextHandler(testLog{t}, nil)))
			w.ask(t, token.Reveal())
			after, err := helper.Status(t.Context(), w.dirs)
			if err != nil || len(after.Browsers) != 1 || after.Browsers[0].PID != s.Browsers[0].PID {
				t.Errorf("after the helper's restart the status is %+v, %v, want the same native host", after, err)
			}

			if err := helper.Stop(t.Context(), w.dirs); err != nil {
				t.Fatal(err)
			}
			for dir, env := range processes(t, w.dirs.ManagedProfile()) {
				line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
				stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
				t.Errorf("left is %s %q %s\n%q", dir, line, stat, env)
			}
			if left, _ := filepath.Glob(filepath.Join(w.dirs.Run, "*")); len(left) > 0 {
				t.Errorf("left are %q", left)
			}
		})
	}
}

// processes are those that have text on their command line or in their
// environment, by their folders in /proc, and their environments.
func processes(t *testing.T, text string) map[string]string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, dir := range dirs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if strings.Contains(string(env)+string(line), text) {
			all[dir] = string(env)
		}
	}
	return all
}
