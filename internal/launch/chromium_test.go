package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer"
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
	tmp := filepath.Join(home, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
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

			// It is reached without its window coming forward, by the
			// launcher that started it and by a later helper's.
			later := launch.New(w.dirs, w.launcher.Self, w.launcher.Log)
			for _, l := range []*launch.Launcher{w.launcher, later} {
				if err := launch.WakeOverPipe(t.Context(), l); err != nil {
					t.Error(err)
				}
				launch.DropPipe(l)
			}
			w.ask(t, token.Reveal())

			if err := helper.Stop(t.Context(), w.dirs); err != nil && !errors.Is(err, helper.ErrNotRunning) {
				t.Fatal(err)
			}
			for dir, env := range processes(t, w.dirs.ManagedProfile()) {
				line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
				stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
				t.Errorf("left is %s %q %s\n%q", dir, line, stat, env)
			}
			for _, dir := range []string{w.dirs.Run, filepath.Join(w.dirs.State, "tmp")} {
				// This process is the helper's too, so its end is not waited for.
				waitFor(t, "nothing to be left in "+dir, func() bool {
					left, _ := filepath.Glob(filepath.Join(dir, "*"))
					return len(left) == 0
				})
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

// The user's own browser is woken when it is closed; the pairing's place is
// learnt from the browser itself. (That a running one is reached is package
// e2e's to show: it needs a window, for a headless one takes no second command.)
func TestUsersBrowser(t *testing.T) {
	w := newWorld(t)
	profile := filepath.Join(w.dirs.State, "mine")
	if _, err := installer.WriteManifest(filepath.Join(profile, "NativeMessagingHosts"), w.launcher.Self, w.launcher.ExtensionID); err != nil {
		t.Fatal(err)
	}
	unpacked := filepath.Join(w.dirs.State, "unpacked")
	if err := os.CopyFS(unpacked, w.launcher.Extension); err != nil {
		t.Fatal(err)
	}
	// This stands for the user's having loaded the extension.
	t.Setenv("SIDEKICK_BROWSER_ARGS", os.Getenv("SIDEKICK_BROWSER_ARGS")+" --disable-features=DisableLoadExtensionCommandLineSwitch --load-extension='"+unpacked+"'")
	t.Setenv("SIDEKICK_HOME", w.dirs.State)
	target := launch.Target{Browser: os.Getenv("SIDEKICK_BROWSER"), UserDataDir: profile}
	t.Cleanup(func() { endBrowser(t, profile) })

	connected := make(chan struct{})
	go func() {
		defer close(connected)
		waitFor(t, "the browser to connect", func() bool {
			s, err := helper.Status(context.Background(), w.dirs)
			return err == nil && len(s.Browsers) == 1
		})
	}()
	if tried, err := w.launcher.Wake(t.Context(), target, connected); err != nil || len(tried) != 1 || !strings.Contains(tried[0], profile) {
		t.Fatalf("waking: %q, %v", tried, err)
	}
	<-connected

	p, token, err := w.store.Add(t.Context(), "FrogBot", pairing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.ask(t, token.Reveal())
	waitFor(t, "the pairing's place to be noted", func() bool {
		got, err := w.store.Find(t.Context(), p.ID)
		return err == nil && got.UserDataDir == profile && got.Browser == target.Browser && got.Profile != ""
	})
	if !w.launcher.Running(t.Context(), target) {
		t.Error("the browser does not count as running")
	}
	endBrowser(t, profile)
	waitFor(t, "the browser to be gone", func() bool {
		s, err := helper.Status(t.Context(), w.dirs)
		return err == nil && len(s.Browsers) == 0
	})
	if w.launcher.Running(t.Context(), target) {
		t.Error("the killed browser counts as running")
	}
	w.ask(t, token.Reveal())
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hang); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("waited in vain for %s", what)
			return
		}
	}
}

// endBrowser kills the browser that uses a folder of profiles.
func endBrowser(t *testing.T, userDataDir string) {
	t.Helper()
	link, err := os.Readlink(filepath.Join(userDataDir, "SingletonLock"))
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(link[strings.LastIndex(link, "-")+1:])
	if err != nil {
		t.Fatal(err)
	}
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
	if err := launch.WaitGone(t.Context(), pid); err != nil && t.Context().Err() == nil {
		t.Error(err)
	}
	waitFor(t, "the browser's children to end", func() bool { return len(processes(t, userDataDir)) == 0 })
}
