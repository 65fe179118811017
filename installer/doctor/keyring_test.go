//go:build linux

package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/keyringtest"
)

// bus starts a session bus for the machine.
func (m *machine) bus() *dbus.Conn {
	m.t.Helper()
	address, conn := keyringtest.Bus(m.t)
	m.vars["DBUS_SESSION_BUS_ADDRESS"] = address
	return conn
}

// lock locks all of it, as the desktop does after a while.
func lock(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	secrets := conn.Object("org.freedesktop.secrets", "/org/freedesktop/secrets")
	collections, err := secrets.GetProperty("org.freedesktop.Secret.Service.Collections")
	if err != nil {
		t.Fatal(err)
	}
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	if err := secrets.Call("org.freedesktop.Secret.Service.Lock", 0, collections.Value()).Store(&locked, &prompt); err != nil || len(locked) == 0 {
		t.Fatalf("locking the keyring: %v, locked are %v", err, locked)
	}
}

// prompter stands for the desktop's dialog, which nobody answers.
type prompter struct{ asked chan struct{} }

// BeginPrompting is what gnome-keyring calls to have somebody asked. It expects
// to be called back, and is not.
func (p prompter) BeginPrompting(dbus.ObjectPath) *dbus.Error {
	select {
	case p.asked <- struct{}{}:
	default:
	}
	return nil
}

// PerformPrompt and StopPrompting make the interface whole.
func (p prompter) PerformPrompt(dbus.ObjectPath, string, map[string]dbus.Variant, string) *dbus.Error {
	return nil
}

// StopPrompting does nothing.
func (p prompter) StopPrompting(dbus.ObjectPath) *dbus.Error { return nil }

// The real keyring, in all the ways in which one can be.
func TestKeyring(t *testing.T) {
	finding := func(t *testing.T, r report) doctor.Finding {
		t.Helper()
		for _, f := range r.Findings {
			if f.Hop == doctor.HopKeyring {
				return f
			}
		}
		t.Fatalf("no finding about the keyring: %+v", r.Findings)
		return doctor.Finding{}
	}
	withToken := func(t *testing.T) (*machine, *dbus.Conn) {
		m := newMachine(t)
		conn := m.bus()
		keyringtest.Unlocked(t, m.vars["DBUS_SESSION_BUS_ADDRESS"], conn)
		m.must("pair", "--name", "Keeper", "--keyring")
		return m, conn
	}

	t.Run("unlocked", func(t *testing.T) {
		t.Parallel()
		m, _ := withToken(t)
		r := m.doctor()
		if f := finding(t, r); f.State != doctor.OK || !r.OK {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("locked, and nobody there to ask", func(t *testing.T) {
		t.Parallel()
		m, conn := withToken(t)
		lock(t, conn)
		m.judge(broken{hop: doctor.HopKeyring, cause: "keyring-locked", state: doctor.Failed, text: "Keeper"})
	})
	t.Run("locked, and a dialog that nobody answers", func(t *testing.T) {
		t.Parallel()
		m, conn := withToken(t)
		lock(t, conn)
		p := prompter{make(chan struct{}, 1)}
		if err := conn.Export(p, "/org/gnome/keyring/Prompter", "org.gnome.keyring.internal.Prompter"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.RequestName("org.gnome.keyring.SystemPrompter", dbus.NameFlagReplaceExisting); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		f := finding(t, m.doctor())
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("doctor hung for %v", took)
		}
		select {
		case <-p.asked:
		default:
			t.Error("nobody was asked, so this shows nothing of one that blocks")
		}
		if f.Cause != "keyring-locked" || f.State != doctor.Failed || !strings.Contains(f.Text, "did not answer within 3s") || !strings.Contains(f.Mend, "unlock it") {
			t.Errorf("got %+v", f)
		}
		// An agent is told the same in as short a time.
		id := m.pairingNamed("Keeper")
		m.vars["SIDEKICK_TOKEN"] = "keyring:" + id
		_, errs, code := m.run()
		if code == 0 || !strings.Contains(errs, "did not answer within 3s") || !strings.Contains(errs, "unlock it") {
			t.Errorf("an agent whose token is in it is told (exit code %d): %s", code, errs)
		}
	})
	t.Run("absent", func(t *testing.T) {
		t.Parallel()
		m, _ := withToken(t)
		m.bus() // another one, with no keyring
		m.judge(broken{hop: doctor.HopKeyring, cause: "keyring-absent", state: doctor.Failed, text: "Keeper"})
	})
	t.Run("no bus", func(t *testing.T) {
		t.Parallel()
		m, _ := withToken(t)
		delete(m.vars, "DBUS_SESSION_BUS_ADDRESS")
		m.judge(broken{hop: doctor.HopKeyring, cause: "keyring-no-bus", state: doctor.Failed, text: "DBUS_SESSION_BUS_ADDRESS is not set"})
	})
	// Without a keyring a file does, and nothing is wrong.
	t.Run("not needed", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.bus()
		r := m.doctor()
		if f := finding(t, r); f.State != doctor.Note || f.Cause != "keyring-absent" || !r.OK || !strings.Contains(f.Text, "in a file") {
			t.Errorf("got %+v", f)
		}
	})
}

func (m *machine) pairingNamed(name string) string {
	m.t.Helper()
	for line := range strings.Lines(m.must("pairings")) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return f[1]
		}
	}
	m.t.Fatalf("there is no pairing %s", name)
	return ""
}
