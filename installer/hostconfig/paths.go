package hostconfig

import (
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// System is where files are looked for. It is a value, so that the places of
// every system can be tested on each.
type System struct {
	GOOS string
	Home string
	// Getenv reads the environment; nil is an empty one.
	Getenv func(string) string
	// Exists reports whether there is a file; nil is a system without any.
	Exists func(string) bool
}

// ThisSystem is the machine's, for the user who runs this process. The error is
// that of [paths.Home].
func ThisSystem() (System, error) {
	home, err := paths.Home()
	return System{
		GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv,
		Exists: func(name string) bool { _, err := os.Stat(name); return err == nil },
	}, err
}

func (s System) env(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

func (s System) exists(name string) bool { return s.Exists != nil && s.Exists(name) }

// join puts a path together with the separators of the system.
func (s System) join(dir string, names ...string) string {
	if s.GOOS != "windows" {
		return path.Join(append([]string{dir}, names...)...)
	}
	return strings.TrimRight(strings.ReplaceAll(dir, "/", `\`), `\`) + `\` + strings.Join(names, `\`)
}

// or is the folder that a variable names, or dir.
func (s System) or(variable, dir string) string {
	if named := s.env(variable); named != "" {
		return named
	}
	return dir
}

// xdg is the folder of settings on Linux, which some programs use on every
// system.
func (s System) xdg() string { return s.or("XDG_CONFIG_HOME", s.join(s.Home, ".config")) }

// appData is where programs with a window keep their settings on this system.
func (s System) appData() string {
	switch s.GOOS {
	case "darwin":
		return s.join(s.Home, "Library", "Application Support")
	case "windows":
		return s.or("APPDATA", s.join(s.Home, "AppData", "Roaming"))
	}
	return s.xdg()
}

// UserFile is the file in which a host keeps the servers of this user; "" for a
// host that has none. What the host's own variables say is followed.
func (s System) UserFile(h Host) string {
	switch h.ID {
	case "claude-code":
		return s.join(s.or("CLAUDE_CONFIG_DIR", s.Home), ".claude.json")
	case "claude-desktop":
		return s.join(s.appData(), "Claude", "claude_desktop_config.json")
	case "cursor":
		return s.join(s.Home, ".cursor", "mcp.json")
	case "vscode":
		if portable := s.env("VSCODE_PORTABLE"); portable != "" {
			return s.join(portable, "user-data", "User", "mcp.json")
		}
		return s.join(s.appData(), "Code", "User", "mcp.json")
	case "codex":
		return s.join(s.or("CODEX_HOME", s.join(s.Home, ".codex")), "config.toml")
	case "gemini":
		return s.join(s.or("GEMINI_CLI_HOME", s.Home), ".gemini", "settings.json")
	case "windsurf":
		return s.join(s.Home, ".codeium", "windsurf", "mcp_config.json")
	case "zed":
		if s.GOOS == "windows" {
			return s.join(s.appData(), "Zed", "settings.json")
		}
		if s.GOOS == "darwin" {
			return s.join(s.Home, ".config", "zed", "settings.json")
		}
		return s.join(s.or("FLATPAK_XDG_CONFIG_HOME", s.xdg()), "zed", "settings.json")
	case "opencode":
		if file := s.env("OPENCODE_CONFIG"); file != "" {
			return file
		}
		return s.withComments(s.join(s.xdg(), "opencode"))
	}
	return ""
}

// ProjectFile is the file in which a host keeps the servers of the project in
// dir. See [Host.CheckProject].
func (s System) ProjectFile(h Host, dir string) string {
	switch h.ID {
	case "claude-code":
		return s.join(dir, ".mcp.json")
	case "cursor":
		return s.join(dir, ".cursor", "mcp.json")
	case "vscode":
		return s.join(dir, ".vscode", "mcp.json")
	case "codex":
		return s.join(dir, ".codex", "config.toml")
	case "gemini":
		return s.join(dir, ".gemini", "settings.json")
	case "opencode":
		return s.withComments(dir)
	}
	return ""
}

// withComments is OpenCode's file in a folder: the one that is there.
func (s System) withComments(dir string) string {
	if file := s.join(dir, "opencode.jsonc"); s.exists(file) {
		return file
	}
	return s.join(dir, "opencode.json")
}

// Short is a file's name as people write it, with ~ for their home folder.
func (s System) Short(file string) string {
	if rest, ok := strings.CutPrefix(file, s.Home); ok && s.GOOS != "windows" && strings.HasPrefix(rest, "/") {
		return "~" + rest
	}
	return file
}
