package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// agentCommand is what an agent's host is to run: the copy of this program that
// was installed, which stays where it is; without one the npm launcher if that
// brought this program, for its folder goes away with the next version; else
// this very file.
func agentCommand(dirs paths.Dirs) ([]string, error) {
	if copied, ok := installer.Copied(dirs); ok {
		return []string{copied}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own file: %w", err)
	}
	if fromNPM(self) {
		return []string{"npx", "-y", hostconfig.Launcher}, nil
	}
	return []string{self}, nil
}

// fromNPM reports whether npm or one of its kin put a program where it is.
func fromNPM(program string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(program), "/"), "node_modules")
}

// typed is what a person types to run this program: its name where a shell
// finds that, which it does not of one that npx brought.
func typed(dirs paths.Dirs) string {
	if _, err := exec.LookPath("sidekick-mcp"); err == nil {
		return "sidekick-mcp"
	}
	command, err := agentCommand(dirs)
	if err != nil {
		return "sidekick-mcp"
	}
	return hostconfig.CommandLine(command)
}
