package launch

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAllowDownloads(t *testing.T) {
	const allowed = `{"profile":{"default_content_setting_values":{"automatic_downloads":1}}}`
	for name, c := range map[string]struct{ was, want string }{
		"none":              {"", allowed},
		"empty":             {`{}`, allowed},
		"others stay":       {`{"a":1.50,"profile":{"name":"Ä","default_content_setting_values":{"popups":2}}}`, `{"a":1.50,"profile":{"default_content_setting_values":{"automatic_downloads":1,"popups":2},"name":"Ä"}}`},
		"the user's choice": {`{"profile":{"default_content_setting_values":{"automatic_downloads":2}}}`, `{"profile":{"default_content_setting_values":{"automatic_downloads":2}}}`},
		"no object":         {`{"profile":null}`, `{"profile":null}`},
		"unreadable":        {`{"profile"`, `{"profile"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "Default", "Preferences")
			if c.was != "" {
				if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(c.was), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second time there is nothing to do
				if err := allowDownloads(dir); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(file); err != nil || string(got) != c.want {
					t.Errorf("the preferences are %s, %v, want %s", got, err, c.want)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) != 1 {
				t.Errorf("there are %q", left)
			}
		})
	}
}
