package main

import (
	"context"
	"os"
	"strconv"
	"strings"
)

// launcherPIDs is the variable in which the npm launcher names the processes
// between the host and this one (npm/package/launcher.js).
const launcherPIDs = "SIDEKICK_LAUNCHER_PIDS"

// withLaunchers returns a context that also ends with any of the processes that
// started this one for a host: the npm launcher, and npx. A host that kills
// them has nobody left to end this process with, and may keep its pipe open.
// Without such processes it is ctx itself.
func withLaunchers(ctx context.Context) context.Context {
	pids := launchers(os.Getenv, os.Getppid, behindShell)
	os.Unsetenv(launcherPIDs) // what is started from here has other parents
	if len(pids) == 0 {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	watchExits(ctx, pids, cancel)
	return ctx
}

// launchers are the processes that are there for this one only.
func launchers(env func(string) string, parent func() int, behindShell func(pid int, node string) int) []int {
	var pids []int
	for s := range strings.SplitSeq(env(launcherPIDs), ",") {
		if pid, err := strconv.Atoi(s); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	// The launcher named what npx or its kin started it by. Without it, since it
	// was replaced when it was installed, npx started this process so.
	npx := env("npm_command") == "exec"
	switch {
	case len(pids) == 0 && npx:
		pids = []int{parent()}
	case len(pids) == 0, !npx && !strings.HasPrefix(env("npm_config_user_agent"), "yarn/"):
		return pids
	}
	// npm and Yarn 1 start a shell for it.
	if pid := behindShell(pids[len(pids)-1], env("npm_node_execpath")); pid != 0 {
		pids = append(pids, pid)
	}
	return pids
}
