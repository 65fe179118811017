//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A click that asks for a file shows the user no dialog: the agent is told, and
// gives the file with upload_file.
func TestFileDialog(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := a.open(e.site.page("filedialog.html"))
	outline := a.ok("read_page", args{"tab": tab})
	for _, c := range []struct{ name, want string }{
		{"Attach", "no dialog was shown: call upload_file with ref"},
		{"Attach after a while", "Clicked"},
		{"Pick", "showOpenFilePicker, showSaveFilePicker or showDirectoryPicker, which an agent cannot answer"},
	} {
		contains(t, a.ok("click", args{"ref": findRef(outline, "button", c.name)}), c.want)
	}
	// The page that came late with its question was answered like the others.
	a.ok("wait_for", args{"tab": tab, "text": "Asked 2"})
	a.ok("wait_for", args{"tab": tab, "text": "Refused: AbortError"})
	a.fails("upload_file", args{"ref": findRef(outline, "button", "Pick"), "paths": []string{file}}, "showOpenFilePicker")
	contains(t, a.ok("press_key", args{"ref": findRef(outline, "button", "Attach"), "key": "Enter"}), "call upload_file")
	a.ok("upload_file", args{"ref": findRef(outline, "button", "Attach"), "paths": []string{file}})
	a.ok("wait_for", args{"tab": tab, "text": "Got a.txt"})

	// Enter that is typed is Enter, also as the first key that a tab gets.
	for range 2 {
		for _, field := range []string{"Asks by Enter", "Asks as it is sent"} {
			for _, keys := range []args{{"text": "", "submit": true}, {"text": "\n"}} {
				tab := a.open(e.site.page("filedialog.html"))
				keys["ref"] = a.ref(tab, "textbox", field)
				contains(t, a.ok("type_text", keys), "no dialog was shown: call upload_file")
			}
		}
	}
}
