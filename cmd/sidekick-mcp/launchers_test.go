package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestLaunchers(t *testing.T) {
	const parent = 7
	for _, c := range []struct {
		name, pids, npm, agent string
		want                   []int
	}{
		{"of a host", "", "", "", nil},
		{"of a host in a script of npm", "", "run-script", "npm/10", nil},
		{"of a host in a script of Yarn", "", "", "yarn/1", nil},
		{"of the launcher", "12", "", "", []int{12}},
		{"of the launcher of npx", "12,13", "exec", "npm/10", []int{12, 13}},
		{"of the launcher of npx behind a shell", "12,14", "exec", "npm/10", []int{12, 14, 15}},
		{"of the launcher of pnpm", "12,14", "dlx", "pnpm/10", []int{12, 14}},
		{"of the launcher of Yarn", "12,13", "", "yarn/4", []int{12, 13}},
		{"of the launcher of Yarn behind a shell", "12,14", "", "yarn/1", []int{12, 14, 15}},
		{"of a launcher that became this one", "7", "exec", "npm/10", []int{parent}},
		{"of one that did so behind a shell", "14", "exec", "npm/10", []int{14, 15}},
		{"in the launcher's place", "", "exec", "npm/10", []int{parent}},
		{"of something else", "x,-1,0,,12 ", "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{
				launcherPIDs: c.pids, "npm_command": c.npm, "npm_config_user_agent": c.agent, "npm_node_execpath": "/bin/node",
			}
			got := launchers(func(name string) string { return env[name] }, func() int { return parent }, func(pid int, node string) int {
				if pid == 14 && node == "/bin/node" {
					return 15
				}
				return 0
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("watches %v, want %v", got, c.want)
			}
		})
	}
}

// sleeper is a process that ends only by being killed.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// testscript runs this binary as the program when it is called so.
	program := filepath.Join(t.TempDir(), "sidekick-mcp")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "helper")
	c.Env = append(os.Environ(), "SIDEKICK_HOME="+shortDir(t))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c
}

// shortDir is a folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestWatchExits(t *testing.T) {
	stays, goes := sleeper(t), sleeper(t)
	told := make(chan struct{}, 2)
	watchExits(t.Context(), []int{stays.Process.Pid, goes.Process.Pid}, func() { told <- struct{}{} })
	select {
	case <-told:
		t.Fatal("told of an end while both were there")
	default:
	}
	if err := goes.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// Before anybody waits for it: a host may never do so.
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Fatal("not told of the end")
	}
	_ = goes.Wait()

	// One that was gone before is as good.
	watchExits(t.Context(), []int{goes.Process.Pid}, func() { told <- struct{}{} })
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Fatal("not told that it had ended before")
	}
}

func TestWithLaunchersTakesTheVariable(t *testing.T) {
	t.Setenv("npm_command", "")
	t.Setenv("npm_config_user_agent", "")
	t.Setenv(launcherPIDs, "")
	base := context.Background()
	if ctx := withLaunchers(base); ctx != base {
		t.Error("a host's own child watches something")
	}
	gone := sleeper(t)
	_ = gone.Process.Kill()
	_ = gone.Wait()
	t.Setenv(launcherPIDs, strconv.Itoa(gone.Process.Pid))
	select {
	case <-withLaunchers(base).Done():
	case <-time.After(10 * time.Second):
		t.Error("the launcher was gone, and nothing ended")
	}
	if _, still := os.LookupEnv(launcherPIDs); still {
		t.Error("the variable is still there for processes of other parents")
	}
}
