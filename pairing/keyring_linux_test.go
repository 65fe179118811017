package pairing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/frogbotai/sidekick-mcp/internal/keyringtest"
)

// inSession is set for the copy of this test binary that runs in a session
// with a keyring of its own.
const inSession = "SIDEKICK_TEST_KEYRING_SESSION"

func TestMain(m *testing.M) {
	if dir := os.Getenv(inSession); dir != "" {
		if err := useKeyring(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The real gnome-keyring, unlocked, on a bus of its own and with an empty home.
func TestSecretServiceUnlocked(t *testing.T) {
	runInSession(t, `printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0"`, "unlocked")
}

// A bus with nobody on it who keeps secrets, as on a server.
func TestSecretServiceMissing(t *testing.T) {
	runInSession(t, `exec "$0"`, "missing")
}

func runInSession(t *testing.T, script, state string) {
	keyringtest.Need(t, "dbus-run-session", "gnome-keyring-daemon")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "dbus-run-session", "--config-file="+keyringtest.Config(t), "--", "sh", "-c", script, self)
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + home, inSession + "=" + home, "KEYRING_STATE=" + state}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.WaitDelay = 5 * time.Second
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !bytes.Contains(out.Bytes(), []byte("keyring session done")) {
		t.Errorf("the session did not get to its end:\n%s", out.String())
	}
}

// useKeyring runs in the session.
func useKeyring(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if os.Getenv("KEYRING_STATE") == "unlocked" {
		bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
		if err != nil {
			return err
		}
		defer bus.Close()
		if err := keyringtest.Wait(ctx, bus); err != nil {
			return err
		}
	}
	store := Open(filepath.Join(dir, "pairings.json"))
	sec := OpenSecrets(store, filepath.Join(dir, "key"))
	key, where, err := sec.SigningKey(ctx)
	if err != nil {
		return fmt.Errorf("the signing key: %w", err)
	}
	p, tok, err := store.Add(ctx, "FrogBot", Options{})
	if err != nil {
		return err
	}
	env, err := sec.KeepToken(ctx, p.ID, tok)
	if os.Getenv("KEYRING_STATE") == "missing" {
		if err == nil || where != InFile {
			return fmt.Errorf("without a keyring: the key is in %q, and keeping a token says %v", where, err)
		}
		if _, err := sec.ResolveToken(ctx, "keyring:FrogBot"); !errors.Is(err, ErrKeyring) {
			return fmt.Errorf("without a keyring, ResolveToken says %v", err)
		}
		fmt.Println("keyring session done")
		return nil
	}
	if err != nil {
		return err
	}
	if where != InKeyring {
		return fmt.Errorf("the signing key is in %q, want %q", where, InKeyring)
	}
	again, _, err := OpenSecrets(store, filepath.Join(dir, "key")).SigningKey(ctx)
	if err != nil || !bytes.Equal(again, key) {
		return fmt.Errorf("the second look at the signing key gave another one, or %v", err)
	}
	if got, err := sec.ResolveToken(ctx, env); err != nil || got != tok.Reveal() {
		return fmt.Errorf("ResolveToken(%q) gave another token, or %v", env, err)
	}
	if err := sec.ForgetToken(ctx, p.ID); err != nil {
		return err
	}
	if err := sec.ForgetToken(ctx, p.ID); err != nil {
		return fmt.Errorf("forgetting twice: %w", err)
	}
	if _, err := sec.ResolveToken(ctx, env); !errors.Is(err, ErrUnknown) {
		return fmt.Errorf("after forgetting the token, ResolveToken says %v", err)
	}
	fmt.Println("keyring session done")
	return nil
}
