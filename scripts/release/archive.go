package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// file is one of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// archiveName is that of a platform's archive.
func (r *release) archiveName(p platform) string {
	ext := ".tar.gz"
	if p.os == "windows" {
		ext = ".zip"
	}
	return fmt.Sprintf("sidekick-mcp_%s_%s_%s%s", r.version, p.os, p.arch, ext)
}

// archive makes the archive of the program for people without a package
// manager.
func (r *release) archive(dir string, p platform) error {
	program, readme, err := r.contents(p)
	if err != nil {
		return err
	}
	files := []file{{p.exe(), 0o755, program}, {"README.md", 0o644, readme}}
	write := writeTarGz
	if p.os == "windows" {
		write = writeZip
	}
	return write(filepath.Join(dir, r.archiveName(p)), files)
}

func writeTarGz(path string, files []file) error {
	return create(path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		t := tar.NewWriter(z)
		for _, f := range files {
			h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: epoch, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write(f.data); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

func writeZip(path string, files []file) error {
	return create(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, f := range files {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: epoch}
			h.SetMode(os.FileMode(f.mode))
			fw, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := fw.Write(f.data); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// checksums writes SHA256SUMS of all files of a folder, as sha256sum reads it,
// and returns the sums by name.
func checksums(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	var text strings.Builder
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(b)
		sums[e.Name()] = hex.EncodeToString(sum[:])
		fmt.Fprintf(&text, "%s  %s\n", sums[e.Name()], e.Name())
	}
	return sums, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}

// contents are what every package of a platform has in it.
func (r *release) contents(p platform) (program, readme []byte, err error) {
	if program, err = os.ReadFile(r.program(p)); err != nil {
		return nil, nil, err
	}
	readme, err = os.ReadFile(filepath.Join(r.root, "README.md"))
	return program, readme, err
}
