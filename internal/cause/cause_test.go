package cause

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestAbout(t *testing.T) {
	c := PolicyExtension.About("Chromium", "a list", "abc")
	if want := "a policy forbids Chromium the Sidekick extension (a list): have whoever administers this computer put its id abc into ExtensionInstallAllowlist"; c.Error() != want {
		t.Errorf("got %q, want %q", c.Error(), want)
	}
	err := fmt.Errorf("looking: %w", c)
	if !errors.Is(err, PolicyExtension) || errors.Is(err, PolicyDebugger) {
		t.Error("a cause that is about something is not told from others")
	}
}

// The extension cannot import this table; what it tells people has to name the
// same commands.
func TestExtensionSaysTheSame(t *testing.T) {
	b, err := os.ReadFile("../../extension/worker/link.js")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\'`, `'`, "“", `"`, "”", `"`).Replace(string(b))
	what, _, _ := strings.Cut(ManifestMissing.What, " for %s")
	command := strings.TrimPrefix(ManifestMissing.Mend, "run ")
	for _, want := range []string{what, command} {
		if !strings.Contains(text, want) {
			t.Errorf("extension/worker/link.js does not say %q", want)
		}
	}
}
