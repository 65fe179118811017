//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files reach a page whether or not the user lets the extension read files:
// without that Chrome does not let it name them, and their bytes are sent.
func TestUpload(t *testing.T) {
	e := newEnv(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	small, large := write("a.txt", "small"), write("large.txt", strings.Repeat("0123456789", 200_000))
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := e.startAgent("researcher", e.pair("FrogBot"), "SIDEKICK_UPLOAD_DIRS="+dir)
	if err != nil {
		t.Fatal(err)
	}
	all := func() {
		t.Helper()
		tab := a.open(e.site.page("upload.html"))
		outline := a.ok("read_page", args{"tab": tab})
		for _, c := range []struct {
			role, name string
			paths      []string
			want       string
		}{
			{"button", "Photo", []string{small, large}, "Got: a.txt 5 small; large.txt 2000000 01234567890123456789"},
			{"button", "Attach", []string{small}, "Got: a.txt 5 small"},
			{"group", "Zone", []string{large}, "Got: large.txt 2000000 01234567890123456789"},
		} {
			ref := findRef(outline, c.role, c.name)
			contains(t, a.ok("upload_file", args{"ref": ref, "paths": c.paths}), filepath.Base(c.paths[0]))
			a.ok("wait_for", args{"tab": tab, "text": c.want})
		}
		a.fails("upload_file", args{"ref": findRef(outline, "button", "Photo"), "paths": []string{small, outside}}, "allows files in "+dir)
		a.fails("upload_file", args{"ref": findRef(outline, "button", "Photo"), "paths": []string{small + "x"}}, "does not exist")
		contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Got: large.txt")
	}
	all()

	p := e.probe()
	settings := p.userTab("chrome://extensions/")
	p.eval(settings, fmt.Sprintf(`chrome.developerPrivate.updateExtensionConfiguration({extensionId: %q, fileAccess: false}).then(() => 1)`, extensionID(t)), new(any))
	var info struct {
		Access bool `json:"access"`
	}
	p.eval(settings, fmt.Sprintf(`chrome.developerPrivate.getExtensionInfo(%q).then((i) => ({access: i.fileAccess.isActive}))`, extensionID(t)), &info)
	if info.Access {
		t.Fatal("the extension can still read files")
	}
	all()
}
