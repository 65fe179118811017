package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// state is what is kept of a managed browser that was started, so that it can
// be found and ended after the helper that started it has gone.
type state struct {
	process
	Exe string `json:"exe"`
}

func stateFile(dirs paths.Dirs) string { return filepath.Join(dirs.Run, "browser.json") }

// readState returns the zero state if no browser was started, or what is kept
// of it makes no sense.
func readState(dirs paths.Dirs) (state, error) {
	var s state
	b, err := os.ReadFile(stateFile(dirs))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("reading which managed browser was started: %w", err)
	}
	if json.Unmarshal(b, &s) != nil {
		return state{}, nil
	}
	return s, nil
}

func writeState(dirs paths.Dirs, s state) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := atomic.WriteFile(stateFile(dirs), bytes.NewReader(b)); err != nil {
		return fmt.Errorf("noting which managed browser was started: %w", err)
	}
	return nil
}

// removeState forgets the browser, which has ended.
func removeState(dirs paths.Dirs) error {
	if err := os.Remove(stateFile(dirs)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
