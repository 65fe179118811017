package launch

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// inUse reports whether a browser runs that uses a folder of profiles. Chromium
// keeps a file in it open that nobody else can open meanwhile.
func inUse(userDataDir string) bool {
	f, err := os.Open(filepath.Join(userDataDir, "lockfile"))
	if err == nil {
		f.Close()
		return false
	}
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
