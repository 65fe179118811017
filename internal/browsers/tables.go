package browsers

import (
	"path"
	"strings"
)

// hostsDir is what every browser of the family calls the folder of native
// messaging hosts within its user data directory.
const hostsDir = "NativeMessagingHosts"

// onLinux is the table of Linux and the BSDs.
func onLinux(env Env) []Browser {
	configs := []string{path.Join(env.Home, ".config")}
	// A browser that was started with another XDG_CONFIG_HOME is there.
	if dir := env.get("XDG_CONFIG_HOME"); path.IsAbs(dir) && path.Clean(dir) != configs[0] {
		configs = append(configs, path.Clean(dir))
	}
	native := func(id, name string, branded bool, config string, exes ...string) Browser {
		b := Browser{ID: id, Name: name, Executables: exes, Branded: branded}
		for _, dir := range configs {
			b.UserDataDirs = append(b.UserDataDirs, path.Join(dir, config))
			b.HostDirs = append(b.HostDirs, path.Join(dir, config, hostsDir))
		}
		return b
	}
	confined := func(id, name string, branded bool, userData string, exes ...string) Browser {
		dir := path.Join(env.Home, userData)
		return Browser{
			ID: id, Name: name, Executables: exes, Branded: branded, Confined: true,
			UserDataDirs: []string{dir}, HostDirs: []string{path.Join(dir, hostsDir)},
		}
	}
	flatpak := func(id, name string, branded bool, app, config string) Browser {
		return confined(id, name, branded, path.Join(".var/app", app, "config", config),
			"/var/lib/flatpak/exports/bin/"+app,
			path.Join(env.Home, ".local/share/flatpak/exports/bin", app))
	}
	opera := native("opera", "Opera", true, "opera", "opera", "opera-stable", "/usr/lib/x86_64-linux-gnu/opera/opera")
	// Some builds of Opera look where Chrome does.
	for _, dir := range configs {
		opera.HostDirs = append(opera.HostDirs, path.Join(dir, "google-chrome", hostsDir))
	}
	return []Browser{
		native("chrome", "Google Chrome", true, "google-chrome", "google-chrome-stable", "google-chrome", "/opt/google/chrome/google-chrome"),
		native("chromium", "Chromium", false, "chromium", "chromium", "chromium-browser", "/usr/lib/chromium/chromium"),
		native("edge", "Microsoft Edge", true, "microsoft-edge", "microsoft-edge-stable", "microsoft-edge", "/opt/microsoft/msedge/microsoft-edge"),
		native("brave", "Brave", true, "BraveSoftware/Brave-Browser", "brave-browser-stable", "brave-browser", "brave", "/opt/brave.com/brave/brave-browser"),
		native("vivaldi", "Vivaldi", true, "vivaldi", "vivaldi-stable", "vivaldi", "/opt/vivaldi/vivaldi"),
		opera,
		native("chrome-beta", "Google Chrome Beta", true, "google-chrome-beta", "google-chrome-beta", "/opt/google/chrome-beta/google-chrome-beta"),
		native("chrome-dev", "Google Chrome Dev", true, "google-chrome-unstable", "google-chrome-unstable", "/opt/google/chrome-unstable/google-chrome-unstable"),
		native("chrome-canary", "Google Chrome Canary", true, "google-chrome-canary", "google-chrome-canary", "/opt/google/chrome-canary/google-chrome-canary"),
		native("edge-beta", "Microsoft Edge Beta", true, "microsoft-edge-beta", "microsoft-edge-beta", "/opt/microsoft/msedge-beta/microsoft-edge-beta"),
		native("edge-dev", "Microsoft Edge Dev", true, "microsoft-edge-dev", "microsoft-edge-dev", "/opt/microsoft/msedge-dev/microsoft-edge-dev"),
		native("chrome-for-testing", "Chrome for Testing", false, "google-chrome-for-testing",
			"chrome-for-testing",
			path.Join(env.Home, ".cache/puppeteer/chrome/*/chrome-linux64/chrome"),
			path.Join(env.Home, ".cache/ms-playwright/chromium-*/chrome-linux*/chrome")),
		confined("chromium-snap", "Chromium (snap)", false, "snap/chromium/common/chromium", "/snap/bin/chromium"),
		confined("brave-snap", "Brave (snap)", true, "snap/brave/current/.config/BraveSoftware/Brave-Browser", "/snap/bin/brave"),
		confined("opera-snap", "Opera (snap)", true, "snap/opera/current/.config/opera", "/snap/bin/opera"),
		flatpak("chrome-flatpak", "Google Chrome (flatpak)", true, "com.google.Chrome", "google-chrome"),
		flatpak("chromium-flatpak", "Chromium (flatpak)", false, "org.chromium.Chromium", "chromium"),
		flatpak("edge-flatpak", "Microsoft Edge (flatpak)", true, "com.microsoft.Edge", "microsoft-edge"),
		flatpak("brave-flatpak", "Brave (flatpak)", true, "com.brave.Browser", "BraveSoftware/Brave-Browser"),
		flatpak("vivaldi-flatpak", "Vivaldi (flatpak)", true, "com.vivaldi.Vivaldi", "vivaldi"),
	}
}

// onMacOS is the table of macOS.
func onMacOS(env Env) []Browser {
	support := path.Join(env.Home, "Library/Application Support")
	app := func(id, name string, branded bool, userData, bundle string) Browser {
		program := path.Join(bundle+".app/Contents/MacOS", bundle)
		dir := path.Join(support, userData)
		b := Browser{
			ID: id, Name: name, Branded: branded,
			Executables:  []string{path.Join("/Applications", program), path.Join(env.Home, "Applications", program)},
			UserDataDirs: []string{dir}, HostDirs: []string{path.Join(dir, hostsDir)},
		}
		return b
	}
	opera := app("opera", "Opera", true, "com.operasoftware.Opera", "Opera")
	opera.HostDirs = append(opera.HostDirs, path.Join(support, "Google/Chrome", hostsDir))
	testing := app("chrome-for-testing", "Chrome for Testing", false, "Google/Chrome for Testing", "Google Chrome for Testing")
	testing.Executables = append(testing.Executables,
		path.Join(env.Home, ".cache/puppeteer/chrome/*/chrome-mac-*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"),
		path.Join(env.Home, "Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*"))
	return []Browser{
		app("chrome", "Google Chrome", true, "Google/Chrome", "Google Chrome"),
		app("chromium", "Chromium", false, "Chromium", "Chromium"),
		app("edge", "Microsoft Edge", true, "Microsoft Edge", "Microsoft Edge"),
		app("brave", "Brave", true, "BraveSoftware/Brave-Browser", "Brave Browser"),
		app("vivaldi", "Vivaldi", true, "Vivaldi", "Vivaldi"),
		opera,
		app("arc", "Arc", true, "Arc/User Data", "Arc"),
		app("chrome-beta", "Google Chrome Beta", true, "Google/Chrome Beta", "Google Chrome Beta"),
		app("chrome-dev", "Google Chrome Dev", true, "Google/Chrome Dev", "Google Chrome Dev"),
		app("chrome-canary", "Google Chrome Canary", true, "Google/Chrome Canary", "Google Chrome Canary"),
		app("edge-beta", "Microsoft Edge Beta", true, "Microsoft Edge Beta", "Microsoft Edge Beta"),
		app("edge-dev", "Microsoft Edge Dev", true, "Microsoft Edge Dev", "Microsoft Edge Dev"),
		app("edge-canary", "Microsoft Edge Canary", true, "Microsoft Edge Canary", "Microsoft Edge Canary"),
		testing,
	}
}

// Registry keys that name native messaging hosts. A browser whose vendor
// changed nothing about it reads Chromium's and then Chrome's, so all others
// are reached through Chrome's.
//
// See: https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/extensions/api/messaging/launch_context_win.cc
const (
	chromeKey   = `Software\Google\Chrome\` + hostsDir
	chromiumKey = `Software\Chromium\` + hostsDir
	edgeKey     = `Software\Microsoft\Edge\` + hostsDir
)

// onWindows is the table of Windows.
func onWindows(env Env) []Browser {
	local := env.get("LocalAppData")
	if local == "" {
		local = win(env.Home, "AppData", "Local")
	}
	roaming := env.get("AppData")
	if roaming == "" {
		roaming = win(env.Home, "AppData", "Roaming")
	}
	// Where programs may be: for all users, or for this one.
	roots := []string{}
	for _, v := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		if dir := env.get(v); dir != "" {
			roots = append(roots, dir)
		}
	}
	if len(roots) == 0 {
		roots = []string{`C:\Program Files`, `C:\Program Files (x86)`}
	}
	roots = append(roots, local)
	product := func(id, name string, branded bool, key, folder, exe string) Browser {
		b := Browser{ID: id, Name: name, Branded: branded, HostKey: key, UserDataDirs: []string{win(local, folder, "User Data")}}
		for _, root := range roots {
			b.Executables = append(b.Executables, win(root, folder, "Application", exe))
		}
		return b
	}
	testing := product("chrome-for-testing", "Chrome for Testing", false, chromeKey, `Google\Chrome for Testing`, "chrome.exe")
	testing.Executables = append(testing.Executables,
		win(env.Home, `.cache\puppeteer\chrome\*\chrome-win64\chrome.exe`),
		win(local, `ms-playwright\chromium-*\chrome-win*\chrome.exe`))
	opera := Browser{
		ID: "opera", Name: "Opera", Branded: true, HostKey: chromeKey,
		Executables:  []string{win(local, `Programs\Opera\opera.exe`)},
		UserDataDirs: []string{win(roaming, `Opera Software\Opera Stable`)},
	}
	for _, root := range roots[:len(roots)-1] {
		opera.Executables = append(opera.Executables, win(root, `Opera\opera.exe`))
	}
	arc := Browser{
		ID: "arc", Name: "Arc", Branded: true, HostKey: chromeKey,
		Executables:  []string{win(local, `Microsoft\WindowsApps\Arc.exe`)},
		UserDataDirs: []string{win(local, `Packages\TheBrowserCompany.Arc_ttt1ap7aakyb4\LocalCache\Local\Arc\User Data`)},
	}
	return []Browser{
		product("chrome", "Google Chrome", true, chromeKey, `Google\Chrome`, "chrome.exe"),
		product("chromium", "Chromium", false, chromiumKey, "Chromium", "chrome.exe"),
		product("edge", "Microsoft Edge", true, edgeKey, `Microsoft\Edge`, "msedge.exe"),
		product("brave", "Brave", true, chromeKey, `BraveSoftware\Brave-Browser`, "brave.exe"),
		product("vivaldi", "Vivaldi", true, chromeKey, "Vivaldi", "vivaldi.exe"),
		opera,
		arc,
		product("chrome-beta", "Google Chrome Beta", true, chromeKey, `Google\Chrome Beta`, "chrome.exe"),
		product("chrome-dev", "Google Chrome Dev", true, chromeKey, `Google\Chrome Dev`, "chrome.exe"),
		product("chrome-canary", "Google Chrome Canary", true, chromeKey, `Google\Chrome SxS`, "chrome.exe"),
		product("edge-beta", "Microsoft Edge Beta", true, edgeKey, `Microsoft\Edge Beta`, "msedge.exe"),
		product("edge-dev", "Microsoft Edge Dev", true, edgeKey, `Microsoft\Edge Dev`, "msedge.exe"),
		product("edge-canary", "Microsoft Edge Canary", true, edgeKey, `Microsoft\Edge SxS`, "msedge.exe"),
		testing,
	}
}

// win joins a path of Windows on any system.
func win(elem ...string) string {
	elem[0] = strings.TrimRight(elem[0], `\/`)
	return strings.Join(elem, `\`)
}
