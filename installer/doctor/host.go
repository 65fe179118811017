package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// Host is this machine for the user who runs this process. What is not filled
// in is Connect, which only the round trip needs.
func Host(dirs paths.Dirs, version string) (Env, error) {
	known, err := browsers.HostEnv()
	if err != nil {
		return Env{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return Env{}, fmt.Errorf("finding this program's own file: %w", err)
	}
	store := pairing.Open(dirs.Pairings())
	brought, err := ExtensionVersion()
	if err != nil {
		return Env{}, err
	}
	stamped, err := launch.Version(extension.FS)
	if err != nil {
		return Env{}, err
	}
	return Env{
		Browsers: known, Dirs: dirs, Pairings: store, Version: version,
		Self: strings.TrimSuffix(self, " (deleted)"), Binary: stable(dirs, self),
		Extension: extension.ID, ExtensionVersion: brought, ExtensionStamped: stamped,
		AsRoot:    os.Geteuid() == 0,
		Keyring:   pairing.OpenSecrets(store, dirs.KeyFile()).Probe,
		VersionOf: versionOf,
		Registry:  readRegistry,
		Policies:  readPolicies,
		Service:   func(ctx context.Context) (Service, error) { return findService(ctx, known) },
		Space:     space,
		Start:     func(ctx context.Context) error { return ipc.StartHelper(ctx, self, dirs) },
	}, nil
}

// stable is the copy of this program that install keeps, if there is one: the
// folder that this one was started from may be a cache.
func stable(dirs paths.Dirs, self string) string {
	if copied := dirs.Binary(); dirs.State != "" && exists(copied) {
		return copied
	}
	return self
}

// ExtensionVersion is the version of the extension that this program brings.
func ExtensionVersion() (string, error) {
	b, err := fs.ReadFile(extension.FS, "manifest.json")
	if err != nil {
		return "", err
	}
	return launch.ManifestVersion(b)
}

// versionBound is how long a program may take to say its version.
const versionBound = 5 * time.Second

// versionOf asks a program for its version. It may be anything that a manifest
// names, so it gets no token and is not waited for for long.
func versionOf(ctx context.Context, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "version")
	cmd.Env = ipc.HelperEnv(os.Environ())
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %v", versionBound)
	}
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(string(out), "sidekick-mcp ")
	version, _, _ := strings.Cut(rest, " ")
	if !ok || version == "" {
		return "", errors.New("it says no version")
	}
	return version, nil
}
