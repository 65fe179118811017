// Package keyringtest gives tests a real keyring of their own: gnome-keyring on
// a session bus that starts nothing by itself. Three packages' tests need one.
package keyringtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// bound is how long the keyring may take to come to its bus.
const bound = 10 * time.Second

// Need skips the test where a program is missing, and fails it in CI.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			how := fmt.Sprintf("the test of the real keyring needs %s: apt-get install -y dbus gnome-keyring", strings.Join(tools, " and "))
			if os.Getenv("CI") != "" {
				t.Fatal(how)
			}
			t.Skip(how)
		}
	}
}

// Config writes the configuration of a session bus and returns its file. The
// installed services would start another keyring, so it knows none. The folder
// of its socket, which dbus-daemon leaves behind, goes with the test.
func Config(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sk-bus-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(file, []byte(`<busconfig><type>session</type><listen>unix:dir=`+dir+`</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Bus starts a session bus and connects to it; both end with the test.
func Bus(t testing.TB) (address string, conn *dbus.Conn) {
	t.Helper()
	daemon := exec.Command("dbus-daemon", "--config-file="+Config(t), "--nofork", "--print-address")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, daemon)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(line)
	if conn, err = dbus.Connect(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return address, conn
}

// Unlocked starts gnome-keyring on a bus, unlocked, with a home of its own.
func Unlocked(t testing.TB, address string, conn *dbus.Conn) {
	t.Helper()
	home := t.TempDir()
	keys := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	keys.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + home, "DBUS_SESSION_BUS_ADDRESS=" + address}
	keys.Stdin = strings.NewReader("pw")
	start(t, keys)
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	if err := Wait(ctx, conn); err != nil {
		t.Fatal(err)
	}
}

func start(t testing.TB, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatalf("%v (scripts/setup.sh test installs it)", err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

// Wait waits until somebody on the bus keeps secrets: gnome-keyring goes into
// the background before it takes its name.
func Wait(ctx context.Context, conn *dbus.Conn) error {
	const name = "org.freedesktop.secrets"
	changes := make(chan *dbus.Signal, 16)
	conn.Signal(changes)
	defer conn.RemoveSignal(changes)
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, name)); err != nil {
		return err
	}
	for {
		var owned bool
		if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned); err != nil {
			return err
		}
		if owned {
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return fmt.Errorf("nobody took the name %s: %w", name, ctx.Err())
		}
	}
}
