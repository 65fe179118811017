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
)

// allowDownloads lets the pages in the managed browser's profile begin as many
// downloads as they like. Otherwise a page may begin one by itself, and with the
// second the browser asks the user and holds back all further ones of the tab
// until it has an answer, with no sign of it to the debugger: in this browser
// mostly nobody is there to answer. What the user has chosen there stays. The
// browser must not run: it writes the file anew when it ends.
func allowDownloads(userDataDir string) error {
	file := filepath.Join(userDataDir, "Default", "Preferences")
	// Numbers and objects that are not ours are kept letter by letter.
	prefs := map[string]json.RawMessage{}
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading the managed browser's preferences: %w", err)
	case json.Unmarshal(b, &prefs) != nil:
		return nil // the browser mends what it cannot read, or starts anew
	}
	changed, err := setUnlessSet(prefs, 1, "profile", "default_content_setting_values", "automatic_downloads")
	if err != nil || !changed {
		return err
	}
	if b, err = json.Marshal(prefs); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("making the managed browser's profile: %w", err)
	}
	if err := atomic.WriteFile(file, bytes.NewReader(b)); err != nil {
		return fmt.Errorf("writing the managed browser's preferences: %w", err)
	}
	return nil
}

// setUnlessSet gives the member at the end of a path of names a value, making
// the objects on the way, unless it has one. It reports whether it did. What is
// no object on the way stays as it is.
func setUnlessSet(in map[string]json.RawMessage, value int, path ...string) (bool, error) {
	name := path[0]
	old, is := in[name]
	if len(path) == 1 {
		if !is {
			in[name] = json.RawMessage(fmt.Sprint(value))
		}
		return !is, nil
	}
	inner := map[string]json.RawMessage{}
	if is && json.Unmarshal(old, &inner) != nil || inner == nil {
		return false, nil
	}
	changed, err := setUnlessSet(inner, value, path[1:]...)
	if err == nil && changed {
		in[name], err = json.Marshal(inner)
	}
	return changed, err
}
