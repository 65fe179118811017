package hostconfig

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const testToken = "skt_0123456789abcdefghijklmnopqrstuvwxyz0123456789ABC"

func testServer() Server {
	return Server{Name: "sidekick", Command: []string{"npx", "-y", Launcher}, Token: testToken}
}

// sharedServer is the one that goes into a project's file.
func sharedServer() Server {
	s := testServer()
	s.Shared = true
	return s
}

// filesOf are the texts that a host's file may hold, by name.
func filesOf(t testing.TB, h Host) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/files/*." + string(h.Format))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files for %s: %v", h.ID, err)
	}
	typ, command := "stdio", `"/old/place"`
	if h.ID == "opencode" {
		typ, command = "local", `["/old/place"]`
	}
	files := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("%KEY%", h.servers[0], "%TYPE%", typ, "%COMMAND%", command, "%ENV%", h.environmentKey()).Replace(string(b))
		files[strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))] = []byte(text)
	}
	if h.ID == "opencode" {
		files["native"] = []byte("{\n  \"mcp\": {\n    \"servers\": {\n      \"files\": { \"type\": \"local\", \"command\": [\"a\"] }\n    }\n  }\n}\n")
	}
	return files
}

// golden compares with a file of testdata/golden, or writes it with
// UPDATE_GOLDEN=1.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s (UPDATE_GOLDEN=1 writes it anew):\ngot  %q\nwant %q", name, got, want)
	}
}

// writable are the hosts that have files.
func writable() []Host {
	var list []Host
	for _, h := range Hosts() {
		if h.Writable() == nil {
			list = append(list, h)
		}
	}
	return list
}

// Every host, with every kind of file that it may have: what is written is what
// was once looked at; a second time changes nothing; and taking it out gives the
// old bytes back, or at least no other value.
func TestGolden(t *testing.T) {
	for _, h := range writable() {
		files := filesOf(t, h)
		files["new"] = nil
		for name, text := range files {
			t.Run(h.ID+"/"+name, func(t *testing.T) {
				out, err := h.set(text, testServer())
				if err != nil {
					t.Fatal(err)
				}
				golden(t, h.ID+"/"+name+"."+string(h.Format), out)
				checkRound(t, h, text, out, testServer())
			})
		}
		if h.noProject == "" {
			for _, name := range []string{"new", "others", "comments"} {
				t.Run(h.ID+"/project-"+name, func(t *testing.T) {
					out, err := h.set(files[name], sharedServer())
					if err != nil {
						t.Fatal(err)
					}
					if bytes.Contains(out, []byte("skt_")) {
						t.Errorf("a project's file holds the token: %s", out)
					}
					golden(t, h.ID+"/project-"+name+"."+string(h.Format), out)
					checkRound(t, h, files[name], out, sharedServer())
				})
			}
		}
	}
}

// checkRound checks what holds of every file that a server was added to.
func checkRound(t testing.TB, h Host, text, out []byte, s Server) {
	t.Helper()
	again, err := h.set(out, s)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("a second time: %v\n%q became\n%q", err, out, again)
	}
	had, err := h.has(text, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if exact := h.before(out, text, s.Name); exact == had {
		t.Errorf("that it came of adding ours: %v, and there was one before: %v", exact, had)
	}
	gone, was, err := h.remove(out, s.Name)
	if h.Format == TOML && errors.Is(err, errUnproven) && bytes.Contains(text, []byte("{")) {
		return // in a table on one line, with others
	}
	if err != nil || !was {
		t.Fatalf("removing: %v, %v", was, err)
	}
	if still, err := h.has(gone, s.Name); err != nil || still {
		t.Errorf("after removing: %v, %v: %s", still, err, gone)
	}
	// The rest is as it was, an empty list of servers aside.
	before, err := h.read(text)
	if err != nil {
		t.Fatal(err)
	}
	path := h.serverPath(before, s.Name)
	after, err := h.read(gone)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []*map[string]any{&before, &after} {
		*doc = put(*doc, path, nil)
		for i := len(path) - 1; i > 0; i-- {
			if list, ok := at(*doc, path[:i]...).(map[string]any); ok && len(list) == 0 {
				*doc = put(*doc, path[:i], nil)
			}
		}
		if list, ok := (*doc)["inputs"].([]any); ok {
			// One of our name is ours, whoever wrote it.
			list = slices.DeleteFunc(list, func(v any) bool { return at(v, "id") == s.inputID() })
			if (*doc)["inputs"] = list; len(list) == 0 {
				delete(*doc, "inputs")
			}
		}
	}
	if len(before) == 0 {
		delete(after, "$schema") // of a file that was none
	}
	if !same(before, after) {
		t.Errorf("removing left\n%#v\nof\n%#v", after, before)
	}
}

// Taking the entry out by itself, without the backup, is exact as well wherever
// there were other servers.
func TestRemoveIsExact(t *testing.T) {
	for _, h := range writable() {
		for name, text := range filesOf(t, h) {
			switch name {
			case "older", "remote", "inline": // had one
				continue
			case "zero", "empty", "nothing", "nofinal", "dotted", "bom":
				if h.Format == JSON && name != "nofinal" && name != "bom" || h.Format == TOML && name == "nofinal" {
					continue // whether there was a list, or a newline, only the backup knows
				}
			}
			out, err := h.set(text, testServer())
			if err != nil {
				t.Fatal(err)
			}
			back, _, err := h.remove(out, "sidekick")
			if err != nil || !bytes.Equal(back, text) {
				t.Errorf("%s/%s: %v\n%q became\n%q", h.ID, name, err, text, back)
			}
		}
	}
}

// The snippets that people paste, for a person's own file and for a project's,
// on each system.
func TestSnippets(t *testing.T) {
	for _, h := range Hosts() {
		var b strings.Builder
		for _, goos := range []string{"linux", "windows"} {
			b.WriteString("== " + goos + "\n" + h.Snippet(testServer().For(h, goos)))
		}
		own := testServer()
		own.Command, own.Token, own.Home = []string{`C:\Users\Zoë's "PC"\sidekick-mcp.exe`}, "", "/tmp/home"
		b.WriteString("== own program, no token yet, SIDEKICK_HOME\n" + h.Snippet(own.For(h, "windows")))
		if h.noProject == "" {
			b.WriteString("== project\n" + h.Snippet(sharedServer().For(h, "linux")))
		}
		golden(t, "snippets/"+h.ID+".txt", []byte(b.String()))
	}
}
