package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Unpack puts the extension's files into dir, as the managed browser and the
// user's own load them, and reports whether something was not so already. A
// browser that reads dir at the same time sees the old files or the new.
func Unpack(fsys fs.FS, dir string) (changed bool, err error) {
	right, err := Unpacked(fsys, dir)
	if err != nil || right {
		return false, err
	}
	return true, extract(fsys, dir)
}

// Unpacked reports whether dir holds the extension's files as [Unpack] writes
// them.
func Unpacked(fsys fs.FS, dir string) (bool, error) {
	_, want, err := wanted(fsys)
	if err != nil {
		return false, err
	}
	return unpacked(dir, want), nil
}

// Version is the version in the manifest that [Unpack] writes, which a browser
// that loads that folder tells; see stamped.
func Version(fsys fs.FS) (string, error) {
	manifest, _, err := wanted(fsys)
	if err != nil {
		return "", err
	}
	return ManifestVersion(manifest)
}

// ManifestVersion is the version that an extension's manifest.json names, which
// it has to.
func ManifestVersion(manifest []byte) (string, error) {
	var m struct {
		Version string `json:"version"`
	}
	err := json.Unmarshal(manifest, &m)
	if err == nil && m.Version == "" {
		err = errors.New("it names no version")
	}
	return m.Version, err
}

// Fault is what is wrong with an unpacked extension.
type Fault struct {
	// What says it, "" if the folder holds what [Unpack] writes.
	What string
	// Runs says that a browser can run it all the same: it is whole, but of
	// another version.
	Runs bool
}

// Inspect compares dir with what [Unpack] writes there. Files that are there
// besides do no harm and are not looked at.
func Inspect(fsys fs.FS, dir string) (Fault, error) {
	manifest, _, err := wanted(fsys)
	if err != nil {
		return Fault{}, err
	}
	have, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return Fault{What: manifestFile + " is missing or cannot be read"}, nil
	}
	version, err := ManifestVersion(have)
	if err != nil {
		return Fault{What: manifestFile + " is no manifest"}, nil
	}
	want, err := ManifestVersion(manifest)
	if err != nil {
		return Fault{}, err
	}
	if version != want { // which files that one has is not known here
		return Fault{What: "version " + version, Runs: worker(dir, have)}, nil
	}
	var fault Fault
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || fault.What != "" {
			return err
		}
		b := manifest
		if name != manifestFile {
			if b, err = fs.ReadFile(fsys, name); err != nil {
				return err
			}
		}
		switch got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); {
		case err != nil:
			fault.What = name + " is missing or cannot be read"
		case !bytes.Equal(got, b):
			fault.What = name + " was changed"
		}
		return nil
	})
	return fault, err
}

// worker reports whether the worker that a manifest names is there.
func worker(dir string, manifest []byte) bool {
	var m struct {
		Background struct {
			Worker string `json:"service_worker"`
		} `json:"background"`
	}
	if json.Unmarshal(manifest, &m) != nil || m.Background.Worker == "" {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(m.Background.Worker)))
	return err == nil && info.Mode().IsRegular()
}

// Loadable says why a browser cannot load the extension from dir, whatever its
// version; "" if it can.
func Loadable(dir string) string {
	manifest, err := os.ReadFile(filepath.Join(dir, manifestFile))
	switch {
	case err != nil:
		return manifestFile + " is missing or cannot be read"
	case !json.Valid(manifest):
		return manifestFile + " is no manifest"
	case !worker(dir, manifest):
		return "its worker is missing"
	}
	return ""
}
