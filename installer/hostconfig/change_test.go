package hostconfig

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func cursor(t *testing.T) Host {
	t.Helper()
	h, err := ByID("cursor")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func save(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

func load(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func add(t *testing.T, h Host, name string, s Server) Change {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Add(h, f, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	return c
}

func take(t *testing.T, h Host, name string) Change {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Remove(h, f, "sidekick")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	return c
}

func missing(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Lstat(name); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", name, err)
	}
}

// For every host and every kind of file: added, and taken out again, the file
// has its old bytes, and there is nothing beside it.
func TestAddAndRemoveGivesTheBytesBack(t *testing.T) {
	for _, h := range writable() {
		for name, text := range filesOf(t, h) {
			if had, err := h.has(text, "sidekick"); err != nil || had {
				continue
			}
			for _, s := range []Server{testServer(), sharedServer()} {
				if s.Shared && h.noProject != "" {
					continue
				}
				file := filepath.Join(t.TempDir(), "config")
				save(t, file, string(text), 0o640)
				if c := add(t, h, file, s); c.Action != Added || c.Backup != file+BackupSuffix || load(t, c.Backup) != string(text) {
					t.Errorf("%s/%s: %+v", h.ID, name, c)
				}
				if c := add(t, h, file, s); c.Action != Unchanged {
					t.Errorf("%s/%s, a second time: %+v", h.ID, name, c)
				}
				if c := take(t, h, file); c.Action != Removed || c.Deletes() {
					t.Errorf("%s/%s: %+v", h.ID, name, c)
				}
				if got := load(t, file); got != string(text) {
					t.Errorf("%s/%s: %q is now %q", h.ID, name, text, got)
				}
				if runtime.GOOS != "windows" && mode(t, file) != 0o640 {
					t.Errorf("%s/%s: the rights are %v", h.ID, name, mode(t, file))
				}
				missing(t, file+BackupSuffix)
				if c := take(t, h, file); c.Action != Unchanged {
					t.Errorf("%s/%s, a second time: %+v", h.ID, name, c)
				}
			}
		}
	}
}

// A file that was none is the user's alone, and goes again.
func TestNewFile(t *testing.T) {
	for _, h := range writable() {
		dir := t.TempDir()
		file := filepath.Join(dir, "deep", "er", "config")
		if c := add(t, h, file, testServer()); c.Action != Added || c.Backup != "" || c.Exposed {
			t.Errorf("%s: %+v", h.ID, c)
		}
		if runtime.GOOS != "windows" && (mode(t, file) != 0o600 || mode(t, filepath.Dir(file)).Perm() != 0o700) {
			t.Errorf("%s: the rights are %v, of the folder %v", h.ID, mode(t, file), mode(t, filepath.Dir(file)))
		}
		if c := take(t, h, file); !c.Deletes() {
			t.Errorf("%s: %+v", h.ID, c)
		}
		missing(t, file)
	}
}

// What the user did after us stays, also when ours is taken out.
func TestLaterEditsStay(t *testing.T) {
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	save(t, file, "{\n  \"mcpServers\": {}\n}\n", 0o600)
	add(t, h, file, testServer())
	save(t, file, strings.Replace(load(t, file), "\"mcpServers\": {", "\"mcpServers\": {\n    \"new\": {},", 1), 0o600)
	take(t, h, file)
	if got := load(t, file); got != "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" {
		t.Errorf("%q", got)
	}
	// And the backup of long ago is not what a later removal brings back.
	add(t, h, file, testServer())
	if got := load(t, file+BackupSuffix); !strings.Contains(got, `"new"`) {
		t.Errorf("the backup is %q", got)
	}
}

// An update of our entry leaves the backup as it was before we came.
func TestBackupIsOfTheFileWithoutUs(t *testing.T) {
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	save(t, file, "{ }", 0o644)
	add(t, h, file, testServer())
	other := testServer()
	other.Command = []string{"/elsewhere"}
	if c := add(t, h, file, other); c.Action != Updated || c.Exposed != (runtime.GOOS != "windows") {
		t.Errorf("%+v", c)
	}
	if got := load(t, file+BackupSuffix); got != "{ }" {
		t.Errorf("the backup is %q", got)
	}
	take(t, h, file)
	if got := load(t, file); got != "{ }" {
		t.Errorf("%q", got)
	}
	// One that somebody wrote by hand is taken out, not brought back.
	save(t, file, `{"mcpServers": {"sidekick": {"command": "x"}}}`, 0o600)
	add(t, h, file, testServer())
	if !strings.Contains(load(t, file+BackupSuffix), `"x"`) {
		t.Error("the entry of before is in no backup")
	}
	take(t, h, file)
	if got := load(t, file); got != `{"mcpServers": {}}` {
		t.Errorf("%q", got)
	}
}

// A link stays one: the file that it leads to is changed.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right of their own on Windows")
	}
	h, dir := cursor(t), t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "mcp.json"), filepath.Join(dir, "home", "mcp.json")
	save(t, real, "{}\n", 0o600)
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", link); err != nil {
		t.Fatal(err)
	}
	c := add(t, h, link, testServer())
	if mode(t, link)&fs.ModeSymlink == 0 || !strings.Contains(load(t, real), testToken) || c.Target != real {
		t.Errorf("%+v, the link is %v, the file %s", c, mode(t, link), load(t, real))
	}
	missing(t, real+BackupSuffix) // the dotfiles may be published
	take(t, h, link)
	if mode(t, link)&fs.ModeSymlink == 0 || load(t, real) != "{}\n" {
		t.Errorf("the link is %v, the file %s", mode(t, link), load(t, real))
	}
	// To a file that is not there yet.
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	add(t, h, link, testServer())
	if mode(t, link)&fs.ModeSymlink == 0 || mode(t, real) != 0o600 {
		t.Errorf("the link is %v, the file %v", mode(t, link), mode(t, real))
	}
	// Round and round.
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../home/mcp.json", real); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Error(err)
	}
}

// What cannot be read is left as it is, with a sentence that says where.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ id, text, want string }{
		{"cursor", "{\n  \"a\": 1,\n  oops\n}\n", "cannot be read as JSON: line 3, column 3"},
		{"cursor", "[]", "does not hold an object"},
		{"cursor", "{\"mcpServers\": 1}", `its "mcpServers" is not an object`},
		{"cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}", `the key "mcpServers" twice`},
		{"cursor", "\xff\xfe{\x00}\x00", "cannot be read as JSON"},
		{"codex", "a = \n", "cannot be read as TOML: line 1, column 5"},
		{"codex", "mcp_servers = {}\n", "does not change safely"},
	} {
		h, err := ByID(c.id)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "config")
		save(t, file, c.text, 0o600)
		f, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Add(h, f, testServer()); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "was left as it is") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", c.text, err)
		}
		if load(t, file) != c.text {
			t.Errorf("%q was changed", c.text)
		}
		missing(t, file+BackupSuffix)
	}
}

// What is not ours to write is refused.
func TestNotOurs(t *testing.T) {
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	save(t, file, "{}", 0o444)
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Add(h, f, testServer()); err == nil || !strings.Contains(err.Error(), "write-protected") {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	// Another user's: only root can make such a file here, and only root would
	// get as far as changing it.
	if os.Geteuid() == 0 {
		if err := os.Chown(file, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if f, err = Open(file); err != nil {
			t.Fatal(err)
		}
		if _, err := Add(h, f, testServer()); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Error(err)
		}
	}
	if _, err := Open(filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
}

// A file that changed since it was looked at is left alone.
func TestChangedMeanwhile(t *testing.T) {
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	for _, text := range []string{"", "{}"} {
		if text != "" {
			save(t, file, text, 0o600)
		}
		f, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Add(h, f, testServer())
		if err != nil {
			t.Fatal(err)
		}
		save(t, file, `{"a": 1}`, 0o600)
		if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "changed by another program") {
			t.Error(err)
		}
		if load(t, file) != `{"a": 1}` {
			t.Error(load(t, file))
		}
	}
}

// An entry that somebody switched off stays so, and that is said.
func TestOff(t *testing.T) {
	for id, text := range map[string]string{
		"cursor":   `{"mcpServers": {"sidekick": {"command": "x", "disabled": true}}}`,
		"opencode": `{"mcp": {"sidekick": {"command": ["x"], "enabled": false}}}`,
		"codex":    "[mcp_servers.sidekick]\ncommand = \"x\"\nenabled = false\n",
	} {
		h, err := ByID(id)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "config")
		save(t, file, text, 0o600)
		if c := add(t, h, file, testServer()); !c.Off || c.Action != Updated {
			t.Errorf("%s: %+v", id, c)
		}
	}
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	if c := add(t, h, file, testServer()); c.Off {
		t.Error("a new entry is off")
	}
}

func TestDiff(t *testing.T) {
	h, file := cursor(t), filepath.Join(t.TempDir(), "mcp.json")
	save(t, file, "{\n  \"a\": 1\n}\n", 0o600)
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Add(h, f, testServer())
	if err != nil {
		t.Fatal(err)
	}
	d := c.Diff()
	if strings.Contains(d, testToken) || !strings.Contains(d, "\n-  \"a\": 1\n+  \"a\": 1,\n+  \"mcpServers\"") || !strings.Contains(d, "skt_…") {
		t.Error(d)
	}
	if !bytes.Equal([]byte(load(t, file)), []byte("{\n  \"a\": 1\n}\n")) {
		t.Error("the plan has changed the file")
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{"sidekick": true, "Side_kick-2": true, "": false, "a b": false, "a.b": false, "ü": false, strings.Repeat("a", 41): false} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := ByID("emacs"); err == nil || !strings.Contains(err.Error(), "claude-code, claude-desktop, cursor") {
		t.Error(err)
	}
}
