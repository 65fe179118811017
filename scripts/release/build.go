package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/extension"
)

const (
	module     = "github.com/frogbotai/sidekick-mcp"
	homepage   = "https://github.com/frogbotai/sidekick-mcp"
	tagline    = "Lets AI agents use your own Chrome, each in a tab group of its own"
	maintainer = "FrogBot <https://github.com/frogbotai/sidekick-mcp/issues>"
)

// epoch is the time that all files of a release have.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// platform is one that Sidekick is for, in Go's names.
type platform struct{ os, arch string }

var allPlatforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// exe is the program's file name there.
func (p platform) exe() string {
	if p.os == "windows" {
		return "sidekick-mcp.exe"
	}
	return "sidekick-mcp"
}

func (p platform) String() string { return p.os + "/" + p.arch }

// parsePlatforms reads a list such as linux/amd64,darwin/arm64; an empty one is
// all of them.
func parsePlatforms(list string) ([]platform, error) {
	if list == "" {
		return allPlatforms, nil
	}
	var some []platform
next:
	for name := range strings.SplitSeq(list, ",") {
		for _, p := range allPlatforms {
			if p.String() == name {
				some = append(some, p)
				continue next
			}
		}
		return nil, fmt.Errorf("there is no platform %q: the platforms are %v", name, allPlatforms)
	}
	return some, nil
}

// release is one version, for some platforms.
type release struct {
	version   string
	root      string // of the source tree
	bin       string // the folder of the built programs
	platforms []platform
}

// newRelease is the version that the tree is at. The one place that says it is
// the extension's manifest, which the browser reads as it is.
func newRelease(out string, platforms []platform) (*release, error) {
	b, err := extension.FS.ReadFile("manifest.json")
	if err != nil {
		return nil, err
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(b, &manifest); err != nil {
		return nil, fmt.Errorf("reading extension/manifest.json: %w", err)
	}
	if strings.Count(manifest.Version, ".") != 2 {
		return nil, fmt.Errorf("extension/manifest.json has the version %q; a release needs one of three numbers, as 1.2.0", manifest.Version)
	}
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for the source tree: %w", err)
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	return &release{
		version:   manifest.Version,
		root:      filepath.Dir(strings.TrimSpace(string(gomod))),
		bin:       filepath.Join(out, "bin"),
		platforms: platforms,
	}, nil
}

// program is the built program's file.
func (r *release) program(p platform) string {
	return filepath.Join(r.bin, p.os+"-"+p.arch, p.exe())
}

// build builds the program for every platform. What depends on this checkout
// and not on its source is left out: paths, and the version control's stamp.
func (r *release) build(ctx context.Context) error {
	for _, p := range r.platforms {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
			"-ldflags", "-s -w -X main.release="+r.version, "-o", r.program(p), module+"/cmd/sidekick-mcp")
		cmd.Dir = r.root
		// No settings of the machine's: they are recorded in the program.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("building for %s: %w", p, err)
		}
	}
	return nil
}

// freshDir makes an empty folder, in the place of one that an older release
// left its files in.
func freshDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}
