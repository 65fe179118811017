package npmtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Registry is an npm registry on loopback that has the packages of a release.
type Registry struct {
	*httptest.Server
	// Version is that of the packages.
	Version  string
	manifest map[string]map[string]any // package.json by name
	tarball  map[string][]byte         // by name
}

// NewRegistry serves the tarballs in a folder. The other platforms' packages are
// there without a program: npm and its kin ask to find that they do not want
// them, and Yarn 1 fetches them all the same.
func NewRegistry(dir string) (*Registry, error) {
	r := &Registry{manifest: map[string]map[string]any{}, tarball: map[string][]byte{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		m, err := packageJSON(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		name, _ := m["name"].(string)
		r.manifest[name], r.tarball[name] = m, b
	}
	launcher := r.manifest[Package]
	if launcher == nil {
		return nil, fmt.Errorf("%s has no package %s", dir, Package)
	}
	r.Version, _ = launcher["version"].(string)
	optional, _ := launcher["optionalDependencies"].(map[string]any)
	for name := range optional {
		if r.manifest[name] == nil {
			system, cpu, _ := strings.Cut(strings.TrimPrefix(name, Package+"-"), "-")
			m := map[string]any{"name": name, "version": r.Version, "os": []string{system}, "cpu": []string{cpu}}
			if r.tarball[name], err = emptyTarball(m); err != nil {
				return nil, err
			}
			r.manifest[name] = m
		}
	}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	return r, nil
}

func (r *Registry) serve(w http.ResponseWriter, req *http.Request) {
	path, err := url.PathUnescape(req.URL.EscapedPath())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if name, ok := strings.CutPrefix(path, "/-/tarball/"); ok && r.tarball[name] != nil {
		w.Write(r.tarball[name])
		return
	}
	name := strings.TrimPrefix(path, "/")
	m := r.manifest[name]
	if m == nil {
		http.NotFound(w, req)
		return
	}
	sum := sha512.Sum512(r.tarball[name])
	version := map[string]any{}
	for k, v := range m {
		version[k] = v
	}
	if scripts, _ := m["scripts"].(map[string]any); scripts["postinstall"] != nil {
		version["hasInstallScript"] = true
	}
	version["dist"] = map[string]any{
		"tarball":   r.URL + "/-/tarball/" + name,
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"name":      name,
		"dist-tags": map[string]any{"latest": r.Version},
		"versions":  map[string]any{r.Version: version},
		// Yarn 4 leaves out what is not a day old, or has no age.
		"time": map[string]string{r.Version: "2026-01-01T00:00:00.000Z"},
	})
}

// emptyTarball is a package with nothing in it but its package.json.
func emptyTarball(m map[string]any) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	if err := t.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(text))}); err != nil {
		return nil, err
	}
	if _, err := t.Write(text); err != nil {
		return nil, err
	}
	err = errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}

// packageJSON reads a tarball's package.json.
func packageJSON(tarball []byte) (map[string]any, error) {
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("there is no package.json in it")
		}
		if err != nil {
			return nil, err
		}
		if h.Name == "package/package.json" {
			var m map[string]any
			return m, json.NewDecoder(t).Decode(&m)
		}
	}
}
