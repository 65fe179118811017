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
	installed, _, _ := strings.Cut(ManifestMissing.What, " for %s")
	_, debugger, _ := strings.Cut(PolicyDebugger.What, "%s ")
	debugger, _, _ = strings.Cut(debugger, " (%s)")
	for file, wants := range map[string][]string{
		"link.js":      {installed, strings.TrimPrefix(ManifestMissing.Mend, "run ")},
		"debuggers.js": {debugger, PolicyDebugger.Mend},
	} {
		b, err := os.ReadFile("../../extension/worker/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(`\'`, `'`, "“", `"`, "”", `"`).Replace(string(b))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("extension/worker/%s does not say %q", file, want)
			}
		}
	}
}
