//go:build unix

package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnsureClosesRunToOthers(t *testing.T) {
	d := inDir(t.TempDir())
	if err := os.Mkdir(d.Run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Ensure(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.Run)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("Run is %v, want 0700", info.Mode().Perm())
	}
}

func TestEnsureLeavesTheRightsOfSidekickHome(t *testing.T) {
	d := inDir(t.TempDir())
	if err := os.Chmod(d.State, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Ensure(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.State)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o755 {
		t.Errorf("State is %v now, want it left at 0755", info.Mode().Perm())
	}
}

func TestEnsureRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		prepare    func(t *testing.T, d Dirs)
	}{
		{"a folder that everybody may write to", "everybody may write", func(t *testing.T, d Dirs) {
			if err := os.Chmod(d.State, 0o777); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link in the place of Run", "not a folder", func(t *testing.T, d Dirs) {
			if err := os.Symlink(t.TempDir(), d.Run); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file in the place of Run", "cannot be made", func(t *testing.T, d Dirs) {
			if err := os.WriteFile(d.Run, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := inDir(t.TempDir())
			tt.prepare(t, d)
			if err := d.Ensure(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestEnsureMakesTheSocketsOwnFolder(t *testing.T) {
	d := inDir(filepath.Join(t.TempDir(), strings.Repeat("deep", 30)))
	if err := d.Ensure(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Dir(d.Socket()))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(d.Socket()) == d.Run || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of %s is %v, want one of its own with 0700", d.Socket(), info.Mode().Perm())
	}
}
