//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

// withKeyring gives the machine a keyring: the real gnome-keyring, unlocked, on
// a bus of its own. The test is on that bus, too.
func (e *env) withKeyring() {
	t := e.t
	t.Helper()
	for _, tool := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(tool); err != nil {
			const how = "the test of the real keyring needs dbus-daemon and gnome-keyring-daemon: apt-get install -y dbus gnome-keyring"
			if os.Getenv("CI") != "" {
				t.Fatal(how)
			}
			t.Skip(how)
		}
	}
	home := t.TempDir()
	// A bus that starts no services: the installed ones would start another keyring.
	config := filepath.Join(home, "bus.conf")
	if err := os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(c *exec.Cmd) {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	daemon := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(daemon)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	e.vars["DBUS_SESSION_BUS_ADDRESS"] = address
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)

	keys := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	keys.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + home, "DBUS_SESSION_BUS_ADDRESS=" + address}
	keys.Stdin = strings.NewReader("pw")
	start(keys)
	bus, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	eventually(t, 10*time.Second, "the keyring on its bus", func() bool {
		var owned bool
		err := bus.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&owned)
		return err == nil && owned
	})
}

// A token in no file: the pairing puts it into the keyring, the agent's process
// finds it there, and revoking takes it out.
func TestTokenInTheKeyring(t *testing.T) {
	e := newEnv(t)
	e.withKeyring()
	made := e.must("pair", "--name", "FrogBot", "--managed", "--keyring", "--json")
	if strings.Contains(made, "skt_") {
		t.Errorf("the token is shown: %s", made)
	}
	var pairing struct {
		ID  string            `json:"id"`
		Env map[string]string `json:"env"`
	}
	if err := json.Unmarshal([]byte(made), &pairing); err != nil {
		t.Fatal(err)
	}
	id := pairing.ID
	if env := pairing.Env["SIDEKICK_TOKEN"]; env != "keyring:"+id {
		t.Errorf("SIDEKICK_TOKEN is to be %q, want keyring:%s", env, id)
	}
	token, err := keyring.Get("ai.frogbot.sidekick", "token:"+id)
	if err != nil || !strings.HasPrefix(token, "skt_") {
		t.Fatalf("the keyring holds %q, %v, want the token", token, err)
	}
	if out, err := exec.Command("grep", "-rlF", token, e.home).Output(); err == nil {
		t.Errorf("the token is in: %s", out)
	}
	for _, env := range []string{"keyring:" + id, "keyring:FrogBot"} {
		r := e.raw(env)
		r.Send(handshake["initialize"])
		if m := r.Receive(10 * time.Second); m.Error != nil {
			t.Errorf("with SIDEKICK_TOKEN=%s: %+v", env, m.Error)
		}
	}

	e.must("revoke", "FrogBot")
	if left, err := keyring.Get("ai.frogbot.sidekick", "token:"+id); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("after it was revoked the keyring holds %d characters, %v", len(left), err)
	}
	r := e.raw("keyring:" + id)
	r.Send(handshake["initialize"])
	m := r.Receive(10 * time.Second)
	if m.Error == nil || !strings.Contains(m.Error.Message, "revoked") {
		t.Errorf("after it was revoked: %s %+v", m.Result, m.Error)
	}
}
