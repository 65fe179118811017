package npmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// programs are those of each of npm's kin in npm/nodes, for Linux: what they are
// called, and where they lie; those of JavaScript end with .js or .cjs.
var programs = map[string]map[string]string{
	"pnpm-10": {"pnpm": "pnpm-10/bin/pnpm.cjs"},
	"pnpm-12": {"pnpm": "pnpm-12-linux-%/pnpm"},
	"yarn-1":  {"yarn": "yarn-1/bin/yarn.js"},
	"yarn-4":  {"yarn": "yarn-4/bin/yarn.js"},
	"bun":     {"bun": "bun-linux-%/bin/bun", "bunx": "bun-linux-%/bin/bun"},
}

// Manager makes a folder with the programs of one of npm's kin, by its name in
// npm/nodes, that is to be in PATH.
func Manager(dir, name string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	if len(programs[name]) == 0 {
		return fmt.Errorf("there is no %q: see programs", name)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	_, cpu, _ := strings.Cut(strings.TrimPrefix(Platform(), Package+"-"), "-")
	for called, at := range programs[name] {
		file := filepath.Join(root, "npm", "nodes", "node_modules", filepath.FromSlash(strings.ReplaceAll(at, "%", cpu)))
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("%s is missing: run scripts/npm-nodes.sh (%w)", name, err)
		}
		link := filepath.Join(dir, called)
		if !strings.HasSuffix(at, "js") {
			if err := os.Symlink(file, link); err != nil {
				return err
			}
			continue
		}
		script := fmt.Sprintf("#!/bin/sh\nexec node '%s' \"$@\"\n", file)
		if err := os.WriteFile(link, []byte(script), 0o755); err != nil {
			return err
		}
	}
	return nil
}
