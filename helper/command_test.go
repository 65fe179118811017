package helper

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// The settings page tells of the program as it is there now: it may have been
// installed since this helper began.
func TestAddTellsOfTheProgramThatIsThereNow(t *testing.T) {
	opt, launcher := newOptions(t)
	var installed atomic.Bool
	opt.AgentCommand = func() ([]string, error) {
		if installed.Load() {
			return []string{"/home/ä b/bin/sidekick-mcp"}, nil
		}
		return []string{"npx", "-y", "@frogbotai/sidekick-mcp"}, nil
	}
	b := startWith(t, opt, launcher).browser(profileA)
	var added wire.PairingAdded
	b.ask(wire.MethodPairingsAdd, wire.PairingName{Name: "First"}, &added)
	if added.Command != "npx -y @frogbotai/sidekick-mcp" {
		t.Errorf("before: %q", added.Command)
	}
	installed.Store(true)
	b.ask(wire.MethodPairingsAdd, wire.PairingName{Name: "Second"}, &added)
	if added.Command != `"/home/ä b/bin/sidekick-mcp"` {
		t.Errorf("after: %q", added.Command)
	}
	for _, c := range added.Hosts {
		if !strings.Contains(c.Snippet, "/home/ä b/bin/sidekick-mcp") || strings.Contains(c.Snippet, "npx") {
			t.Errorf("%s gets %s", c.ID, c.Snippet)
		}
	}
}
