package launch

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/frogbotai/sidekick-mcp/installer"
)

// writeManifest lets the managed browser start this program as its native host.
// Chromium looks for it in the folder of profiles first, so that nothing has to
// be installed for the user's browsers; except on Windows, where it looks into
// the registry alone.
func (l *Launcher) writeManifest(ctx context.Context) error {
	var err error
	if runtime.GOOS == "windows" {
		_, err = installer.Install(ctx, installer.Options{StateDir: l.Dirs.State, Binary: l.Self, ExtensionID: l.ExtensionID})
	} else {
		_, err = installer.WriteManifest(filepath.Join(l.Dirs.ManagedProfile(), "NativeMessagingHosts"), l.Self, l.ExtensionID)
	}
	if err != nil {
		return fmt.Errorf("telling the managed browser of its native host: %w", err)
	}
	return nil
}
