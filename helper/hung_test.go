package helper

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
)

// A helper that hangs is named by whoever connects, before anything else of
// theirs runs out.
func TestDialNamesAHelperThatHangs(t *testing.T) {
	dirs := tempDirs(t)
	l, release, err := ipc.Listen(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			defer nc.Close() // it never answers
		}
	}()
	d := Dialer{Dirs: dirs, Token: "t", welcome: 100 * time.Millisecond}
	_, _, err = d.Dial(t.Context())
	if !errors.Is(err, cause.HelperHung) || !strings.Contains(err.Error(), `"sidekick-mcp doctor --fix"`) {
		t.Errorf("got %v, want %v", err, cause.HelperHung)
	}
}
