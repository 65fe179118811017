package hostconfig

import (
	"strings"
	"testing"
)

// The files of every host on every system.
func TestUserFiles(t *testing.T) {
	const linux, mac, windows = "/home/zoë", "/Users/zoë", `C:\Users\Zoë K`
	for id, want := range map[string][3]string{
		"claude-code":    {"/.claude.json", "/.claude.json", `\.claude.json`},
		"claude-desktop": {"/.config/Claude/claude_desktop_config.json", "/Library/Application Support/Claude/claude_desktop_config.json", `\AppData\Roaming\Claude\claude_desktop_config.json`},
		"cursor":         {"/.cursor/mcp.json", "/.cursor/mcp.json", `\.cursor\mcp.json`},
		"vscode":         {"/.config/Code/User/mcp.json", "/Library/Application Support/Code/User/mcp.json", `\AppData\Roaming\Code\User\mcp.json`},
		"codex":          {"/.codex/config.toml", "/.codex/config.toml", `\.codex\config.toml`},
		"gemini":         {"/.gemini/settings.json", "/.gemini/settings.json", `\.gemini\settings.json`},
		"windsurf":       {"/.codeium/windsurf/mcp_config.json", "/.codeium/windsurf/mcp_config.json", `\.codeium\windsurf\mcp_config.json`},
		"zed":            {"/.config/zed/settings.json", "/.config/zed/settings.json", `\AppData\Roaming\Zed\settings.json`},
		"frogbot":        {"", "", ""},
		"opencode":       {"/.config/opencode/opencode.json", "/.config/opencode/opencode.json", `\.config\opencode\opencode.json`},
	} {
		h, err := ByID(id)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range []System{{GOOS: "linux", Home: linux}, {GOOS: "darwin", Home: mac}, {GOOS: "windows", Home: windows}} {
			file := want[i]
			if file != "" {
				file = s.Home + file
			}
			if got := s.UserFile(h); got != file {
				t.Errorf("%s on %s: %q, want %q", id, s.GOOS, got, file)
			}
			if (file == "") != (h.Writable() != nil) {
				t.Errorf("%s has the file %q, and writing it is %v", id, file, h.Writable())
			}
		}
	}
	if len(Hosts()) != 10 {
		t.Errorf("%d hosts, and 10 in this table", len(Hosts()))
	}
}

func TestProjectFiles(t *testing.T) {
	for id, want := range map[string][2]string{
		"claude-code": {"/p/.mcp.json", `D:\p\.mcp.json`},
		"cursor":      {"/p/.cursor/mcp.json", `D:\p\.cursor\mcp.json`},
		"vscode":      {"/p/.vscode/mcp.json", `D:\p\.vscode\mcp.json`},
		"codex":       {"/p/.codex/config.toml", `D:\p\.codex\config.toml`},
		"gemini":      {"/p/.gemini/settings.json", `D:\p\.gemini\settings.json`},
		"opencode":    {"/p/opencode.json", `D:\p\opencode.json`},
	} {
		h, err := ByID(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := (System{GOOS: "linux"}).ProjectFile(h, "/p"); got != want[0] {
			t.Errorf("%s: %q, want %q", id, got, want[0])
		}
		if got := (System{GOOS: "windows"}).ProjectFile(h, `D:\p`); got != want[1] {
			t.Errorf("%s: %q, want %q", id, got, want[1])
		}
		if err := h.CheckProject(); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"claude-desktop", "windsurf", "zed"} {
		if h, err := ByID(id); err != nil || h.CheckProject() == nil || (System{}).ProjectFile(h, "/p") != "" {
			t.Errorf("%s has a project's file", id)
		}
	}
}

// What the hosts' own variables say is followed.
func TestVariables(t *testing.T) {
	for _, c := range []struct{ goos, id, env, want string }{
		{"linux", "claude-code", "CLAUDE_CONFIG_DIR=/c", "/c/.claude.json"},
		{"linux", "claude-desktop", "XDG_CONFIG_HOME=/x", "/x/Claude/claude_desktop_config.json"},
		{"darwin", "claude-desktop", "XDG_CONFIG_HOME=/x", "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"windows", "claude-desktop", `APPDATA=D:\Roam`, `D:\Roam\Claude\claude_desktop_config.json`},
		{"linux", "vscode", "XDG_CONFIG_HOME=/x", "/x/Code/User/mcp.json"},
		{"linux", "vscode", "VSCODE_PORTABLE=/usb/data", "/usb/data/user-data/User/mcp.json"},
		{"linux", "codex", "CODEX_HOME=/c", "/c/config.toml"},
		{"windows", "codex", `CODEX_HOME=D:\c`, `D:\c\config.toml`},
		{"linux", "gemini", "GEMINI_CLI_HOME=/g", "/g/.gemini/settings.json"},
		{"linux", "zed", "XDG_CONFIG_HOME=/x", "/x/zed/settings.json"},
		{"linux", "zed", "FLATPAK_XDG_CONFIG_HOME=/f", "/f/zed/settings.json"},
		{"darwin", "zed", "XDG_CONFIG_HOME=/x", "/h/.config/zed/settings.json"},
		{"darwin", "opencode", "XDG_CONFIG_HOME=/x", "/x/opencode/opencode.json"},
		{"linux", "opencode", "OPENCODE_CONFIG=/o/mine.json", "/o/mine.json"},
	} {
		h, err := ByID(c.id)
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(c.env, "=")
		s := System{GOOS: c.goos, Home: "/h", Getenv: func(n string) string {
			if n == name {
				return value
			}
			return ""
		}}
		if got := s.UserFile(h); got != c.want {
			t.Errorf("%s on %s with %s: %q, want %q", c.id, c.goos, c.env, got, c.want)
		}
	}
}

// OpenCode's file may have comments; the one that is there is taken.
func TestOpenCodeWithComments(t *testing.T) {
	h, err := ByID("opencode")
	if err != nil {
		t.Fatal(err)
	}
	s := System{GOOS: "linux", Home: "/h", Exists: func(name string) bool { return strings.HasSuffix(name, ".jsonc") }}
	if got := s.UserFile(h); got != "/h/.config/opencode/opencode.jsonc" {
		t.Error(got)
	}
	if got := s.ProjectFile(h, "/p"); got != "/p/opencode.jsonc" {
		t.Error(got)
	}
}

func TestShort(t *testing.T) {
	for _, c := range [][4]string{
		{"linux", "/h", "/h/.cursor/mcp.json", "~/.cursor/mcp.json"},
		{"linux", "/h", "/hh/x", "/hh/x"},
		{"windows", `C:\U`, `C:\U\.cursor`, `C:\U\.cursor`},
	} {
		if got := (System{GOOS: c[0], Home: c[1]}).Short(c[2]); got != c[3] {
			t.Errorf("%v: %q", c, got)
		}
	}
}
