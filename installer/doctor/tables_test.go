package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/installer/userservice"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

const extID = "kebocaojpdepmdeepcjdclbbefiipehc"

var (
	onLinux   = Env{Extension: extID, Browsers: browsers.Env{GOOS: "linux", Home: "/home/ada"}}
	onMac     = Env{Extension: extID, Browsers: browsers.Env{GOOS: "darwin", Home: "/Users/ada"}}
	onWindows = Env{
		Extension: extID, Browsers: browsers.Env{GOOS: "windows", Home: `C:\Users\ada`},
		Registry: func(key string) (string, bool) {
			return `C:\Users\ada\AppData\Local\Sidekick\ai.frogbot.sidekick.json`, strings.Contains(key, "Chrome")
		},
	}
)

func known(t *testing.T, env Env, id string) browsers.Browser {
	t.Helper()
	for _, b := range browsers.Known(env.Browsers) {
		if b.ID == id {
			return b
		}
	}
	t.Fatalf("%s has no %s", env.Browsers.GOOS, id)
	return browsers.Browser{}
}

func TestPolicyPlaces(t *testing.T) {
	for _, tt := range []struct {
		env  Env
		id   string
		want []string
	}{
		{onLinux, "chrome", []string{"/etc/opt/chrome/policies/managed"}},
		{onLinux, "chrome-beta", []string{"/etc/opt/chrome/policies/managed"}},
		{onLinux, "chromium", []string{"/etc/chromium/policies/managed", "/etc/chromium-browser/policies/managed"}},
		{onLinux, "edge-dev", []string{"/etc/opt/edge/policies/managed"}},
		{onLinux, "brave", []string{"/etc/brave/policies/managed"}},
		{onLinux, "chrome-for-testing", []string{"/etc/opt/chrome_for_testing/policies/managed"}},
		{onMac, "chrome", []string{"/Library/Managed Preferences/ada/com.google.Chrome.plist", "/Library/Managed Preferences/com.google.Chrome.plist"}},
		{onMac, "edge-beta", []string{"/Library/Managed Preferences/ada/com.microsoft.Edge.Beta.plist", "/Library/Managed Preferences/com.microsoft.Edge.Beta.plist"}},
		{onWindows, "chrome", []string{`HKLM\SOFTWARE\Policies\Google\Chrome`, `HKCU\SOFTWARE\Policies\Google\Chrome`}},
		{onWindows, "edge", []string{`HKLM\SOFTWARE\Policies\Microsoft\Edge`, `HKCU\SOFTWARE\Policies\Microsoft\Edge`}},
		{onWindows, "brave", []string{`HKLM\SOFTWARE\Policies\BraveSoftware\Brave`, `HKCU\SOFTWARE\Policies\BraveSoftware\Brave`}},
	} {
		if got := policyPlaces(tt.env, known(t, tt.env, tt.id)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: got %q, want %q", tt.env.Browsers.GOOS, tt.id, got, tt.want)
		}
	}
	// None is left out.
	for _, env := range []Env{onLinux, onMac, onWindows} {
		for _, b := range browsers.Known(env.Browsers) {
			if len(policyPlaces(env, b)) == 0 {
				t.Errorf("%s: nowhere to look for the policies of %s", env.Browsers.GOOS, b.ID)
			}
		}
	}
}

func TestJudgePolicies(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                 "",
		`{"NativeMessagingBlocklist":["*"]}`: "policy-native-messaging",
		`{"NativeMessagingBlocklist":["ai.frogbot.sidekick"]}`:                                                         "policy-native-messaging",
		`{"NativeMessagingBlocklist":["com.other"]}`:                                                                   "",
		`{"NativeMessagingBlocklist":["*"],"NativeMessagingAllowlist":["ai.frogbot.sidekick"]}`:                        "",
		`{"NativeMessagingUserLevelHosts":true}`:                                                                       "",
		`{"NativeMessagingUserLevelHosts":false}`:                                                                      "policy-user-level-hosts",
		`{"NativeMessagingUserLevelHosts":0}`:                                                                          "policy-user-level-hosts", // the registry's way
		`{"ExtensionInstallBlocklist":["*"]}`:                                                                          "policy-extension",
		`{"ExtensionInstallBlocklist":["` + extID + `"]}`:                                                              "policy-extension",
		`{"ExtensionInstallBlocklist":["*"],"ExtensionInstallAllowlist":["` + extID + `"]}`:                            "",
		`{"ExtensionInstallBlocklist":["*"],"ExtensionInstallForcelist":["` + extID + `;https://u.example"]}`:          "",
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"}}}`:                                                  "policy-extension",
		`{"ExtensionSettings":{"*":{"installation_mode":"blocked"},"` + extID + `":{"installation_mode":"allowed"}}}`:  "",
		`{"ExtensionSettings":{"` + extID + `":{"installation_mode":"removed"}}}`:                                      "policy-extension",
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*"]}}}`:                                              "policy-blocked-hosts",
		`{"ExtensionSettings":{"` + extID + `":{"runtime_blocked_hosts":["*://*/*"]}}}`:                                "policy-blocked-hosts",
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["<all_urls>"]}}}`:                                         "policy-blocked-hosts",
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*"],"runtime_allowed_hosts":["*://a.test"]}}}`:       "",
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*.bank.test"]}}}`:                                    "",
		`{"ExtensionSettings":{"*":{"runtime_blocked_hosts":["*://*"]},"` + extID + `":{"runtime_blocked_hosts":[]}}}`: "",
		`{"ExtensionDeveloperModeSettings":1}`:                                                                         "policy-developer-mode",
		`{"ExtensionDeveloperModeSettings":0}`:                                                                         "",
		`{"DeveloperToolsAvailability":1}`:                                                                             "",
		`{"DeveloperToolsAvailability":0}`:                                                                             "",
		`{"DeveloperToolsAvailability":2}`:                                                                             "policy-developer-tools",
		`{"DeveloperToolsAvailability":0,"ExtensionInstallForcelist":["` + extID + `"]}`:                               "policy-developer-tools",
		`{"DeveloperToolsDisabled":true}`:                                                                              "policy-developer-tools",
		`{"DeveloperToolsDisabled":true,"DeveloperToolsAvailability":1}`:                                               "",
		`{"NativeMessagingBlocklist":["*"],"DeveloperToolsAvailability":2}`:                                            "policy-native-messaging policy-developer-tools",
		`{"NativeMessagingBlocklist":"*","ExtensionSettings":7,"DeveloperToolsAvailability":[]}`:                       "", // of a wrong form: a browser ignores it too
	} {
		var values map[string]any
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range judgePolicies("Chromium", "/etc/it", values, extID) {
			got = append(got, c.ID)
			if strings.Contains(c.What+c.Mend, "%!") || !strings.Contains(c.What, "/etc/it") {
				t.Errorf("%s: the text is %v", text, c)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Where manifests are looked for, on each system.
func TestManifestPlaces(t *testing.T) {
	where := func(env Env, profiles []Profile, ids ...string) []manifestPlace {
		var list []browsers.Browser
		for _, id := range ids {
			list = append(list, known(t, env, id))
		}
		return manifestPlaces(env, list, profiles)
	}
	const file = "/ai.frogbot.sidekick.json"
	chrome := Profile{ID: extID, Browser: known(t, onLinux, "chrome")}
	if got, want := where(onLinux, []Profile{chrome}, "chrome", "opera"), []manifestPlace{
		{Browser: "Google Chrome", File: "/home/ada/.config/google-chrome/NativeMessagingHosts" + file, Needed: true},
		{Browser: "Opera", File: "/home/ada/.config/opera/NativeMessagingHosts" + file},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("on Linux: got %+v, want %+v", got, want)
	}
	if got, want := where(onMac, nil, "arc"), []manifestPlace{
		{Browser: "Arc", File: "/Users/ada/Library/Application Support/Arc/User Data/NativeMessagingHosts" + file},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("on macOS: got %+v, want %+v", got, want)
	}
	got := where(onWindows, nil, "chrome", "brave", "edge")
	if len(got) != 2 || got[0].Key != `Software\Google\Chrome\NativeMessagingHosts\ai.frogbot.sidekick` || !strings.HasSuffix(got[0].File, "sidekick.json") || got[1].File != "" {
		t.Errorf("on Windows: got %+v", got)
	}
	// A key that is not there is told by its name.
	env := onWindows
	why, bad := judgeManifest(t.Context(), env, got[1])
	if !bad || why.ID != "manifest-missing" || !strings.Contains(why.What, `HKEY_CURRENT_USER\Software\Microsoft\Edge\NativeMessagingHosts\ai.frogbot.sidekick`) {
		t.Errorf("without a key: %v, %v", why, bad)
	}
	for p, want := range map[string][2]bool{`C:\a`: {false, true}, `\\server\a`: {false, true}, "/a": {true, false}, "a": {}, "": {}} {
		if got := [2]bool{isAbs("linux", p), isAbs("windows", p)}; got != want {
			t.Errorf("%q is a full path: got %v, want %v", p, got, want)
		}
	}
}

func TestVanishes(t *testing.T) {
	for program, want := range map[string]bool{
		"/home/ada/.npm/_npx/1a/node_modules/x/sidekick-mcp": true,
		`C:\Users\ada\AppData\Local\npm-cache\_npx\1a\s.exe`: runtime.GOOS == "windows",
		"/tmp/go-build123/b001/exe/sidekick-mcp":             true,
		// Where pnpm 10, bun and Yarn 4 put what is to be run once.
		"/home/ada/.cache/pnpm/dlx/9e37/1a22-4a3/node_modules/.pnpm/x/bin/sidekick-mcp": true,
		"/tmp/bunx-1000-@frogbotai/sidekick-mcp@latest/node_modules/x/bin/sidekick-mcp": true,
		"/tmp/xfs-ac5fe092/dlx-16248/.yarn/unplugged/x/bin/sidekick-mcp":                true,
		"/home/ada/project/node_modules/.pnpm/x/bin/sidekick-mcp":                       false,
		"/home/ada/.local/share/sidekick/bin/sidekick-mcp":                              false,
		"/usr/local/bin/sidekick-mcp":                                                   false,
	} {
		if got := vanishes(program); got != want {
			t.Errorf("%s: got %v", program, got)
		}
	}
}

func TestKeyringCause(t *testing.T) {
	none := func(string) string { return "" }
	bus := func(string) string { return "unix:path=/run/bus" }
	for _, tt := range []struct {
		goos, text string
		getenv     func(string) string
		want       string
	}{
		{"linux", "the keyring did not answer within 3s; it may be locked", bus, "keyring-locked"},
		{"linux", "failed to unlock correct collection '/org/x'", bus, "keyring-locked"},
		{"linux", `exec: "dbus-launch": executable file not found in $PATH`, none, "keyring-no-bus"},
		{"linux", "dial unix /run/bus: connect: no such file or directory", bus, "keyring-no-bus"},
		{"linux", "The name org.freedesktop.secrets was not provided by any .service files", bus, "keyring-absent"},
		{"darwin", "exec: /usr/bin/security: no such file or directory", nil, "keyring-absent"},
	} {
		if got := keyringCause(tt.goos, tt.getenv, errors.New(tt.text)); got.ID != tt.want {
			t.Errorf("%s, %s: got %s, want %s", tt.goos, tt.text, got.ID, tt.want)
		}
	}
}

// The service's files, on each system.
func TestFindService(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	find := func(goos string) Service {
		t.Helper()
		s, err := findService(context.Background(), browsers.Env{GOOS: goos, Home: filepath.ToSlash(home)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := find("linux"); s != (Service{}) {
		t.Errorf("where there is none: %+v", s)
	}
	const unit = ".config/systemd/user/" + unitName
	write(unit, "[Service]\nType=simple\nExecStart=\"/home/a b/100%% \\x7b\\\"/sidekick-mcp\" helper --stay\n")
	want := Service{Place: filepath.ToSlash(filepath.Join(home, unit)), Program: `/home/a b/100% {"/sidekick-mcp`}
	if s := find("linux"); s != want {
		t.Errorf("a unit that is not switched on: got %+v, want %+v", s, want)
	}
	write(".config/systemd/user/default.target.wants/"+unitName, "")
	want.Enabled = true
	if s := find("linux"); s != want {
		t.Errorf("a unit: got %+v, want %+v", s, want)
	}
	write("Library/LaunchAgents/"+userservice.Label+".plist", "<dict><key>ProgramArguments</key><array>\n<string>/opt/sidekick-mcp</string><string>helper</string></array><key>RunAtLoad</key><true/></dict>")
	if s := find("darwin"); s.Program != "/opt/sidekick-mcp" || !s.Enabled {
		t.Errorf("an agent of launchd's: %+v", s)
	}
	for command, want := range map[string]string{"/a/b c": "/a/b", `"/a b/c" helper`: "/a b/c", "-/a x": "/a", `"C:\a b\c.exe" helper`: `C:\a b\c.exe`} {
		if got := firstWord(command); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// What browsers write into preferences, on the systems where it is in the
// other file too.
func TestReadProfile(t *testing.T) {
	for name, tt := range map[string]struct {
		prefs, secure string
		want          Profile
		none          bool
	}{
		"in the secure file": {
			`{"extensions":{"ui":{"developer_mode":true}}}`, `{"extensions":{"settings":{"` + extID + `":{"location":4,"path":"/x","disable_reasons":[],"service_worker_registration_info":{"version":"1.2"}}}}}`,
			Profile{ID: extID, Path: "/x", Version: "1.2", Unpacked: true, Enabled: true, DeveloperMode: true}, false,
		},
		"from the store": {
			`{"extensions":{"settings":{"` + extID + `":{"location":1,"path":"` + extID + `/1.2_0","manifest":{"version":"1.2","name":"Sidekick"}}}}}`, ``,
			Profile{ID: extID, Path: extID + "/1.2_0", Version: "1.2", Enabled: true}, false,
		},
		"disabled by number": {
			`{"extensions":{"settings":{"` + extID + `":{"location":1,"disable_reasons":1}}}}`, ``,
			Profile{ID: extID}, false,
		},
		"taken out":     {`{"extensions":{"settings":{"` + extID + `":{"ack_external":true}}}}`, ``, Profile{}, true},
		"none":          {`{}`, ``, Profile{}, true},
		"of wrong form": {`{"extensions":{"settings":[]}}`, ``, Profile{}, true}, // and nothing of ours beside it
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"Preferences": tt.prefs, "Secure Preferences": tt.secure} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tt.want.UserDataDir = dir
			got, ok := readProfile(dir, "", extID)
			if ok == tt.none || ok && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, ok, tt.want)
			}
		})
	}
	// Of a broken file it is told only where something of ours is.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Preferences"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "Local Extension Settings", extID), 0o700); err != nil {
		t.Fatal(err)
	}
	if p, ok := readProfile(dir, "", extID); !ok || p.Broken == "" {
		t.Errorf("of a broken file: %+v, %v", p, ok)
	}
}
