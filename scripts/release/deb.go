package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

func (r *release) debName(p platform) string {
	return fmt.Sprintf("sidekick-mcp_%s_%s.deb", r.version, p.arch)
}

// deb makes a package for Debian and what comes of it, with dpkg-deb, which
// takes the times of files from SOURCE_DATE_EPOCH.
func (r *release) deb(ctx context.Context, dir string, p platform) error {
	tree, err := os.MkdirTemp("", "sidekick-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	program, readme, err := r.contents(p)
	if err != nil {
		return err
	}
	control := fmt.Sprintf("Package: sidekick-mcp\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\n"+
		"Suggests: chromium\nSection: web\nPriority: optional\nHomepage: %s\nDescription: %s\n"+
		" An MCP server over stdio, for the hosts of AI agents. \"sidekick-mcp install\"\n"+
		" tells the browsers of a user where it is; \"sidekick-mcp pair\" makes a token\n for an agent's host.\n",
		r.version, p.arch, maintainer, (len(program)+len(readme)+1023)/1024, homepage, tagline)
	for _, f := range []file{
		{"DEBIAN/control", 0o644, []byte(control)},
		{"usr/bin/sidekick-mcp", 0o755, program},
		{"usr/share/doc/sidekick-mcp/README.md", 0o644, readme},
	} {
		path := filepath.Join(tree, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, os.FileMode(f.mode)); err != nil {
			return err
		}
	}
	// Whatever the umask is.
	err = filepath.WalkDir(tree, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--threads-max=1", "--build", tree, filepath.Join(dir, r.debName(p)))
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(epoch.Unix(), 10))
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("dpkg-deb is missing: install dpkg to make the .deb packages")
	}
	if err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
