package browsers

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// each is the environment of a user on each system.
var each = []Env{
	{GOOS: "linux", Home: "/home/ada"},
	{GOOS: "darwin", Home: "/Users/ada"},
	{GOOS: "windows", Home: `C:\Users\ada`, Getenv: func(k string) string {
		return map[string]string{
			"LocalAppData": `C:\Users\ada\AppData\Local`, "AppData": `C:\Users\ada\AppData\Roaming`,
			"ProgramFiles": `C:\Program Files`, "ProgramFiles(x86)": `C:\Program Files (x86)`,
		}[k]
	}},
}

func TestTablesAreWhole(t *testing.T) {
	for _, env := range each {
		seen := map[string]bool{}
		for _, b := range Known(env) {
			where := env.GOOS + " " + b.ID
			if b.ID == "" || b.Name == "" || seen[b.ID] {
				t.Errorf("%s: no id or name, or twice: %+v", where, b)
			}
			seen[b.ID] = true
			if len(b.Executables) == 0 || len(b.UserDataDirs) == 0 {
				t.Errorf("%s: no executables or no folders: %+v", where, b)
			}
			if windows := env.GOOS == "windows"; windows != (b.HostKey != "") || windows != (len(b.HostDirs) == 0) {
				t.Errorf("%s: native messaging hosts in %q and %q", where, b.HostDirs, b.HostKey)
			}
			for _, dir := range slices.Concat(b.UserDataDirs, b.HostDirs) {
				if !strings.HasPrefix(dir, env.Home) {
					t.Errorf("%s: %s is not in %s", where, dir, env.Home)
				}
			}
			// What is in the path must be known again.
			for _, exe := range b.Executables {
				if got, ok := identifyPath(exe); strings.ContainsAny(exe, `/\`) && (!ok || got.ID != b.ID) {
					t.Errorf("%s: %s is taken for %q", where, exe, got.ID)
				}
			}
		}
		for _, id := range []string{"chrome", "chrome-beta", "chrome-dev", "chrome-canary", "chromium", "chrome-for-testing", "edge", "brave", "vivaldi", "opera"} {
			if !seen[id] {
				t.Errorf("%s: no %s", env.GOOS, id)
			}
		}
		if arc := env.GOOS != "linux"; seen["arc"] != arc {
			t.Errorf("%s: arc is there: %v", env.GOOS, seen["arc"])
		}
	}
}

func TestPlaces(t *testing.T) {
	find := func(env Env, id string) Browser {
		t.Helper()
		all := Known(env)
		i := slices.IndexFunc(all, func(b Browser) bool { return b.ID == id })
		if i < 0 {
			t.Fatalf("%s has no %s", env.GOOS, id)
		}
		return all[i]
	}
	linux, mac, windows := each[0], each[1], each[2]
	for _, tt := range []struct{ got, want string }{
		{find(linux, "chrome").UserDataDirs[0], "/home/ada/.config/google-chrome"},
		{find(linux, "chrome").HostDirs[0], "/home/ada/.config/google-chrome/NativeMessagingHosts"},
		{find(linux, "chromium-snap").HostDirs[0], "/home/ada/snap/chromium/common/chromium/NativeMessagingHosts"},
		{find(linux, "brave-flatpak").UserDataDirs[0], "/home/ada/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"},
		{find(mac, "chrome").HostDirs[0], "/Users/ada/Library/Application Support/Google/Chrome/NativeMessagingHosts"},
		{find(mac, "arc").UserDataDirs[0], "/Users/ada/Library/Application Support/Arc/User Data"},
		{find(mac, "edge").Executables[0], "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
		{find(windows, "chrome").Executables[0], `C:\Program Files\Google\Chrome\Application\chrome.exe`},
		{find(windows, "chrome").Executables[2], `C:\Users\ada\AppData\Local\Google\Chrome\Application\chrome.exe`},
		{find(windows, "chrome-canary").UserDataDirs[0], `C:\Users\ada\AppData\Local\Google\Chrome SxS\User Data`},
		{find(windows, "opera").UserDataDirs[0], `C:\Users\ada\AppData\Roaming\Opera Software\Opera Stable`},
		{find(windows, "brave").HostKey, `Software\Google\Chrome\NativeMessagingHosts`},
		{find(windows, "edge").HostKey, `Software\Microsoft\Edge\NativeMessagingHosts`},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
	moved := linux
	moved.Getenv = func(k string) string { return map[string]string{"XDG_CONFIG_HOME": "/conf"}[k] }
	if got, want := find(moved, "chromium").UserDataDirs, []string{"/home/ada/.config/chromium", "/conf/chromium"}; !slices.Equal(got, want) {
		t.Errorf("with XDG_CONFIG_HOME: got %q, want %q", got, want)
	}
	bare := find(Env{GOOS: "windows", Home: `C:\Users\ada`}, "vivaldi")
	if got, want := bare.UserDataDirs[0], `C:\Users\ada\AppData\Local\Vivaldi\User Data`; got != want {
		t.Errorf("with a bare environment: got %s, want %s", got, want)
	}
}

func TestIdentify(t *testing.T) {
	for exe, want := range map[string]struct {
		id      string
		branded bool
	}{
		"/opt/google/chrome/chrome":                                                            {"chrome", true},
		"/usr/bin/google-chrome-stable":                                                        {"chrome", true},
		"/opt/google/chrome-beta/chrome":                                                       {"chrome-beta", true},
		"/usr/lib/chromium/chromium":                                                           {"chromium", false},
		"/snap/chromium/2900/usr/lib/chromium-browser/chrome":                                  {"chromium-snap", false},
		"/opt/microsoft/msedge/msedge":                                                         {"edge", true},
		"/opt/brave.com/brave/brave":                                                           {"brave", true},
		"/home/a/.cache/puppeteer/chrome/linux-131/chrome-linux64/chrome":                      {"chrome-for-testing", false},
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome":                         {"chrome", true},
		"/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing": {"chrome-for-testing", false},
		"/Applications/Arc.app/Contents/MacOS/Arc":                                             {"arc", true},
		`C:\Program Files\Google\Chrome\Application\chrome.exe`:                                {"chrome", true},
		`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`:                         {"edge", true},
		`C:\Users\ada\AppData\Local\Chromium\Application\chrome.exe`:                           {"chromium", false},
	} {
		b, ok := identifyPath(exe)
		if !ok || b.ID != want.id || b.Branded != want.branded || b.Name == "" {
			t.Errorf("%s: got %+v, want %+v", exe, b, want)
		}
	}
	if b, ok := identifyPath("/usr/local/bin/my-browser"); ok {
		t.Errorf("my-browser is taken for %+v", b)
	}
	// A link is known by what it leads to.
	dir := t.TempDir()
	real := program(t, filepath.Join(dir, "google-chrome", "chrome"))
	link := filepath.Join(dir, "browser")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if !IsBranded(link) || IsBranded(program(t, filepath.Join(dir, "own", "browser"))) {
		t.Errorf("IsBranded(%s) is %v", link, IsBranded(link))
	}
}

// program makes an executable file.
func program(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" && filepath.Ext(name) == "" {
		name += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	inPath := program(t, filepath.Join(dir, "bin", "known"))
	program(t, filepath.Join(dir, "cache", "v1", "chrome"))
	newest := program(t, filepath.Join(dir, "cache", "v2", "chrome"))
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		exes []string
		want string
	}{
		{nil, ""},
		{[]string{"unknown", filepath.Join(dir, "nothing")}, ""},
		{[]string{"known"}, inPath},
		{[]string{filepath.Join(dir, "nothing"), filepath.Join(dir, "cache", "*", "chrome*")}, newest},
		{[]string{dir}, ""},
	} {
		got, ok := Browser{Executables: tt.exes}.Find()
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, want %q", tt.exes, got, tt.want)
		}
	}
	if runtime.GOOS != "windows" {
		if _, ok := (Browser{Executables: []string{plain}}).Find(); ok {
			t.Error("a file that cannot be run was found")
		}
		// On Ubuntu both names of Chromium's are the snap's.
		snap := program(t, filepath.Join(dir, "usr", "snap"))
		link, script := filepath.Join(dir, "bin", "chromium"), filepath.Join(dir, "bin", "chromium-browser")
		if err := os.Symlink(snap, link); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(script, []byte("#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		both := []string{"chromium", "chromium-browser", link}
		if exe, ok := (Browser{Executables: both}).Find(); ok {
			t.Errorf("%s, which starts a snap, was found as what is none", exe)
		}
		if exe, _ := (Browser{Executables: both, Confined: true}).Find(); exe != link {
			t.Errorf("the snap: got %q", exe)
		}
		if exe, _ := (Browser{Executables: append(both, newest)}).Find(); exe != newest {
			t.Errorf("behind the snap: got %q", exe)
		}
	}
}

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the names in PATH are those of Linux")
		return
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	env := Env{GOOS: "linux", Home: dir}
	own := program(t, filepath.Join(dir, "own-browser"))
	chrome := program(t, filepath.Join(dir, "google-chrome"))
	chromium := program(t, filepath.Join(dir, "chromium"))
	if err := os.WriteFile(filepath.Join(dir, "chromium-browser"), []byte("#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for choice, want := range map[string]string{
		"":                chromium, // rather than the branded one before it
		own:               own,
		"own-browser":     own,
		"chrome":          chrome,
		" Chromium ":      chromium,
		"google-chrome":   chrome,
		dir + "/./chrome": "",
		"firefox":         "",
		"vivaldi":         "",
	} {
		got, err := resolve(t.Context(), env, choice)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v; want %q", choice, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "SIDEKICK_BROWSER") {
			t.Errorf("%q: the error does not say what to do: %v", choice, err)
		}
	}
	if !startsSnap(filepath.Join(dir, "chromium-browser")) || startsSnap(chromium) {
		t.Error("the script around the snap is not told from a program")
	}
	// None of another system's is here.
	other := Env{GOOS: "darwin", Home: filepath.Join(dir, "empty")}
	if runtime.GOOS == "darwin" {
		other.GOOS = "windows"
	}
	if exe, err := resolve(t.Context(), other, ""); !errors.Is(err, ErrNoBrowser) {
		t.Errorf("without a browser: got %q, %v", exe, err)
	}
}
