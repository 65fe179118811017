//go:build !windows

package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

func dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkPeer(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// listen needs the helper's lock to be held.
func listen(path string) (net.Listener, error) {
	if err := removeSocket(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	made, err := os.Lstat(path)
	if err != nil {
		l.Close()
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return &listener{Listener: l, path: path, made: made}, nil
}

// removeSocket removes what a killed helper left. It needs the helper's lock to
// be held, and touches nothing but a socket of this user.
func removeSocket(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode().Type() != fs.ModeSocket {
		return cause.SocketInTheWay.About(path)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is in the way and is no socket of this user: move it away", path)
	}
	return os.Remove(path)
}

// inTheWay returns an error if something that is no socket has the socket's
// place: it stays there until somebody takes it away.
func inTheWay(path string) error {
	if fi, err := os.Lstat(path); err == nil && fi.Mode().Type() != fs.ModeSocket {
		return cause.SocketInTheWay.About(path)
	}
	return nil
}

// listener takes connections of this user only.
type listener struct {
	net.Listener
	path string
	made fs.FileInfo
}

// Close removes the socket, unless somebody has put another in its place: that
// of a helper which came after this one had lost its own.
func (l *listener) Close() error {
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(l.made, now) {
		os.Remove(l.path)
	}
	return l.Listener.Close()
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if checkPeer(nc) != nil {
			nc.Close()
			continue
		}
		return nc, nil
	}
}

// checkPeer makes sure that the process at the other end runs as this user.
func checkPeer(nc net.Conn) error {
	uid, err := askSocket(nc, peerUID)
	if err != nil {
		return fmt.Errorf("asking for the user of the socket's other end: %w", err)
	}
	if uid != os.Getuid() {
		return fmt.Errorf("the socket's other end belongs to another user (uid %d)", uid)
	}
	return nil
}

func peerProcess(nc net.Conn) (int, error) { return askSocket(nc, peerPID) }

// askSocket asks the system something about a Unix socket.
func askSocket(nc net.Conn, ask func(fd int) (int, error)) (n int, err error) {
	u, ok := nc.(*net.UnixConn)
	if !ok {
		return 0, errors.New("it is no Unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, err
	}
	cerr := raw.Control(func(fd uintptr) { n, err = ask(int(fd)) })
	return n, errors.Join(cerr, err)
}
