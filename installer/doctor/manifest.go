package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// manifestPlace is one manifest and who looks for it.
type manifestPlace struct {
	// Browser is the name for people, ID the product's.
	Browser string
	// File is where the manifest has to be, or on Windows where the registry
	// says that it is ("" if it says nothing); Key is the registry's key.
	File, Key string
	// Needed says that one of its profiles has the extension.
	Needed bool
}

// manifests looks at what tells each browser where this program is.
func (c *checkup) manifests(ctx context.Context) {
	for _, p := range manifestPlaces(c.Env, c.products(), c.profiles) {
		why, bad := judgeManifest(ctx, c.Env, p)
		if bad && c.brokenCopy != "" && namesProgram(p.File, c.brokenCopy) && ofProgram(why) {
			c.note(HopManifest, p.Browser, p.Browser+" is told of "+c.brokenCopy+", the installed copy of this program: see above")
			continue
		}
		if !bad {
			c.good(HopManifest, p.Browser, p.Browser+" is told where Sidekick is ("+p.where()+")")
			continue
		}
		if !c.wantsOwn() {
			// Sidekick's own browser is told by whoever starts it.
			c.note(HopManifest, p.Browser, why.What+"; no agent needs it: they use Sidekick's own browser")
			continue
		}
		c.bad(HopManifest, p.Browser, worse(p.Needed), why, c.Env.mendManifest(p, why))
	}
}

// products are the browsers that are here, or that have left profiles with the
// extension.
func (c *checkup) products() []browsers.Browser {
	var list []browsers.Browser
	for _, b := range c.browsers {
		list = append(list, b.Browser)
	}
	for _, p := range c.profiles {
		if p.ID != "" && !slices.ContainsFunc(list, func(b browsers.Browser) bool { return b.ID == p.Browser.ID }) {
			list = append(list, p.Browser)
		}
	}
	return list
}

// manifestPlaces are the places where a list of browsers looks, each once.
func manifestPlaces(env Env, list []browsers.Browser, profiles []Profile) []manifestPlace {
	var places []manifestPlace
	for _, b := range list {
		needed := slices.ContainsFunc(profiles, func(p Profile) bool { return p.ID == env.Extension && p.Browser.ID == b.ID })
		add := func(p manifestPlace) {
			p.Browser, p.Needed = b.Name, needed
			i := slices.IndexFunc(places, func(q manifestPlace) bool { return q.File == p.File && q.Key == p.Key })
			if i < 0 {
				places = append(places, p)
				return
			}
			places[i].Needed = places[i].Needed || needed
		}
		if b.HostKey != "" {
			key := b.HostKey + `\` + installer.HostName
			file, ok := env.Registry(key)
			if !ok {
				file = ""
			}
			add(manifestPlace{File: file, Key: key})
		}
		for _, dir := range b.HostDirs {
			add(manifestPlace{File: path.Join(dir, installer.ManifestFile)})
		}
	}
	return places
}

func (p manifestPlace) where() string {
	if p.Key != "" {
		return `HKEY_CURRENT_USER\` + p.Key
	}
	return p.File
}

// judgeManifest says what is wrong with a manifest, if something is.
func judgeManifest(ctx context.Context, env Env, p manifestPlace) (why cause.Cause, bad bool) {
	missing := cause.ManifestMissing.About(p.Browser, p.where())
	if p.File == "" {
		return missing, true
	}
	b, err := os.ReadFile(p.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, true
	case err != nil:
		return cause.ManifestBroken.About(p.File, plain(err)), true
	}
	var m struct {
		Name    string   `json:"name"`
		Path    string   `json:"path"`
		Type    string   `json:"type"`
		Origins []string `json:"allowed_origins"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return cause.ManifestBroken.About(p.File, err.Error()), true
	}
	if m.Name != installer.HostName || m.Type != "stdio" {
		return cause.ManifestBroken.About(p.File, fmt.Sprintf("its name is %q and its type %q", m.Name, m.Type)), true
	}
	if !isAbs(env.Browsers.GOOS, m.Path) {
		return cause.ManifestRelative.About(p.File, m.Path), true
	}
	if !slices.Contains(m.Origins, "chrome-extension://"+env.Extension+"/") {
		return cause.ManifestOrigin.About(p.File, env.Extension), true
	}
	info, err := os.Stat(m.Path)
	if err != nil || info.IsDir() {
		return cause.ManifestTarget.About(p.File, m.Path), true
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		return cause.ManifestNotExec.About(m.Path, p.File), true
	}
	if self, err := os.Stat(env.Self); err == nil && os.SameFile(self, info) {
		return cause.Cause{}, false
	}
	switch v, err := env.VersionOf(ctx, m.Path); {
	case err != nil:
		return cause.ManifestNotOurs.About(m.Path, p.File, err.Error()), true
	case v != env.Version:
		return cause.ManifestOldVersion.About(p.File, v, env.Version), true
	}
	return cause.Cause{}, false
}

// ofProgram reports whether a cause is about the program that a manifest names.
func ofProgram(why cause.Cause) bool {
	for _, c := range []cause.Cause{cause.ManifestTarget, cause.ManifestNotExec, cause.ManifestOldVersion, cause.ManifestNotOurs} {
		if why.ID == c.ID {
			return true
		}
	}
	return false
}

// namesProgram reports whether a manifest names a program.
func namesProgram(file, program string) bool {
	var m struct {
		Path string `json:"path"`
	}
	b, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(b, &m) == nil && m.Path == program
}

// mendManifest is how a manifest is mended: it is written as install would, or
// its program is made one that may be run.
func (env Env) mendManifest(p manifestPlace, why cause.Cause) func(context.Context) (string, error) {
	usable := func(program string) bool { return exists(program) && !vanishes(program) }
	if !usable(env.Binary) && !usable(env.Self) {
		return nil // what it would name is soon gone: install keeps a copy first
	}
	return func(ctx context.Context) (string, error) {
		// The installed copy was mended before this, as far as it can be.
		if _, err := env.VersionOf(ctx, env.Binary); env.Binary != env.Self && usable(env.Self) && err != nil {
			env.Binary = env.Self
		}
		if err := runnable(env.Binary); err != nil {
			return "", err
		}
		if p.Key != "" {
			_, err := installer.Install(ctx, installer.Options{Binary: env.Binary, ExtensionID: env.Extension, Env: env.Browsers, StateDir: env.Dirs.State})
			return "wrote the manifest again and told the browsers of it", err
		}
		if why.ID == cause.ManifestBroken.ID {
			// What is in the way may be a folder, or a link to nowhere.
			if info, err := os.Lstat(p.File); err == nil && !info.Mode().IsRegular() {
				if err := os.Remove(p.File); err != nil {
					return "", err
				}
			}
		}
		_, err := installer.WriteManifest(filepath.Dir(p.File), env.Binary, env.Extension)
		return "wrote " + p.File, err
	}
}

// runnable makes a program of ours one that may be run.
func runnable(program string) error {
	info, err := os.Stat(program)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0 {
		return err
	}
	return os.Chmod(program, info.Mode().Perm()|0o700)
}

// isAbs is filepath.IsAbs for any system.
func isAbs(goos, p string) bool {
	if goos != "windows" {
		return path.IsAbs(p)
	}
	return len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}

func jsonObject(b []byte) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(b, &m) == nil
}
