package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// displayVars are what a program needs to open a window.
var displayVars = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS"}

// withDisplay gives env what is needed to open a window, if it has not got it:
// agent hosts start us with hardly any environment, and a browser without these
// ends at once. They are taken from another process of this user's that has
// them, such as the desktop or the browser.
func withDisplay(env []string) []string {
	if get(env, "DISPLAY") != "" || get(env, "WAYLAND_DISPLAY") != "" {
		return env
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return env
	}
	for _, file := range files {
		// Unreadable unless it is a process of this user.
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(b, []byte("DISPLAY=")) {
			continue
		}
		theirs := strings.Split(string(b), "\x00")
		if get(theirs, "DISPLAY") == "" && get(theirs, "WAYLAND_DISPLAY") == "" {
			continue
		}
		env = slices.Clone(env)
		for _, name := range displayVars {
			if v := get(theirs, name); v != "" && get(env, name) == "" {
				env = append(env, name+"="+v)
			}
		}
		return env
	}
	return env
}

// get is the last value of a variable in env.
func get(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
