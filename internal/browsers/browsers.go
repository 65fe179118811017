// Package browsers knows where the browsers of the Chromium family keep
// themselves: their executables, the folders of their profiles, and the places
// where they look for native messaging hosts. It finds the profiles that have
// our extension. It starts nothing.
package browsers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// Browser is one product, on the system that it was asked for.
type Browser struct {
	// ID is its name for programs, such as "chrome-beta", Name the one for
	// people.
	ID, Name string
	// Executables are where it may be: absolute paths, which may hold a * for
	// what differs between versions, and names to look for in PATH.
	Executables []string
	// UserDataDirs are the folders that it keeps profiles in, the usual one
	// first.
	UserDataDirs []string
	// HostDirs are the folders that it looks for native messaging hosts in.
	// Empty on Windows.
	HostDirs []string
	// HostKey is the registry key, below HKEY_CURRENT_USER, that names its
	// native messaging hosts. Empty but on Windows.
	HostKey string
	// Branded browsers ignore --load-extension (Chrome since 137).
	Branded bool
	// Confined browsers run in a sandbox of their packaging (snap, flatpak)
	// that keeps them from most files, the home folder's hidden ones included.
	Confined bool
}

// Env is what the tables depend on.
type Env struct {
	GOOS string
	Home string
	// Getenv reads the environment; nil is an empty one.
	Getenv func(string) string
}

func (e Env) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// HostEnv is this machine's, for the user who runs this process.
func HostEnv() (Env, error) {
	home, err := paths.Home()
	if err != nil {
		return Env{}, err
	}
	return Env{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv}, nil
}

// Known returns all browsers of the family, installed or not, in the order in
// which people are likely to mean them.
func Known(env Env) []Browser {
	switch env.GOOS {
	case "windows":
		return onWindows(env)
	case "darwin":
		return onMacOS(env)
	default:
		return onLinux(env)
	}
}

// Installation is a browser that is there.
type Installation struct {
	Browser
	// Exe is its executable, an absolute path.
	Exe string
}

// Installed returns the browsers that are there, in the order of [Known].
func Installed(ctx context.Context) ([]Installation, error) {
	env, err := HostEnv()
	if err != nil {
		return nil, err
	}
	return installed(ctx, env)
}

func installed(ctx context.Context, env Env) ([]Installation, error) {
	var found []Installation
	for _, b := range Known(env) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		exe, ok := b.Find()
		if !ok {
			continue
		}
		found = append(found, Installation{b, exe})
	}
	return found, nil
}

// Find returns the first of the executables that is there, as an absolute path. What
// starts a snap is none of a browser that is not one: the snap is listed by itself.
func (b Browser) Find() (string, bool) {
	usable := func(exe string) bool { return isExecutable(exe) && (b.Confined || !startsSnap(exe)) }
	for _, exe := range b.Executables {
		switch {
		case strings.Contains(exe, "*"):
			matches, _ := filepath.Glob(exe)
			// The newest version last, as far as names tell.
			slices.Reverse(matches)
			for _, m := range matches {
				if usable(m) {
					return m, true
				}
			}
		case filepath.IsAbs(exe):
			if usable(exe) {
				return exe, true
			}
		case !strings.ContainsAny(exe, `/\`):
			if p, err := exec.LookPath(exe); err == nil {
				if p, err = filepath.Abs(p); err == nil && usable(p) {
					return p, true
				}
			}
		}
	}
	return "", false
}

func isExecutable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// startsSnap reports whether exe is a snap's name, which is a link to snap itself, or
// a short script around one, as Ubuntu's /usr/bin/chromium-browser is.
func startsSnap(exe string) bool {
	if real, err := filepath.EvalSymlinks(exe); err == nil && real != exe && filepath.Base(real) == "snap" {
		return true
	}
	f, err := os.Open(exe)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [4096]byte
	n, _ := f.Read(b[:])
	text := string(b[:n])
	return strings.HasPrefix(text, "#!") && strings.Contains(text, "/snap/bin/")
}

// ErrNoBrowser says that no browser of the family is to be found.
var ErrNoBrowser error = cause.BrowserAbsent

// Resolve returns the executable of the browser that Sidekick starts for
// itself. choice is the value of SIDEKICK_BROWSER: a path, a name in PATH, or
// the id of a known browser; empty leaves it to Resolve.
func Resolve(ctx context.Context, choice string) (string, error) {
	env, err := HostEnv()
	if err != nil {
		return "", err
	}
	return resolve(ctx, env, choice)
}

func resolve(ctx context.Context, env Env, choice string) (string, error) {
	if choice = strings.TrimSpace(choice); choice != "" {
		return resolveChoice(env, choice)
	}
	all, err := installed(ctx, env)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", ErrNoBrowser
	}
	// The extension gets into one that is not branded with a flag, and a
	// confined one cannot read it where it is.
	best := slices.MinFunc(all, func(a, b Installation) int { return a.trouble() - b.trouble() })
	return best.Exe, nil
}

func (i Installation) trouble() int {
	n := 0
	if i.Branded {
		n++
	}
	if i.Confined {
		n += 2
	}
	return n
}

func resolveChoice(env Env, choice string) (string, error) {
	if strings.ContainsAny(choice, `/\`) {
		p, err := filepath.Abs(choice)
		if err != nil {
			return "", fmt.Errorf("SIDEKICK_BROWSER is %q: %w", choice, err)
		}
		if !isExecutable(p) {
			return "", fmt.Errorf("SIDEKICK_BROWSER is %q, and there is no program of that name: set it to the executable of a browser, or leave it out", choice)
		}
		return p, nil
	}
	var ids []string
	for _, b := range Known(env) {
		ids = append(ids, b.ID)
		if b.ID == strings.ToLower(choice) {
			if exe, ok := b.Find(); ok {
				return exe, nil
			}
			break // there may still be one of that name in PATH
		}
	}
	if p, err := exec.LookPath(choice); err == nil {
		return filepath.Abs(p)
	}
	if slices.Contains(ids, strings.ToLower(choice)) {
		return "", fmt.Errorf("SIDEKICK_BROWSER is %q, which is not installed here: install it, or set SIDEKICK_BROWSER to the executable of another browser", choice)
	}
	return "", fmt.Errorf("SIDEKICK_BROWSER is %q, which is neither a program in PATH nor one of %s: set it to the executable of a browser", choice, strings.Join(ids, ", "))
}

// IsBranded reports whether the browser with this executable ignores
// --load-extension, so that the extension has to be loaded another way: Google
// Chrome, Edge and other vendors' builds, but not Chromium nor Chrome for
// Testing. An executable that is not known here counts as not branded.
func IsBranded(exe string) bool {
	b, ok := identify(exe)
	return ok && b.Branded
}

// Identify returns the browser that an executable is, as far as its name and
// place tell.
func Identify(exe string) (Browser, bool) { return identify(exe) }
