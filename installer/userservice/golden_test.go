package userservice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What each system is told.
func TestGolden(t *testing.T) {
	unix := Config{Binary: "/home/ada/.local/share/sidekick/bin/sidekick-mcp", LogDir: "/home/ada/.local/share/sidekick/log"}
	odd := Config{
		Binary: `/home/Ada Łovelace/R & D 100% {{$x}} "new"/sidekick-mcp`,
		Home:   "/home/Ada Łovelace/<kick>", LogDir: "/Users/Ada Łovelace/log & more",
	}
	windows := Config{Binary: `C:\Users\Ada Łovelace\AppData\Local\Sidekick\bin\sidekick-mcp.exe`}
	windowsHome := windows
	windowsHome.Home = `E:\my kick`
	for name, got := range map[string]string{
		"sidekick.service":              systemdUnit(unix, systemdOptions{version: 255}),
		"sidekick-252.service":          systemdUnit(unix, systemdOptions{version: 252}),
		"sidekick-setuid.service":       systemdUnit(unix, systemdOptions{version: 255, setuidSandbox: true}),
		"sidekick-odd.service":          systemdUnit(odd, systemdOptions{version: 255}),
		"ai.frogbot.sidekick.plist":     launchdPlist(unix),
		"ai.frogbot.sidekick-odd.plist": launchdPlist(odd),
		"run.txt":                       runCommand(windows) + "\n",
		"run-home.txt":                  runCommand(windowsHome) + "\n",
	} {
		file := "testdata/" + name
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s (%v): got\n%s", name, err, got)
		}
	}
}

// systemd-analyze does not notice a target that a user's manager has not got.
func TestUnitIsWantedByTheUsersTarget(t *testing.T) {
	unit := systemdUnit(Config{Binary: "/sidekick-mcp"}, systemdOptions{version: 255})
	_, install, ok := strings.Cut(unit, "[Install]\n")
	if !ok || install != "WantedBy=default.target\n" {
		t.Errorf("the unit ends with %q", install)
	}
}

// The property list says what it should to a reader of XML.
func TestPlistParses(t *testing.T) {
	binary := `/Ada's {{Path}}/<R & D>/sidekick-mcp`
	d := xml.NewDecoder(strings.NewReader(launchdPlist(Config{Binary: binary})))
	var texts []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok && len(bytes.TrimSpace(c)) > 0 {
			texts = append(texts, string(c))
		}
	}
	all := strings.Join(texts, "|")
	if !strings.Contains(all, "|ProgramArguments|"+binary+"|helper|--stay|") {
		t.Errorf("its texts are %q", texts)
	}
}
