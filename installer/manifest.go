// Package installer tells the user's browsers where to find Sidekick: it
// writes the native messaging manifests that let the extension start this
// binary, and takes them away again. It needs no administrator's rights.
package installer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/natefinch/atomic"
)

// HostName is the name of the native messaging host that the extension asks
// for.
const HostName = "ai.frogbot.sidekick"

// ManifestFile is the name of the manifest's file.
const ManifestFile = HostName + ".json"

// manifest is Chrome's form of it.
//
// See: https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host
type manifest struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Path           string   `json:"path"`
	Type           string   `json:"type"`
	AllowedOrigins []string `json:"allowed_origins"`
}

// Manifest returns the text of the manifest that lets the extension with an id
// start binary, an absolute path.
func Manifest(binary, extensionID string) ([]byte, error) {
	if !filepath.IsAbs(binary) {
		return nil, fmt.Errorf("%q is not an absolute path, and browsers start nothing else", binary)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // a path may well have an & in it
	e.SetIndent("", "  ")
	err := e.Encode(manifest{
		Name:           HostName,
		Description:    "Sidekick: lets AI agents use tab groups of this browser",
		Path:           binary,
		Type:           "stdio",
		AllowedOrigins: []string{"chrome-extension://" + extensionID + "/"},
	})
	return out.Bytes(), err
}

// WriteManifest writes the manifest into dir, which it makes if need be, and
// returns the file's name. A file that is right already is left alone.
func WriteManifest(dir, binary, extensionID string) (string, error) {
	file := filepath.Join(dir, ManifestFile)
	_, err := writeManifest(file, binary, extensionID)
	return file, err
}

// writeManifest reports whether it had to write.
func writeManifest(file, binary, extensionID string) (changed bool, err error) {
	text, err := Manifest(binary, extensionID)
	if err != nil {
		return false, err
	}
	if upToDate(file, text) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, fmt.Errorf("the folder of the native messaging manifest cannot be made: %w", err)
	}
	if err := atomic.WriteFile(file, bytes.NewReader(text)); err != nil {
		return false, fmt.Errorf("the native messaging manifest cannot be written: %w", err)
	}
	return true, nil
}

// upToDate reports whether a manifest is there and right.
func upToDate(file string, text []byte) bool {
	have, err := os.ReadFile(file)
	return err == nil && bytes.Equal(have, text)
}

// removeManifest reports whether there was one. Others' files are let alone:
// the name is ours.
func removeManifest(file string) (changed bool, err error) {
	err = os.Remove(file)
	// A file where a browser's folder would be has no manifest in it either.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil, err
}
