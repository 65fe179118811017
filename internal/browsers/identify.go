package browsers

import (
	"path/filepath"
	"strings"
)

// identify looks at the executable's path, links followed: installers put the
// program into a folder of its product's name, whatever the program is called.
func identify(exe string) (Browser, bool) {
	if target, err := filepath.EvalSymlinks(exe); err == nil {
		if b, ok := identifyPath(target); ok {
			return b, true
		}
	}
	return identifyPath(exe)
}

// marks are what the paths of executables have in them, in lower case, with /
// between folders. The first that fits counts, so the special come before the
// general.
var marks = []struct{ part, id string }{
	{"chrome for testing", "chrome-for-testing"},
	{"chrome-for-testing", "chrome-for-testing"},
	{"/puppeteer/", "chrome-for-testing"},
	{"/ms-playwright/", "chrome-for-testing"},
	{"com.google.chrome", "chrome-flatpak"},
	{"org.chromium.chromium", "chromium-flatpak"},
	{"com.microsoft.edge", "edge-flatpak"},
	{"com.brave.browser", "brave-flatpak"},
	{"com.vivaldi.vivaldi", "vivaldi-flatpak"},
	{"/snap/bin/chromium", "chromium-snap"}, {"/snap/chromium/", "chromium-snap"},
	{"/snap/bin/brave", "brave-snap"}, {"/snap/brave/", "brave-snap"},
	{"/snap/bin/opera", "opera-snap"}, {"/snap/opera/", "opera-snap"},
	{"chrome beta", "chrome-beta"}, {"chrome-beta", "chrome-beta"},
	{"chrome dev", "chrome-dev"}, {"chrome-unstable", "chrome-dev"},
	{"chrome canary", "chrome-canary"}, {"chrome-canary", "chrome-canary"}, {"chrome sxs", "chrome-canary"},
	{"google chrome", "chrome"}, {"google-chrome", "chrome"}, {"/google/chrome/", "chrome"},
	{"edge beta", "edge-beta"}, {"edge-beta", "edge-beta"}, {"msedge-beta", "edge-beta"},
	{"edge dev", "edge-dev"}, {"edge-dev", "edge-dev"}, {"msedge-dev", "edge-dev"},
	{"edge canary", "edge-canary"}, {"edge sxs", "edge-canary"},
	{"microsoft-edge", "edge"}, {"microsoft edge", "edge"}, {"/msedge", "edge"}, {"/microsoft/edge/", "edge"},
	{"brave", "brave"},
	{"vivaldi", "vivaldi"},
	{"opera", "opera"},
	{"/arc.app/", "arc"}, {"/arc.exe", "arc"}, {"thebrowsercompany.arc", "arc"},
	{"chromium", "chromium"},
}

// identifyPath goes by the text of a path of any system alone.
func identifyPath(exe string) (Browser, bool) {
	p := strings.ToLower(strings.ReplaceAll(exe, `\`, "/"))
	for _, m := range marks {
		if strings.Contains(p, m.part) {
			return byID(m.id), true
		}
	}
	return Browser{}, false
}

// byID knows the browsers of all systems by what does not depend on one.
func byID(id string) Browser {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, b := range Known(Env{GOOS: goos}) {
			if b.ID == id {
				return Browser{ID: b.ID, Name: b.Name, Branded: b.Branded, Confined: b.Confined}
			}
		}
	}
	return Browser{ID: id}
}
