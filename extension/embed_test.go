package extension

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Chrome names an extension by the first 16 bytes of the SHA-256 of its public
// key, each half byte as a letter from a to p.
func TestIDFollowsFromTheKey(t *testing.T) {
	var manifest struct{ Key string }
	b, err := FS.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	der, err := base64.StdEncoding.DecodeString(manifest.Key)
	if err != nil {
		t.Fatalf("the key: %v", err)
	}
	sum := sha256.Sum256(der)
	var id strings.Builder
	for _, c := range sum[:16] {
		id.WriteByte('a' + c>>4)
		id.WriteByte('a' + c&15)
	}
	if id.String() != ID {
		t.Errorf("ID is %s; the manifest's key makes %s", ID, id.String())
	}
	written, err := os.ReadFile("id.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(written)); got != ID {
		t.Errorf("id.txt says %s, want %s", got, ID)
	}
}

var reference = regexp.MustCompile(`(?:from |import\(?|src=|href=|"(?:service_worker|page|default_popup|\d+)": )["']([^"'#:]+)["']`)

// A file that is named by an embedded one but not embedded itself would only
// be missed in the browser.
func TestWhatIsNamedIsThere(t *testing.T) {
	files := 0
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".png" {
			return err
		}
		files++
		b, err := FS.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range reference.FindAllStringSubmatch(string(b), -1) {
			named := path.Join(path.Dir(name), m[1])
			if _, err := fs.Stat(FS, named); err != nil {
				t.Errorf("%s names %s: %v", name, m[1], err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files are embedded", files)
	}
	if _, err := fs.Stat(FS, "package.json"); err == nil {
		t.Error("package.json is embedded; the browser has no use for it")
	}
}
