package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

const (
	holderEnv  = "SIDEKICK_TEST_HOLDER"  // be a helper that only holds its place, in this folder
	printerEnv = "SIDEKICK_TEST_PRINTER" // print what StartHelper gives, into this file
)

func TestMain(m *testing.M) {
	if home := os.Getenv(holderEnv); home != "" {
		l, _, err := Listen(context.Background(), dirsIn(home))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("listening")
		for {
			nc, err := l.Accept()
			if err != nil {
				os.Exit(1)
			}
			nc.Close()
		}
	}
	if file := os.Getenv(printerEnv); file != "" {
		wd, _ := os.Getwd()
		fmt.Fprintln(os.Stderr, "last words")
		text := strings.Join(append([]string{wd, strings.Join(os.Args[1:], " ")}, os.Environ()...), "\n")
		os.WriteFile(file+".new", []byte(text), 0o600)
		os.Rename(file+".new", file)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const hang = 20 * time.Second

func dirsIn(home string) paths.Dirs {
	return paths.Dirs{State: home, Run: filepath.Join(home, "run")}
}

func tempDirs(t *testing.T) paths.Dirs {
	t.Helper()
	home, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return dirsIn(home)
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hang); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// listenHere listens and answers every frame with the same, until the test
// ends.
func listenHere(t *testing.T, dirs paths.Dirs) {
	t.Helper()
	l, release, err := Listen(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				c := NewConn(nc)
				defer c.Close()
				for {
					m, err := c.Read()
					if err != nil || c.Write(m) != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		release()
		wg.Wait()
		if left, _ := filepath.Glob(filepath.Join(dirs.Run, "*")); len(left) > 0 {
			t.Errorf("after release %q are left", left)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	dirs := tempDirs(t)
	if _, err := Dial(t.Context(), dirs); !NotRunning(err) {
		t.Fatalf("dialing nobody: %v", err)
	}
	listenHere(t, dirs)
	conn, err := Dial(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// Many writers, whole frames.
	var wg sync.WaitGroup
	for i := range int64(50) {
		wg.Go(func() {
			if err := conn.Write(&wire.Message{ID: 1 + i, Method: strings.Repeat("m", int(i)*1000)}); err != nil {
				t.Error(err)
			}
		})
	}
	seen := make(map[int64]bool)
	for range 50 {
		m, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID] || len(m.Method) != int(m.ID-1)*1000 {
			t.Errorf("got message %d with %d bytes", m.ID, len(m.Method))
		}
		seen[m.ID] = true
	}
	wg.Wait()
}

func TestBrokenFramesAreSkipped(t *testing.T) {
	here, there := net.Pipe()
	c := NewConn(here)
	defer c.Close()
	go func() {
		wire.WriteFrame(there, []byte(`{"id":1`), wire.MaxFrame)
		wire.WriteFrame(there, make([]byte, wire.MaxFrame+1), 1<<31)
		wire.WriteFrame(there, []byte(`{"id":2}`), wire.MaxFrame)
		there.Close()
	}()
	var bad *BadFrameError
	if _, err := c.Read(); !errors.As(err, &bad) || !Recoverable(err) || Envelope(bad.Prefix).ID != 1 {
		t.Errorf("a broken frame: %v", err)
	}
	var large *wire.TooLargeError
	if _, err := c.Read(); !errors.As(err, &large) || !Recoverable(err) {
		t.Errorf("a frame over the limit: %v", err)
	}
	if m, err := c.Read(); err != nil || m.ID != 2 {
		t.Errorf("the frame after: %+v, %v", m, err)
	}
	if _, err := c.Read(); err == nil || Recoverable(err) {
		t.Errorf("the end: %v", err)
	}
}

func TestEnvelope(t *testing.T) {
	for text, want := range map[string]wire.Message{
		``:                           {},
		`nonsense`:                   {},
		`[1,2]`:                      {},
		`{"id":7,"method":"x","par`:  {ID: 7, Method: "x"},
		`{"id":7,"params":{"a":[1,`:  {ID: 7},
		`{"params":{"id":3},"id":7}`: {ID: 7},
		`{"id":"x","method":"y"}`:    {},
		`{"agent":"a","sessionId":"s","id":9,"result":"xxxx`: {ID: 9, Agent: "a", SessionID: "s"},
	} {
		got := Envelope([]byte(text))
		if got.ID != want.ID || got.Agent != want.Agent || got.SessionID != want.SessionID || got.Method != want.Method {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

func TestSocketIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // a pipe has no mode; its descriptor names the user alone
	}
	dirs := tempDirs(t)
	listenHere(t, dirs)
	for name, want := range map[string]fs.FileMode{dirs.Socket(): 0o600, dirs.Run: 0o700, dirs.Lock(): 0o600} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", name, fi.Mode().Perm(), err, want)
		}
	}
}

func TestOnlyOneListens(t *testing.T) {
	dirs := tempDirs(t)
	listenHere(t, dirs)
	if _, _, err := Listen(t.Context(), dirs); !errors.Is(err, ErrRunning) {
		t.Errorf("the second one got %v, want ErrRunning", err)
	}
	conn, err := Dial(t.Context(), dirs)
	if err != nil {
		t.Fatalf("the second one has broken the first: %v", err)
	}
	conn.Close()
}

// A helper on its way out, which answers no more and holds the lock yet, is
// waited for.
func TestListenWaitsForTheOneThatLeaves(t *testing.T) {
	dirs := tempDirs(t)
	l, release, err := Listen(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	next := make(chan error, 1)
	go func() {
		_, release, err := Listen(t.Context(), dirs)
		if err == nil {
			release()
		}
		next <- err
	}()
	select {
	case err := <-next:
		t.Fatalf("the next one did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	release()
	if err := <-next; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, release, err = Listen(ctx, dirs)
	if err != nil {
		t.Fatal(err)
	}
	release()
	release() // twice is once
	cancel()
}

// holder starts this binary as a process that listens.
func holder(t *testing.T, dirs paths.Dirs) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderEnv+"="+dirs.State)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line := make([]byte, 100)
	if n, err := out.Read(line); err != nil || string(line[:n]) != "listening\n" {
		t.Fatalf("the process said %q, %v", line[:n], err)
	}
	return cmd
}

func TestTakesOverWhatAKilledOneLeft(t *testing.T) {
	dirs := tempDirs(t)
	for range 3 {
		cmd := holder(t, dirs)
		if _, _, err := Listen(t.Context(), dirs); !errors.Is(err, ErrRunning) {
			t.Fatalf("while it lives: %v", err)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	if runtime.GOOS != "windows" {
		if _, err := os.Lstat(dirs.Socket()); err != nil {
			t.Errorf("the killed one left no socket: this test shows nothing (%v)", err)
		}
	}
	if _, err := Dial(t.Context(), dirs); !NotRunning(err) {
		t.Errorf("dialing a killed one: %v", err)
	}
	listenHere(t, dirs)
	if conn, err := Dial(t.Context(), dirs); err != nil {
		t.Error(err)
	} else {
		conn.Close()
	}
}

func TestCleanUp(t *testing.T) {
	dirs := tempDirs(t)
	if err := CleanUp(dirs); err != nil {
		t.Errorf("where nothing is: %v", err)
	}
	cmd := holder(t, dirs)
	if err := CleanUp(dirs); err != nil {
		t.Error(err)
	}
	conn, err := Dial(t.Context(), dirs)
	if err != nil {
		t.Fatalf("it has cleaned up a running helper: %v", err)
	}
	conn.Close()
	cmd.Process.Kill()
	cmd.Wait()
	if err := CleanUp(dirs); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dirs.Run, "*")); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// What is not a socket of ours is never unlinked.
func TestForeignFileInTheWay(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // a pipe is no file
	}
	dirs := tempDirs(t)
	if err := dirs.Ensure(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dirs.Socket(), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Listen(t.Context(), dirs); err == nil || !strings.Contains(err.Error(), dirs.Socket()) {
		t.Errorf("got %v, want an error that names the file", err)
	}
	if b, err := os.ReadFile(dirs.Socket()); err != nil || string(b) != "precious" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if _, err := os.Stat(dirs.Lock()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock is left: %v", err)
	}
}

// Many lockers and releasers at once: never two at a time, though the file is
// removed and made anew all the time.
func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var mu sync.Mutex
	holders, turns := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				l, err := tryLock(path)
				if err != nil {
					t.Error(err)
					return
				}
				if l == nil {
					continue
				}
				mu.Lock()
				holders++
				turns++
				if holders > 1 {
					t.Error("two hold the lock")
				}
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				holders--
				mu.Unlock()
				l.release()
			}
		})
	}
	wg.Wait()
	if turns == 0 {
		t.Error("nobody ever had the lock")
	}
}

func TestStartHelper(t *testing.T) {
	dirs := tempDirs(t)
	file := filepath.Join(t.TempDir(), "out")
	t.Setenv(printerEnv, file)
	t.Setenv("SIDEKICK_TOKEN", "skt_secret")
	t.Setenv("SIDEKICK_MANAGED_PROFILE", "x")
	t.Setenv("SIDEKICK_BROWSER", "kept")
	before := goleak.IgnoreCurrent()
	if err := StartHelper(t.Context(), os.Args[0], dirs, "--idle", "1m"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the process to have run", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	state, err := filepath.EvalSymlinks(dirs.State)
	if err != nil {
		t.Fatal(err)
	}
	if lines[0] != state || lines[1] != "helper --idle 1m" {
		t.Errorf("it ran in %q with %q", lines[0], lines[1])
	}
	if strings.Contains(string(b), "skt_secret") || strings.Contains(string(b), "SIDEKICK_MANAGED_PROFILE") || !slices.Contains(lines, "SIDEKICK_BROWSER=kept") {
		t.Errorf("its environment is %q", lines[2:])
	}
	waitFor(t, "its last words", func() bool {
		b, err := os.ReadFile(dirs.Log())
		return err == nil && string(b) == "last words\n"
	})
	if err := StartHelper(t.Context(), filepath.Join(dirs.State, "nothing"), dirs); err == nil {
		t.Error("what is not there was started")
	}
	// What reaps the helper is gone when the helper is.
	waitFor(t, "the reaper's end", func() bool { return goleak.Find(before) == nil })
}

func TestDialOrStart(t *testing.T) {
	dirs := tempDirs(t)
	failure := errors.New("cannot")
	if _, err := DialOrStart(t.Context(), dirs, func(context.Context) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("got %v, want the starter's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := DialOrStart(ctx, dirs, func(context.Context) error { cancel(); return nil })
	if err == nil || !strings.Contains(err.Error(), dirs.Log()) {
		t.Errorf("a helper that never answers: %v, want an error that names its log", err)
	}
	starts := 0
	conn, err := DialOrStart(t.Context(), dirs, func(context.Context) error {
		starts++
		listenHere(t, dirs)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	conn, err = DialOrStart(t.Context(), dirs, func(context.Context) error { starts++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if starts != 1 {
		t.Errorf("the helper was started %d times", starts)
	}
}
