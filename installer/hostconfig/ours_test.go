package hostconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// takeOut takes ours out and returns the names.
func takeOut(t *testing.T, h Host, file, home string) string {
	t.Helper()
	planned, err := TakeOut(h, file, home, true)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := TakeOut(h, file, home, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(planned) != len(taken) {
		t.Errorf("a dry run tells of %d, and %d are taken out", len(planned), len(taken))
	}
	var names []string
	for _, c := range taken {
		if c.Action != Removed {
			t.Errorf("%s: %s", c.Name, c.Action)
		}
		if _, err := os.Stat(c.Backup); c.Backup != "" && err != nil {
			t.Errorf("%s: it names a backup that is gone: %v", c.Name, err)
		}
		names = append(names, c.Name)
	}
	if again, err := TakeOut(h, file, home, false); err != nil || len(again) != 0 {
		t.Errorf("a second time there are %v, %v", again, err)
	}
	return strings.Join(names, " ")
}

// Whatever a file held before it gets back, for every host and every text that
// its file may hold, under any names.
func TestTakeOutGivesBackWhatWasThere(t *testing.T) {
	for _, h := range writable() {
		for name, text := range filesOf(t, h) {
			t.Run(h.ID+"/"+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "Ordner ä", "file")
				save(t, file, string(text), 0o600)
				old := load(t, file)
				for _, c := range []struct {
					name    string
					command []string
				}{
					{"zz-browser", []string{"/home/ä b/bin/sidekick-mcp"}},
					{"aa-browser", []string{"cmd", "/c", "npx", "-y", Launcher}},
					{"browser", []string{`C:\Users\A\Sidekick\bin\sidekick-mcp.exe`}},
				} {
					s := testServer()
					s.Name, s.Command = c.name, c.command
					add(t, h, file, s)
				}
				if got := takeOut(t, h, file, ""); len(strings.Fields(got)) != 3 {
					t.Errorf("taken out: %q", got)
				}
				after, err := Open(file)
				if err != nil {
					t.Fatal(err)
				}
				want, err := h.read([]byte(old))
				if err != nil {
					t.Fatal(err)
				}
				got, err := h.read(after.text)
				if err != nil {
					t.Fatal(err)
				}
				if servers, ok := got[h.servers[0]].(map[string]any); ok && len(servers) == 0 && want[h.servers[0]] == nil {
					delete(got, h.servers[0]) // an empty list says nothing
				}
				if !same(got, want) {
					t.Errorf("before:\n%s\nafter:\n%s", old, after.text)
				}
			})
		}
	}
}

// Only our own, of this installation.
func TestTakeOutLeavesOthers(t *testing.T) {
	h := cursor(t)
	const text = `{
  // of mine
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/work/sidekick-mcp"] },
    "sidekick": { "command": "/opt/other/sidekick-mcp", "args": [], "env": { "API_KEY": "x" } },
    "elsewhere": { "command": "/a/sidekick-mcp", "args": [], "env": { "SIDEKICK_TOKEN": "skt_x", "SIDEKICK_HOME": "/other" } },
    "remote": { "url": "https://example.com/sidekick-mcp" },
    "mine": { "command": "/a/sidekick-mcp", "args": [], "env": { "SIDEKICK_TOKEN": "skt_x" } }, // in use
    "pinned": { "command": "npx", "args": ["-y", "@frogbotai/sidekick-mcp@0.1.0"], "env": {} },
  }
}
`
	file := filepath.Join(t.TempDir(), "mcp.json")
	save(t, file, text, 0o600)
	if got := takeOut(t, h, file, ""); got != "mine pinned" {
		t.Errorf("taken out: %q", got)
	}
	got := load(t, file)
	for _, line := range strings.SplitAfter(text, "\n") {
		ours := strings.Contains(line, `"mine"`) || strings.Contains(line, `"pinned"`)
		if !ours && !strings.Contains(got, strings.TrimRight(line, ",\n")) {
			t.Errorf("%q is gone from\n%s", line, got)
		}
	}
	if takeOut(t, h, file, "/other") != "elsewhere" {
		t.Error("another installation's is not taken out by that")
	}
}

// Codex passes the variable on where the file is shared.
func TestTakeOutOfCodex(t *testing.T) {
	h, err := ByID("codex")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	save(t, file, "model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"/b/sidekick-mcp\"\nenv_vars = [\"SIDEKICK_TOKEN\"]\n", 0o600)
	if got := takeOut(t, h, file, ""); got != "a" {
		t.Errorf("taken out: %q", got)
	}
	if got := load(t, file); strings.TrimSpace(got) != "model = \"x\" # mine" {
		t.Errorf("left: %q", got)
	}
}

func TestTakeOutFails(t *testing.T) {
	h, dir := cursor(t), t.TempDir()
	if taken, err := TakeOut(h, filepath.Join(dir, "none"), "", false); err != nil || len(taken) > 0 {
		t.Errorf("of no file: %v, %v", taken, err)
	}
	other := filepath.Join(dir, "other.json")
	save(t, other, `{ "broken": `, 0o600)
	if _, err := TakeOut(h, other, "", false); err != nil {
		t.Errorf("what has nothing of ours is none of our business: %v", err)
	}
	broken := filepath.Join(dir, "broken.json")
	save(t, broken, `{ "mcpServers": { "sidekick": { "command": "sidekick-mcp"`, 0o600)
	if _, err := TakeOut(h, broken, "", false); err == nil || !strings.Contains(err.Error(), "was left as it is") {
		t.Errorf("of a broken file: %v", err)
	}
	locked := filepath.Join(dir, "locked.json")
	add(t, h, locked, testServer())
	if err := os.Chmod(locked, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := TakeOut(h, locked, "", false); err == nil || !strings.Contains(err.Error(), "write-protected") {
		t.Errorf("of a write-protected file: %v", err)
	}
}
