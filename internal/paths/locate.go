package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
)

// locate is [Default] for any system, so that each can be tested on each.
func locate(goos string, getenv func(string) string, home func() (string, error)) (Dirs, error) {
	if dir := getenv("SIDEKICK_HOME"); dir != "" {
		// A relative path would name another folder in each process.
		if !isAbs(goos, dir) {
			return Dirs{}, fmt.Errorf("SIDEKICK_HOME is %q, which is not an absolute path: set it to a full path", dir)
		}
		return inState(goos, dir), nil
	}
	if goos == "windows" {
		if dir := getenv("LocalAppData"); dir != "" {
			return inState(goos, join(goos, dir, "Sidekick")), nil
		}
	}
	dir, err := home()
	if err != nil {
		return Dirs{}, err
	}
	if !isAbs(goos, dir) {
		return Dirs{}, errors.New("HOME is not an absolute path: set it to a full path, or set SIDEKICK_HOME")
	}
	switch goos {
	case "windows":
		return inState(goos, join(goos, dir, "AppData", "Local", "Sidekick")), nil
	case "darwin":
		return inState(goos, join(goos, dir, "Library", "Application Support", "Sidekick")), nil
	default:
		return inState(goos, join(goos, dir, ".local", "share", "sidekick")), nil
	}
}

func inState(goos, state string) Dirs {
	return Dirs{State: state, Run: join(goos, state, "run")}
}

// maxSocketPath is what we allow a socket's path, in bytes: the kernel's own
// limits are 104 on macOS and 108 on Linux, its final zero byte included.
const maxSocketPath = 100

// socketAddress names the helper's address for the folder run and the user.
func socketAddress(goos, run, user string) string {
	if goos == "windows" {
		return `\\.\pipe\sidekick-` + digest(user+"\n"+strings.ToLower(run))
	}
	if p := join(goos, run, "helper.sock"); len(p) <= maxSocketPath {
		return p
	}
	// Not os.TempDir: TMPDIR differs between the processes that must meet.
	return path.Join("/tmp", "sidekick-"+user, digest(run)+".sock")
}

// binaryName is what the program is called on a system.
func binaryName(goos string) string {
	if goos == "windows" {
		return "sidekick-mcp.exe"
	}
	return "sidekick-mcp"
}

// digest shortens s to 12 hexadecimal digits.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:12]
}

func isAbs(goos, p string) bool {
	if goos != "windows" {
		return path.IsAbs(p)
	}
	drive := len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return drive || strings.HasPrefix(p, `\\`)
}

func join(goos string, elem ...string) string {
	if goos == "windows" {
		return strings.Join(append([]string{strings.TrimRight(elem[0], `\/`)}, elem[1:]...), `\`)
	}
	return path.Join(elem...)
}
