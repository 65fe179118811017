package launch

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// HasDisplay reports whether a window can be opened here, as far as the
// environment of this process tells.
func HasDisplay() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return os.Getenv("SSH_CONNECTION") == ""
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// OpenPage shows a page in the user's own browser, in a window that is open or
// a new one, and does not wait for it.
func OpenPage(exe, url string) error {
	args, err := browserArgs()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, append(args, url)...)
	// A bundle of macOS is opened by the system, or a second instance starts.
	if bundle, _, ok := strings.Cut(exe, ".app/"); ok && runtime.GOOS == "darwin" {
		cmd = exec.Command("open", "-a", bundle+".app", url)
	}
	cmd.Env = browserEnv()
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running %s: %w", exe, err)
	}
	return cmd.Process.Release()
}
