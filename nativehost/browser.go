package nativehost

import (
	"os"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// managedProfileEnv is internal/launch's ManagedProfileEnv, which the managed
// browser hands down to its native host.
const managedProfileEnv = "SIDEKICK_MANAGED_PROFILE"

func pid() int { return os.Getpid() }

// Browser finds out as much as it can about the browser that started this
// process: its executable, the folder of its profiles, its arguments. What it
// cannot find out stays empty. args are this process's own, program name
// excluded.
func Browser(args []string) wire.Hello {
	hello := wire.Hello{Args: args}
	exe, line := parent()
	// A wrapper script that sets the browser up says so, that the browser can
	// be started again the same way.
	if wrapper := os.Getenv("CHROME_WRAPPER"); wrapper != "" && isExecutable(wrapper) {
		exe = wrapper
	}
	hello.Exe = exe
	for _, arg := range line {
		if arg == "--" {
			break
		}
		if dir, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			hello.UserDataDir = dir // the last one counts
		}
	}
	if dir := os.Getenv(managedProfileEnv); dir != "" {
		hello.UserDataDir = dir
	}
	return hello
}

func isExecutable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}
