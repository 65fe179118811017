package ipc

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asStranger runs f with a new socket on a thread of another user, whom the
// kernel writes down as the socket's own.
func asStranger(t *testing.T, f func(fd int) error) *os.File {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "the stranger's socket")
	t.Cleanup(func() { file.Close() })
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		const same, nobody = ^uintptr(0), 65534
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, same, nobody, same); errno != 0 {
			done <- errno
			return
		}
		done <- f(fd)
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return file
}

// openPlace is where a socket can be that every user reaches.
func openPlace(t *testing.T) *unix.SockaddrUnix {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return &unix.SockaddrUnix{Name: filepath.Join(dir, "s")}
}

// Whoever comes as another user is hung up on, though the modes of the files
// let them in.
func TestConnectionsOfOthersAreClosed(t *testing.T) {
	place := openPlace(t)
	l, err := listen(place.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(place.Name, 0o666); err != nil {
		t.Fatal(err)
	}
	stranger, err := net.FileConn(asStranger(t, func(fd int) error { return unix.Connect(fd, place) }))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	own, err := dial(t.Context(), place.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	// They come in the order in which they connected.
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for said, c := range map[string]net.Conn{"stranger": stranger, "own": own} {
		_, _ = c.Write([]byte(said)) // into a connection that is over it may fail
	}
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	b := make([]byte, 20)
	if n, err := nc.Read(b); err != nil || string(b[:n]) != "own" {
		t.Errorf("the first connection that came through says %q, %v: want this user's own", b[:n], err)
	}
	stranger.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := stranger.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the stranger's connection gives %v, want its end", err)
	}
}

// A socket that another user listens on is told nothing.
func TestHelperOfAnotherUserIsNotUsed(t *testing.T) {
	place := openPlace(t)
	asStranger(t, func(fd int) error {
		if err := unix.Bind(fd, place); err != nil {
			return err
		}
		return unix.Listen(fd, 1)
	})
	nc, err := dial(t.Context(), place.Name)
	if err == nil {
		nc.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("dialing it: %v, want to be told whose it is", err)
	}
}
