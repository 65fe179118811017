package helper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/natefinch/atomic"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// preferred is the binary that is to be the helper, as it is kept on disk.
// Agents and browsers start the helper on demand, each with the binary that
// they are themselves; without a word between them an agent that still runs the
// old version would bring the old helper back just as it made way.
type preferred struct {
	Version string `json:"version"`
	Exe     string `json:"exe"`
}

// Prefer notes that this process's own binary is to be the helper.
func Prefer(dirs paths.Dirs, version string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return PreferBinary(dirs, version, exe)
}

// PreferBinary notes which binary is to be the helper.
func PreferBinary(dirs paths.Dirs, version, exe string) error {
	b, err := json.Marshal(preferred{version, exe})
	if err != nil {
		return err
	}
	if err := dirs.Ensure(); err != nil {
		return err
	}
	if err := atomic.WriteFile(dirs.HelperBinary(), bytes.NewReader(append(b, '\n'))); err != nil {
		return fmt.Errorf("noting which program is to be the helper: %w", err)
	}
	return nil
}

// Preferred returns the binary that is to be started as the helper by a process
// of a version whose own binary is exe: a newer one that was noted and is still
// there, or the one that was installed, else exe.
func Preferred(dirs paths.Dirs, version, exe string) string {
	if p, ok := noted(dirs, version); ok {
		return p.Exe
	}
	return exe
}

// PreferredVersion is the version of the helper that a process of a version
// starts; see [Preferred].
func PreferredVersion(dirs paths.Dirs, version string) string {
	if p, ok := noted(dirs, version); ok {
		return p.Version
	}
	return version
}

// noted is the binary that was noted, if it comes before one of a version.
func noted(dirs paths.Dirs, version string) (p preferred, ok bool) {
	b, err := os.ReadFile(dirs.HelperBinary())
	if err != nil || json.Unmarshal(b, &p) != nil || Newer(version, p.Version) {
		return p, false
	}
	info, err := os.Stat(p.Exe)
	return p, err == nil && info.Mode().IsRegular()
}
