//go:build linux

package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/extension"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/installer/doctor"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
)

// A machine on which nothing is broken is found to be so, by the exit code too.
func TestNothingBroken(t *testing.T) {
	m := newMachine(t)
	r := m.doctor()
	if bad := r.bad(); len(bad) > 0 || !r.OK {
		t.Errorf("on a machine that is whole doctor finds %v: %+v", bad, r.Findings)
	}
	var hops []doctor.Hop
	for _, f := range r.Findings {
		hops = append(hops, f.Hop)
	}
	hops = slices.Compact(hops)
	want := []doctor.Hop{
		doctor.HopBinary, doctor.HopState, doctor.HopKeyring, doctor.HopPairings, doctor.HopCache, doctor.HopHelper, doctor.HopService,
		doctor.HopBrowsers, doctor.HopManifest, doctor.HopExtension, doctor.HopPolicies, doctor.HopNativeHost, doctor.HopRoundTrip,
	}
	if !slices.Equal(hops, want) {
		t.Errorf("the hops are %v, want %v", hops, want)
	}
	before := m.files()
	if r := m.doctor("--fix"); len(r.Fixed) != 0 {
		t.Errorf("there was nothing to mend, and --fix did %+v", r.Fixed)
	}
	if after := m.files(); !slices.Equal(before, after) {
		t.Errorf("doctor changed the files\nfrom %q\nto   %q", before, after)
	}
	if n := len(helpersOf(m.s)); n != 0 {
		t.Errorf("doctor has started %d helpers", n)
	}
}

// The same, with the extension as the instructions have it: loaded unpacked from
// the folder that install made, by a real browser that has ended since.
func TestNothingBrokenUnpacked(t *testing.T) {
	m := newMachine(t)
	if err := os.RemoveAll(m.profile()); err != nil {
		t.Fatal(err)
	}
	if err := runChromium(m.profile(), m.dirs().Extension()); err != nil {
		t.Fatal(err)
	}
	m.must("install")
	r := m.doctor()
	if bad := r.bad(); len(bad) > 0 || !r.OK {
		t.Errorf("doctor finds %v: %+v", bad, r.Findings)
	}
	if !slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool {
		return f.Hop == doctor.HopExtension && strings.Contains(f.Text, "the extension 0.1.0.") && f.State == doctor.OK
	}) {
		t.Errorf("the browser has not noted a version with a stamp: %+v", r.Findings)
	}
}

// unpacked has the profile's extension come from the folder that install made.
func (m *machine) unpacked() {
	m.t.Helper()
	b, err := os.ReadFile(m.dirs().Extension() + "/manifest.json")
	if err != nil {
		m.t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(b, &manifest); err != nil {
		m.t.Fatal(err)
	}
	m.edit(m.profile("Default", "Preferences"), func(p map[string]any) {
		s := setting(m.t, p)
		s["path"], s["service_worker_registration_info"] = m.dirs().Extension(), map[string]any{"version": manifest.Version}
	})
}

// files are all files of the machine with their sizes and times.
func (m *machine) files() []string {
	var list []string
	err := filepath.Walk(m.base, func(name string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if !info.IsDir() && !strings.HasSuffix(name, ".lock") {
			list = append(list, name+" "+info.ModTime().String())
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return list
}

// broken is one way in which a machine can be broken.
type broken struct {
	name  string
	set   func(t *testing.T, m *machine)
	hop   doctor.Hop
	cause string
	state doctor.State
	// fixed says that --fix mends it.
	fixed bool
	// with are causes that come with it.
	with []string
	// text has to be in what doctor says.
	text string
}

func matrix() []broken {
	manifest := func(change func(m *machine, v map[string]any)) func(*testing.T, *machine) {
		return func(_ *testing.T, m *machine) {
			m.edit(m.manifest(), func(v map[string]any) { change(m, v) })
		}
	}
	prefs := func(change func(t *testing.T, m *machine, p map[string]any)) func(*testing.T, *machine) {
		return func(t *testing.T, m *machine) {
			m.edit(m.profile("Default", "Preferences"), func(p map[string]any) { change(t, m, p) })
		}
	}
	inside := func(script string) func(*testing.T, *machine) {
		return func(_ *testing.T, m *machine) {
			m.inside = strings.NewReplacer("$STATE", m.s, "$BASE", m.base).Replace(script)
		}
	}
	// The folder of policies may not be there; what is above it surely is.
	policy := func(json string) func(*testing.T, *machine) {
		return inside("mount -t tmpfs none /etc/chromium\nmkdir -p /etc/chromium/policies/managed\ncat >/etc/chromium/policies/managed/it.json <<'END'\n" + json + "\nEND")
	}
	return []broken{
		{"manifest missing", func(t *testing.T, m *machine) {
			if err := os.Remove(m.manifest()); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopManifest, "manifest-missing", doctor.Failed, true, nil, "is not installed for Chromium"},
		{"manifest with a wrong path", manifest(func(m *machine, v map[string]any) { v["path"] = m.base + "/gone/sidekick-mcp" }),
			doctor.HopManifest, "manifest-wrong-path", doctor.Failed, true, nil, "/gone/sidekick-mcp"},
		{"manifest with a relative path", manifest(func(_ *machine, v map[string]any) { v["path"] = "sidekick-mcp" }),
			doctor.HopManifest, "manifest-relative-path", doctor.Failed, true, nil, "no full path"},
		{"manifest with a wrong origin", manifest(func(_ *machine, v map[string]any) {
			v["allowed_origins"] = []string{"chrome-extension://" + strings.Repeat("a", 32) + "/"}
		}), doctor.HopManifest, "manifest-wrong-origin", doctor.Failed, true, nil, extension.ID},
		{"manifest that is no JSON", func(_ *testing.T, m *machine) { m.write(m.manifest(), "{\"path\": ") },
			doctor.HopManifest, "manifest-broken", doctor.Failed, true, nil, m0},
		{"program not executable", func(t *testing.T, m *machine) {
			copyProgram(t, program, m.base+"/copy/sidekick-mcp", 0o644)
			m.edit(m.manifest(), func(v map[string]any) { v["path"] = m.base + "/copy/sidekick-mcp" })
		}, doctor.HopManifest, "manifest-not-executable", doctor.Failed, true, nil, "may not be run"},
		{"program of another version", manifest(func(_ *machine, v map[string]any) { v["path"] = otherProgram }),
			doctor.HopManifest, "manifest-old-version", doctor.Failed, true, nil, "9.9.9"},
		{"program that is another", manifest(func(_ *machine, v map[string]any) { v["path"] = "/bin/true" }),
			doctor.HopManifest, "manifest-not-sidekick", doctor.Failed, true, nil, "/bin/true"},

		{"installed copy missing", func(t *testing.T, m *machine) {
			if err := os.Remove(m.dirs().Binary()); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopBinary, "binary-copy", doctor.Failed, true, nil, "is missing"},
		{"installed copy missing that an agent host names", func(t *testing.T, m *machine) {
			m.must("config", "--host", "cursor", "--write", "--pairing", "Cursor")
			if err := os.Remove(m.dirs().Binary()); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopBinary, "binary-copy", doctor.Failed, true, []string{"host-program"}, `run "sidekick-mcp install"`},
		{"installed copy empty", func(t *testing.T, m *machine) {
			if err := os.Truncate(m.dirs().Binary(), 0); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopBinary, "binary-copy", doctor.Failed, true, nil, "does not answer"},
		{"installed copy that may not be run", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.dirs().Binary(), 0o600); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopBinary, "binary-copy", doctor.Failed, true, nil, "may not be run"},
		{"installed copy that may not be run, looked at from npx's cache", func(t *testing.T, m *machine) {
			copyProgram(t, program, m.base+"/_npx/1a2b/sidekick-mcp", 0o755)
			m.program = m.base + "/_npx/1a2b/sidekick-mcp"
			if err := os.Chmod(m.dirs().Binary(), 0o600); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopBinary, "binary-copy", doctor.Failed, true, []string{"binary-in-cache"}, "may not be run"},
		{"installed copy of another version", func(t *testing.T, m *machine) {
			if err := os.Remove(m.dirs().Binary()); err != nil {
				t.Fatal(err)
			}
			copyProgram(t, otherProgram, m.dirs().Binary(), 0o755)
		}, doctor.HopBinary, "binary-copy", doctor.Warning, true, nil, "9.9.9"},
		{"agent host with a program that is gone", func(t *testing.T, m *machine) {
			m.must("config", "--host", "claude-code", "--write", "--pairing", "Claude", "--name", "mine")
			m.edit(m.home+"/.claude.json", func(v map[string]any) {
				v["mcpServers"].(map[string]any)["mine"].(map[string]any)["command"] = m.base + "/gone/sidekick-mcp"
			})
		}, doctor.HopHosts, "host-program", doctor.Warning, false, nil, "config --host claude-code --write --name mine"},

		{"helper that hangs", func(t *testing.T, m *machine) {
			if err := syscall.Kill(m.helper(), syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopHelper, "helper-hung", doctor.Failed, true, nil, "no answer within 3s"},
		{"socket of a helper that was killed", func(t *testing.T, m *machine) {
			pid := m.helper()
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if !wait(5*time.Second, func() bool { return len(helpersOf(m.s)) == 0 }) {
				t.Fatal("the helper does not end")
			}
		}, doctor.HopHelper, "socket-stale", doctor.Warning, true, nil, "helper.sock"},
		{"socket of another user", func(t *testing.T, m *machine) {
			m.must("doctor", "--json") // makes the folder
			l, err := net.Listen("unix", m.dirs().Socket())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			if err := os.Chown(m.dirs().Socket(), 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopHelper, "socket-of-another-user", doctor.Failed, false, nil, "uid 12345"},
		{"something else in the socket's place", func(_ *testing.T, m *machine) { m.write(m.dirs().Socket(), "") },
			doctor.HopHelper, "socket-in-the-way", doctor.Failed, true, nil, "helper.sock"},
		{"an empty folder in the socket's place", func(_ *testing.T, m *machine) { m.mkdir(m.dirs().Socket()) },
			doctor.HopHelper, "socket-in-the-way", doctor.Failed, true, nil, "doctor --fix"},
		{"a folder in the socket's place", func(_ *testing.T, m *machine) { m.write(m.dirs().Socket()+"/something", "") },
			doctor.HopHelper, "socket-in-the-way", doctor.Failed, false, nil, "move it away"},
		{"a file in the place of a running helper's socket", func(t *testing.T, m *machine) {
			m.helper()
			if err := os.Remove(m.dirs().Socket()); err != nil {
				t.Fatal(err)
			}
			m.write(m.dirs().Socket(), "")
		}, doctor.HopHelper, "socket-in-the-way", doctor.Failed, true, nil, "helper.sock"},
		{"two helpers", func(t *testing.T, m *machine) {
			m.helper()
			for _, f := range []string{m.dirs().Socket(), m.dirs().Lock()} {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
			m.helper()
		}, doctor.HopHelper, "helper-two", doctor.Failed, true, nil, "left over"},
		{"helper of another version", func(t *testing.T, m *machine) {
			m.program = otherProgram
			defer func() { m.program = program }()
			m.helper()
		}, doctor.HopHelper, "helper-other-version", doctor.Warning, true, nil, "9.9.9"},
		{"helper of another version that is to be it", func(t *testing.T, m *machine) {
			m.program = otherProgram
			defer func() { m.program = program }()
			if err := helper.PreferBinary(m.dirs(), "9.9.9", otherProgram); err != nil {
				t.Fatal(err)
			}
			m.helper()
		}, doctor.HopHelper, "helper-other-version", doctor.Warning, false, nil, `run "sidekick-mcp install"`},

		{"state folder read-only", inside("mount --bind $STATE $STATE\nmount -o remount,ro,bind $STATE"),
			doctor.HopState, "state-read-only", doctor.Failed, false, nil, "read-only file system"},
		{"disk full", inside("mkdir -p $STATE.bin\nmount --bind $STATE/bin $STATE.bin\nmount -t tmpfs -o size=128k,mode=700 none $STATE\nmkdir -m 700 $STATE/run $STATE/bin\nmount --bind $STATE.bin $STATE/bin\ncat /dev/zero >$STATE/full 2>/dev/null || true"),
			doctor.HopState, "state-full", doctor.Failed, false, nil, "no space left"},
		// The same two where nothing can be mounted: by the rights of the folder,
		// and by a limit of the kernel's on how large a file may become.
		{"state folder without the right to write", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.s, 0o500); err != nil {
				t.Fatal(err)
			}
			if os.Getuid() == 0 { // whom no rights bind
				m.giveTo(65534)
				m.before = []string{"setpriv", "--reuid", "65534", "--clear-groups"}
			}
		}, doctor.HopState, "state-read-only", doctor.Failed, false, nil, "permission denied"},
		{"no room for a file", func(_ *testing.T, m *machine) {
			m.before = []string{"sh", "-c", `ulimit -f 0; exec "$@"`, "sh"}
		}, doctor.HopState, "state-full", doctor.Failed, false, nil, "file too large"},
		{"state folder that everybody may write to", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.s, 0o777); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopState, "state-open-to-others", doctor.Failed, true, nil, "other users"},
		{"state folder that a group may write to", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.s, 0o770); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopState, "state-open-to-others", doctor.Failed, true, nil, "other users"},
		{"state folder that others may look into", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.s, 0o755); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopState, "state-open-to-others", doctor.Warning, true, nil, "other users"},
		{"pairings that others may read", func(t *testing.T, m *machine) {
			if err := os.Chmod(m.dirs().Pairings(), 0o644); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopState, "state-open-to-others", doctor.Failed, true, nil, "pairings.json"},
		{"file in the place of the cache", func(t *testing.T, m *machine) {
			if err := os.RemoveAll(m.s + "/cache"); err != nil {
				t.Fatal(err)
			}
			m.write(m.s+"/cache", "")
		}, doctor.HopState, "state-in-the-way", doctor.Warning, false, nil, "/cache is no folder"},
		{"file in the place of the log's folder", func(t *testing.T, m *machine) {
			if err := os.RemoveAll(m.s + "/log"); err != nil {
				t.Fatal(err)
			}
			m.write(m.s+"/log", "")
		}, doctor.HopState, "state-in-the-way", doctor.Failed, false, nil, "/log is no folder"},
		{"state folder of another user", func(t *testing.T, m *machine) {
			if err := os.Chown(m.s, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopState, "state-of-another-user", doctor.Failed, false, nil, "another user"},
		{"pairings that are no JSON", func(_ *testing.T, m *machine) { m.write(m.dirs().Pairings(), "{") },
			doctor.HopPairings, "pairings-broken", doctor.Failed, false, nil, "pairings.json"},
		{"cache that is no JSON", func(t *testing.T, m *machine) {
			m.write(m.dirs().Cache(m.pairingID()), "{")
		}, doctor.HopCache, "cache-broken", doctor.Warning, true, nil, ".json"},

		{"extension disabled", prefs(func(t *testing.T, _ *machine, p map[string]any) { setting(t, p)["disable_reasons"] = []int{1} }),
			doctor.HopExtension, "extension-disabled", doctor.Failed, false, nil, "Chromium (Default)"},
		{"extension disabled, as older browsers note it", prefs(func(t *testing.T, _ *machine, p map[string]any) {
			setting(t, p)["state"], setting(t, p)["disable_reasons"] = 0, 1
		}), doctor.HopExtension, "extension-disabled", doctor.Failed, false, nil, "switched off"},
		{"extension of another version", prefs(func(t *testing.T, _ *machine, p map[string]any) {
			setting(t, p)["service_worker_registration_info"] = map[string]any{"version": "0.0.1"}
		}), doctor.HopExtension, "extension-other-version", doctor.Warning, false, nil, "0.0.1"},
		{"extension whose folder is gone", prefs(func(t *testing.T, m *machine, p map[string]any) {
			setting(t, p)["path"] = m.base + "/no-extension"
		}), doctor.HopExtension, "extension-folder-gone", doctor.Failed, false, nil, "/no-extension"},
		{"extension whose unpacked folder is gone", func(t *testing.T, m *machine) {
			m.unpacked()
			if err := os.RemoveAll(m.dirs().Extension()); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopExtension, "extension-folder-gone", doctor.Failed, true, nil, `run "sidekick-mcp install"`},
		{"extension without its manifest", func(t *testing.T, m *machine) {
			m.unpacked()
			if err := os.Remove(m.dirs().Extension() + "/manifest.json"); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopExtension, "extension-files", doctor.Failed, true, nil, "manifest.json is missing"},
		{"extension without its worker", func(t *testing.T, m *machine) {
			m.unpacked()
			if err := os.Remove(m.dirs().Extension() + "/sw.js"); err != nil {
				t.Fatal(err)
			}
		}, doctor.HopExtension, "extension-files", doctor.Failed, true, nil, "sw.js is missing"},
		{"extension with an empty manifest", func(_ *testing.T, m *machine) {
			m.unpacked()
			m.write(m.dirs().Extension()+"/manifest.json", "")
		}, doctor.HopExtension, "extension-files", doctor.Failed, true, nil, "is no manifest"},
		{"extension with a file of another", func(_ *testing.T, m *machine) {
			m.unpacked()
			m.write(m.dirs().Extension()+"/sw.js", "// another\n")
		}, doctor.HopExtension, "extension-files", doctor.Failed, true, nil, "sw.js was changed"},
		{"extension's folder of an older version", func(_ *testing.T, m *machine) {
			m.unpacked()
			m.edit(m.dirs().Extension()+"/manifest.json", func(v map[string]any) { v["version"] = "0.0.9" })
		}, doctor.HopExtension, "extension-files", doctor.Warning, true, nil, "version 0.0.9"},
		{"another folder without a manifest", func(t *testing.T, m *machine) {
			m.mkdir(m.base + "/ext")
			m.edit(m.profile("Default", "Preferences"), func(p map[string]any) { setting(t, p)["path"] = m.base + "/ext" })
		}, doctor.HopExtension, "extension-files", doctor.Failed, false, nil, "manifest.json is missing"},
		{"extension without the developer mode", prefs(func(t *testing.T, _ *machine, p map[string]any) {
			setting(t, p)["location"], setting(t, p)["disable_reasons"] = 4, []int{1 << 22}
		}), doctor.HopExtension, "extension-developer-mode", doctor.Failed, false, nil, "Developer mode"},
		{"extension without its key", prefs(func(t *testing.T, m *machine, p map[string]any) {
			m.write(m.base+"/ext/manifest.json", `{"name":"Sidekick","version":"0.1.0","permissions":["debugger","nativeMessaging"]}`)
			s := setting(t, p)
			s["path"], s["location"] = m.base+"/ext", 4
			all := p["extensions"].(map[string]any)["settings"].(map[string]any)
			delete(all, extension.ID)
			all[strings.Repeat("b", 32)] = s
		}), doctor.HopExtension, "extension-other-id", doctor.Failed, false, []string{"extension-absent"}, strings.Repeat("b", 32)},
		{"no extension", prefs(func(_ *testing.T, _ *machine, p map[string]any) {
			delete(p["extensions"].(map[string]any)["settings"].(map[string]any), extension.ID)
		}), doctor.HopExtension, "extension-absent", doctor.Failed, false, nil, "no browser profile"},
		{"two profiles", func(t *testing.T, m *machine) {
			b, err := os.ReadFile(m.profile("Default", "Preferences"))
			if err != nil {
				t.Fatal(err)
			}
			m.write(m.profile("Profile 1", "Preferences"), string(b))
		}, doctor.HopExtension, "extension-two-profiles", doctor.Warning, false, nil, "Chromium (Default), Chromium (Profile 1)"},
		{"profile that is gone", func(t *testing.T, m *machine) {
			m.edit(m.dirs().Pairings(), func(v map[string]any) {
				v["pairings"].([]any)[0].(map[string]any)["profile"] = strings.Repeat("0", 32)
			})
		}, doctor.HopExtension, "profile-gone", doctor.Failed, false, nil, `"FrogBot"`},

		{"Chrome absent", func(t *testing.T, m *machine) {
			m.vars["PATH"] = absent(t, m)
			m.inside = "for d in /usr/lib/chromium /opt; do [ -d $d ] && PATH=/usr/bin:/bin mount -t tmpfs none $d; done; true"
		}, doctor.HopBrowsers, "browser-absent", doctor.Failed, false, nil, "install Chromium"},
		{"SIDEKICK_BROWSER that is none", func(_ *testing.T, m *machine) {
			m.vars["SIDEKICK_BROWSER"] = "/no/such/browser"
			m.must("pair", "--name", "Managed", "--managed")
		}, doctor.HopBrowsers, "browser-choice", doctor.Failed, false, nil, "/no/such/browser"},

		{"SIDEKICK_BROWSER that is no program", func(t *testing.T, m *machine) {
			m.write(m.base+"/browser", "not a program\n")
			if err := os.Chmod(m.base+"/browser", 0o700); err != nil {
				t.Fatal(err)
			}
			m.vars["SIDEKICK_BROWSER"], m.vars["SIDEKICK_BROWSER_ARGS"] = m.base+"/browser", "--no-sandbox"
			m.must("pair", "--name", "Managed", "--managed")
		}, doctor.HopBrowsers, "browser-not-startable", doctor.Failed, false, nil, "no program of this system's"},
		{"SIDEKICK_BROWSER_ARGS with an open quote", func(_ *testing.T, m *machine) {
			m.vars["SIDEKICK_BROWSER_ARGS"] = `--lang="de`
		}, doctor.HopBrowsers, "browser-args", doctor.Failed, false, nil, `a " quote is not closed`},

		{"policy against native messaging", policy(`{"NativeMessagingBlocklist": ["*"]}`),
			doctor.HopPolicies, "policy-native-messaging", doctor.Failed, false, nil, "/etc/chromium/policies/managed"},
		{"policy against programs of users", policy(`{"NativeMessagingUserLevelHosts": false}`),
			doctor.HopPolicies, "policy-user-level-hosts", doctor.Failed, false, nil, "NativeMessagingUserLevelHosts"},
		{"policy against extensions", policy(`{"ExtensionInstallBlocklist": ["*"]}`),
			doctor.HopPolicies, "policy-extension", doctor.Failed, false, nil, "ExtensionInstallBlocklist"},
		{"policy against the debugger", policy(`{"DeveloperToolsAvailability": 2}`),
			doctor.HopPolicies, "policy-developer-tools", doctor.Failed, false, nil, "DeveloperToolsAvailability"},
		{"policy against pages", policy(`{"ExtensionSettings": {"*": {"runtime_blocked_hosts": ["*://*"]}}}`),
			doctor.HopPolicies, "policy-blocked-hosts", doctor.Failed, false, nil, "runtime_blocked_hosts"},
		{"policy with comments and a trailing comma", policy("{ // ours\n\"ExtensionInstallBlocklist\": [\"*\",], /* all */\n} // that is it"),
			doctor.HopPolicies, "policy-extension", doctor.Failed, false, nil, "ExtensionInstallBlocklist"},
		{"policy in a file of another name", inside("mount -t tmpfs none /etc/chromium\nmkdir -p /etc/chromium/policies/managed/sub\necho '{\"DeveloperToolsAvailability\": 2}' >/etc/chromium/policies/managed/ours.conf"),
			doctor.HopPolicies, "policy-developer-tools", doctor.Failed, false, nil, "DeveloperToolsAvailability"},
		{"policy that is no JSON", policy(`{`),
			doctor.HopPolicies, "policy-unreadable", doctor.Warning, false, nil, "it.json"},

		{"service without its program", func(_ *testing.T, m *machine) {
			m.write(m.home+"/.config/systemd/user/sidekick.service", "[Service]\nExecStart=\"/no such/sidekick-mcp\" helper\n")
		}, doctor.HopService, "service-broken", doctor.Failed, false, nil, "/no such/sidekick-mcp"},
		{"service that is not switched on", func(_ *testing.T, m *machine) {
			m.write(m.home+"/.config/systemd/user/sidekick.service", "[Service]\nExecStart="+program+" helper\n")
		}, doctor.HopService, "service-disabled", doctor.Warning, false, nil, "not switched on"},
		{"program in npx's cache", func(t *testing.T, m *machine) {
			copyProgram(t, program, m.base+"/_npx/1a2b/sidekick-mcp", 0o755)
			m.edit(m.manifest(), func(v map[string]any) { v["path"] = m.base + "/_npx/1a2b/sidekick-mcp" })
			m.program = m.base + "/_npx/1a2b/sidekick-mcp"
			// As before an installation, which keeps a copy.
			for _, f := range []string{m.dirs().Binary(), m.dirs().Installed()} {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
		}, doctor.HopBinary, "binary-in-cache", doctor.Warning, false, nil, "_npx"},
	}
}

// Where the browser that Sidekick starts is one that root cannot start so, or is
// none, doctor says so without starting it.
func TestBrowserThatIsToStart(t *testing.T) {
	env := doctor.Env{
		Browsers: browsers.Env{GOOS: "linux", Home: t.TempDir()}, Extension: extension.ID,
		Policies: func(context.Context, string) (map[string]any, error) { return nil, nil },
	}
	bin, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(t.TempDir(), "chromium")
	copyProgram(t, bin, named, 0o755)
	for _, tt := range []struct {
		exe     string
		root    bool
		args    string
		refused bool
	}{{named, false, "", false}, {named, true, "--no-sandbox", false}, {named, true, "--headless=new", true}, {bin, true, "", false}} {
		env.AsRoot = tt.root
		env.Browsers.Getenv = func(name string) string {
			return map[string]string{"SIDEKICK_BROWSER": tt.exe, "SIDEKICK_BROWSER_ARGS": tt.args}[name]
		}
		why, bad := doctor.Why(t.Context(), env, launch.Target{Managed: true})
		if bad != tt.refused || bad && (!errors.Is(why, cause.BrowserRoot) || !strings.Contains(why.Error(), named)) {
			t.Errorf("%+v: got %v, %v", tt, why, bad)
		}
	}
	m := newMachine(t)
	m.vars["SIDEKICK_BROWSER"], m.vars["SIDEKICK_BROWSER_ARGS"] = bin, "--no-sandbox"
	if out := m.must("doctor"); !strings.Contains(out, bin+", which SIDEKICK_BROWSER names, is no browser that is known here") {
		t.Errorf("doctor does not doubt %s:\n%s", bin, out)
	}
}

// m0 stands for no text in particular.
const m0 = "manifest"

// Every way in which a machine can be broken is named right, alone, and mended
// where it is marked so; what is not is left as it was.
func TestMatrix(t *testing.T) {
	for _, b := range matrix() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			m := newMachine(t)
			b.set(t, m)
			m.judge(b)
		})
	}
}

// judge has doctor look at a machine that was broken.
func (m *machine) judge(b broken) {
	t := m.t
	t.Helper()
	r := m.doctor()
	found := r.of(b.cause)
	if len(found) == 0 {
		t.Fatalf("doctor finds %v, not %s: %+v", r.bad(), b.cause, r.Findings)
	}
	f := found[0]
	if f.Hop != b.hop || f.State != b.state || f.Fixable != b.fixed || f.Mend == "" {
		t.Errorf("got %+v, want hop %s, state %s, fixable %v, and how it is mended", f, b.hop, b.state, b.fixed)
	}
	if b.text != m0 && !strings.Contains(f.Text+f.Mend, b.text) {
		t.Errorf("%q is not in %q: %q", b.text, f.Text, f.Mend)
	}
	for _, other := range r.bad() {
		if other != b.cause && !slices.Contains(b.with, other) {
			t.Errorf("doctor also finds %s: %+v", other, r.of(other))
		}
	}
	if failed := r.code != 0; failed != (b.state == doctor.Failed) {
		t.Errorf("the exit code is %d", r.code)
	}

	r = m.doctor("--fix")
	if b.fixed {
		if len(r.Fixed) != 1 || r.Fixed[0].Cause != b.cause || r.Fixed[0].Error != "" || r.Fixed[0].Did == "" {
			t.Errorf("--fix did %+v", r.Fixed)
		}
		if info, err := os.Stat(m.s); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the state folder is %v, %v", info.Mode(), err)
		}
		if bad := r.bad(); len(bad) > 0 || r.code != 0 {
			t.Errorf("after --fix doctor finds %v: %+v", bad, r.Findings)
		}
		return
	}
	if len(r.Fixed) > 0 || len(r.of(b.cause)) == 0 {
		t.Errorf("it is not for --fix to mend: it did %+v, and doctor finds %v", r.Fixed, r.bad())
	}
}

// giveTo makes all of the machine another user's.
func (m *machine) giveTo(uid int) {
	m.t.Helper()
	err := filepath.Walk(m.base, func(name string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, uid, uid)
	})
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(program), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) pairingID() string {
	m.t.Helper()
	var id string
	m.edit(m.dirs().Pairings(), func(v map[string]any) {
		id, _ = v["pairings"].([]any)[0].(map[string]any)["id"].(string)
	})
	return id
}

func copyProgram(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, mode); err != nil {
		t.Fatal(err)
	}
}

// absent is a PATH with what a script of ours needs and no browser.
func absent(t *testing.T, m *machine) string {
	t.Helper()
	dir := filepath.Join(m.base, "bin")
	m.mkdir(dir)
	for _, tool := range []string{"unshare", "sh", "mount"} {
		at, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
