package installer

import (
	"bytes"
	_ "embed"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/natefinch/atomic"
)

// WelcomeFile is the page that says what is left to do. Browsers open no page
// of their own (chrome://extensions) that a command line, or a link, names; a
// page in a file they do.
const WelcomeFile = "welcome.html"

//go:embed welcome.html
var welcome string

// WriteWelcome writes the page into dir and returns its address.
func WriteWelcome(dir, extensionDir string) (string, error) {
	text := strings.ReplaceAll(welcome, "FOLDER", html.EscapeString(extensionDir))
	file := filepath.Join(dir, WelcomeFile)
	if err := atomic.WriteFile(file, bytes.NewReader([]byte(text))); err != nil {
		return "", err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return "", err
	}
	return fileURL(runtime.GOOS, file), nil
}

func fileURL(goos, file string) string {
	if goos == "windows" {
		file = "/" + strings.ReplaceAll(file, `\`, "/")
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}
