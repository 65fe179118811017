package installer

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Where the manifests go on each system with --all, for a user whose name has
// letters beyond ASCII and a space.
func TestPlacesGolden(t *testing.T) {
	for _, env := range []browsers.Env{
		{GOOS: "linux", Home: "/home/Ada Łovelace"},
		{GOOS: "darwin", Home: "/Users/Ada Łovelace"},
		{GOOS: "windows", Home: `C:\Users\Ada Łovelace`},
	} {
		var b strings.Builder
		for _, p := range placesOf(env, func(b browsers.Browser) bool { return !b.Confined }) {
			b.WriteString(p.at + ": " + strings.Join(p.browsers, ", ") + "\n")
		}
		file := "testdata/places-" + env.GOOS + ".txt"
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != b.String() {
			t.Errorf("%s (%v): got\n%s", file, err, b.String())
		}
		for _, name := range []string{
			"Google Chrome", "Google Chrome Beta", "Google Chrome Dev", "Google Chrome Canary", "Chromium",
			"Chrome for Testing", "Microsoft Edge", "Brave", "Vivaldi", "Opera",
		} {
			if !strings.Contains(b.String(), name) {
				t.Errorf("%s: there is no %s", env.GOOS, name)
			}
		}
		if hasArc := strings.Contains(b.String(), "Arc"); hasArc != (env.GOOS != "linux") {
			t.Errorf("%s: Arc: %v", env.GOOS, hasArc)
		}
	}
}
