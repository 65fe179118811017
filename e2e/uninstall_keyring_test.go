//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/zalando/go-keyring"
)

// Uninstalling takes what is ours out of the real keyring, and nothing else.
func TestUninstallEmptiesTheKeyring(t *testing.T) {
	e := newEnv(t)
	e.withKeyring()
	var pairing struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(e.must("pair", "--name", "FrogBot", "--keyring", "--json")), &pairing); err != nil {
		t.Fatal(err)
	}
	const service = "ai.frogbot.sidekick"
	names := []string{"token:" + pairing.ID, "signing-key"}
	if err := errors.Join(keyring.Set(service, names[1], "k"), keyring.Set("other", "thing", "o")); err != nil {
		t.Fatal(err)
	}
	there := func(what string, want bool) {
		t.Helper()
		for _, name := range names {
			if _, err := keyring.Get(service, name); (err == nil) != want {
				t.Errorf("%s: %s: %v", what, name, err)
			}
		}
	}
	contains(t, e.must("uninstall", "--dry-run"), "would remove 1 of Sidekick's secrets in the keyring")
	there("after a dry run", true)
	e.must("uninstall", "--yes", "--keep-pairings")
	there("with the pairings kept", true)
	contains(t, e.must("uninstall", "--yes"), "removed 2 of Sidekick's secrets in the keyring")
	there("after it", false)
	if _, err := keyring.Get("other", "thing"); err != nil {
		t.Errorf("another's secret: %v", err)
	}
}
