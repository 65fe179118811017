package doctor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/frogbotai/sidekick-mcp/installer"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// policies looks for what whoever administers the machine forbids. Policies
// that a browser gets from a server only it knows of are not seen.
func (c *checkup) policies(ctx context.Context) {
	for _, b := range c.products() {
		bad := false
		for _, place := range policyPlaces(c.Env, b) {
			values, err := c.Policies(ctx, place)
			if err != nil {
				c.bad(HopPolicies, b.Name, Warning, cause.PolicyUnreadable.About(place, err.Error()), nil)
			}
			for _, why := range judgePolicies(b.Name, place, values, c.Extension) {
				bad = true
				c.bad(HopPolicies, b.Name, worse(c.needs(ctx, b)), why, nil)
			}
			if blocked, _ := blockedHosts(values, c.Extension); len(blocked) > 0 && !blocksAll(values, c.Extension) {
				c.note(HopPolicies, b.Name, fmt.Sprintf("a policy keeps extensions in %s away from some pages, on which agents can do nothing: %s (runtime_blocked_hosts of ExtensionSettings in %s)", b.Name, strings.Join(blocked, ", "), place))
			}
		}
		if !bad {
			c.good(HopPolicies, b.Name, "no policy of this machine keeps Sidekick out of "+b.Name)
		}
	}
}

// needs reports whether agents are to use a browser: its user's, if the
// extension is in it or in none, or the one that Sidekick starts for itself,
// which is under the same policies.
func (c *checkup) needs(ctx context.Context, b browsers.Browser) bool {
	ours := func(p Profile) bool { return p.ID == c.Extension }
	if c.wantsOwn() && (hasExtension(c.profiles, b.ID) || !slices.ContainsFunc(c.profiles, ours)) {
		return true
	}
	if !c.wantsManaged() {
		return false
	}
	exe, err := browsers.Resolve(ctx, c.getenv("SIDEKICK_BROWSER"))
	if err != nil {
		return false
	}
	managed, ok := browsers.Identify(exe)
	return ok && managed.ID == b.ID
}

// policyPlaces are where a browser's policies are: folders of JSON files on
// Linux, keys of the registry, files of managed preferences on macOS.
//
// See: https://support.google.com/chrome/a/answer/9037717 and its neighbours
func policyPlaces(env Env, b browsers.Browser) []string {
	base, _, _ := strings.Cut(b.ID, "-")
	if b.ID == "chrome-for-testing" {
		base = b.ID
	}
	switch env.Browsers.GOOS {
	case "windows":
		key, ok := map[string]string{
			"chrome": `Google\Chrome`, "chrome-for-testing": `Google\Chrome for Testing`, "chromium": `Chromium`, "edge": `Microsoft\Edge`,
			"brave": `BraveSoftware\Brave`, "vivaldi": `Vivaldi`, "opera": `Opera Software\Opera`, "arc": `Google\Chrome`,
		}[base]
		if !ok {
			return nil
		}
		return []string{`HKLM\SOFTWARE\Policies\` + key, `HKCU\SOFTWARE\Policies\` + key}
	case "darwin":
		id, ok := map[string]string{
			"chrome": "com.google.Chrome", "chrome-beta": "com.google.Chrome.beta", "chrome-dev": "com.google.Chrome.dev", "chrome-canary": "com.google.Chrome.canary",
			"chrome-for-testing": "com.google.chrome.for.testing", "chromium": "org.chromium.Chromium",
			"edge": "com.microsoft.Edge", "edge-beta": "com.microsoft.Edge.Beta", "edge-dev": "com.microsoft.Edge.Dev", "edge-canary": "com.microsoft.Edge.Canary",
			"brave": "com.brave.Browser", "vivaldi": "com.vivaldi.Vivaldi", "opera": "com.operasoftware.Opera", "arc": "company.thebrowser.Browser",
		}[b.ID]
		if !ok {
			return nil
		}
		dir := env.Root + "/Library/Managed Preferences"
		return []string{path.Join(dir, path.Base(env.Browsers.Home), id+".plist"), path.Join(dir, id+".plist")}
	default:
		dirs, ok := map[string][]string{
			"chrome": {"/etc/opt/chrome"}, "chrome-for-testing": {"/etc/opt/chrome_for_testing"},
			"chromium": {"/etc/chromium", "/etc/chromium-browser"}, "edge": {"/etc/opt/edge"},
			"brave": {"/etc/brave"}, "vivaldi": {"/etc/chromium", "/etc/opt/vivaldi"}, "opera": {"/etc/opt/opera"},
		}[base]
		if !ok {
			return nil
		}
		var places []string
		for _, d := range dirs {
			places = append(places, path.Join(env.Root+d, "policies", "managed"))
		}
		return places
	}
}

// judgePolicies says what the values of one place forbid.
//
// See: https://chromeenterprise.google/policies/
func judgePolicies(browser, place string, values map[string]any, extension string) []cause.Cause {
	var found []cause.Cause
	says := func(policy string) string { return policy + " in " + place }
	list := func(policy string) []string { return words(values[policy]) }
	has := func(policy, word string) bool { return slices.Contains(list(policy), word) }

	if (has("NativeMessagingBlocklist", "*") || has("NativeMessagingBlocklist", installer.HostName)) && !has("NativeMessagingAllowlist", installer.HostName) {
		found = append(found, cause.PolicyNativeMessaging.About(browser, says("NativeMessagingBlocklist")))
	}
	if no, ok := truth(values["NativeMessagingUserLevelHosts"]); ok && !no {
		found = append(found, cause.PolicyUserLevel.About(browser, says("NativeMessagingUserLevelHosts")))
	}
	// ExtensionSettings, where it names the extension or all, counts instead of
	// the lists.
	settings, _ := values["ExtensionSettings"].(map[string]any)
	mode := func(key string) string {
		m, _ := settings[key].(map[string]any)
		s, _ := m["installation_mode"].(string)
		return s
	}
	blockedBy := ""
	switch own, all := mode(extension), mode("*"); {
	case own == "blocked" || own == "removed":
		blockedBy = "ExtensionSettings"
	case own != "":
	case all == "blocked" || all == "removed":
		if !has("ExtensionInstallAllowlist", extension) {
			blockedBy = "ExtensionSettings"
		}
	case (has("ExtensionInstallBlocklist", "*") || has("ExtensionInstallBlocklist", extension)) && !has("ExtensionInstallAllowlist", extension) && !forced(list("ExtensionInstallForcelist"), extension):
		blockedBy = "ExtensionInstallBlocklist"
	}
	if blockedBy != "" {
		found = append(found, cause.PolicyExtension.About(browser, says(blockedBy), extension))
	}
	if blocksAll(values, extension) {
		found = append(found, cause.PolicyHosts.About(browser, says("runtime_blocked_hosts of ExtensionSettings"), extension))
	}
	if n, ok := number(values["ExtensionDeveloperModeSettings"]); ok && n == 1 {
		found = append(found, cause.PolicyDeveloperMode.About(browser, says("ExtensionDeveloperModeSettings")))
	}
	// 0 forbids the debugger for what was installed by policy alone, 2 for all.
	n, ok := number(values["DeveloperToolsAvailability"])
	old, oldOK := truth(values["DeveloperToolsDisabled"])
	switch {
	case ok && n == 2, ok && n == 0 && (mode(extension) == "force_installed" || forced(list("ExtensionInstallForcelist"), extension)):
		found = append(found, cause.PolicyDebugger.About(browser, says("DeveloperToolsAvailability")))
	case !ok && oldOK && old:
		found = append(found, cause.PolicyDebugger.About(browser, says("DeveloperToolsDisabled")))
	}
	return found
}

// blockedHosts are the patterns of the pages that the extension may not touch,
// and of those that it may all the same. What is said of all extensions counts
// only where nothing is said of this one.
func blockedHosts(values map[string]any, extension string) (blocked, allowed []string) {
	settings, _ := values["ExtensionSettings"].(map[string]any)
	s, ok := settings[extension].(map[string]any)
	if !ok {
		s, _ = settings["*"].(map[string]any)
	}
	return words(s["runtime_blocked_hosts"]), words(s["runtime_allowed_hosts"])
}

// blocksAll reports whether that leaves no page of the web.
func blocksAll(values map[string]any, extension string) bool {
	blocked, allowed := blockedHosts(values, extension)
	return len(allowed) == 0 && slices.ContainsFunc(blocked, func(pattern string) bool {
		scheme, host, ok := strings.Cut(pattern, "://")
		host, _, _ = strings.Cut(host, "/")
		return pattern == "<all_urls>" || ok && host == "*" && (scheme == "*" || scheme == "https")
	})
}

// forced reports whether a list of "id;url" names an extension.
func forced(list []string, extension string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		id, _, _ := strings.Cut(s, ";")
		return id == extension
	})
}

// words are the strings of a list.
func words(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// truth is a yes or no, which the registry has as a number.
func truth(v any) (yes, ok bool) {
	if b, ok := v.(bool); ok {
		return b, true
	}
	n, ok := number(v)
	return n != 0, ok
}

func number(v any) (int, bool) {
	switch n := v.(type) {
	case float64:
		return int(n), true
	case int:
		return n, true
	case string: // as REG_SZ
		var i int
		if _, err := fmt.Sscan(n, &i); err == nil {
			return i, true
		}
	}
	return 0, false
}
