package launch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
)

// hostName is the native messaging host that the extension asks for.
const hostName = "ai.frogbot.sidekick"

// writeManifest lets the managed browser start this program as its native host.
// Chromium looks for it in the folder of profiles first, so that nothing has to
// be installed for the user's browsers.
func (l *Launcher) writeManifest() error {
	b, err := json.MarshalIndent(map[string]any{
		"name":            hostName,
		"description":     "Sidekick's connection between AI agents and this browser",
		"path":            l.Self,
		"type":            "stdio",
		"allowed_origins": []string{"chrome-extension://" + l.ExtensionID + "/"},
	}, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(l.Dirs.ManagedProfile(), "NativeMessagingHosts", hostName+".json")
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, b) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("making the managed browser's profile: %w", err)
	}
	if err := atomic.WriteFile(file, bytes.NewReader(b)); err != nil {
		return fmt.Errorf("telling the managed browser of its native host: %w", err)
	}
	return nil
}
