//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/frogbotai/sidekick-mcp/internal/keyringtest"
)

// withKeyring gives the machine a keyring: the real gnome-keyring, unlocked, on
// a bus of its own. The test is on that bus, too.
func (e *env) withKeyring() {
	e.t.Helper()
	keyringtest.Need(e.t, "dbus-daemon", "gnome-keyring-daemon")
	address, bus := keyringtest.Bus(e.t)
	e.vars["DBUS_SESSION_BUS_ADDRESS"] = address
	e.t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	keyringtest.Unlocked(e.t, address, bus)
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
