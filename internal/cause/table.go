package cause

// The program and its folder.
var (
	BinaryGone     = Cause{"binary-gone", "the program file %s is not there any more, so nothing can start it", `install Sidekick again, then run "sidekick-mcp install"`}
	BinaryCache    = Cause{"binary-in-cache", "this program runs from %s, a cache that is emptied now and then", `run "sidekick-mcp install", which keeps a copy in a place that stays`}
	BinaryCopy     = Cause{"binary-copy", "the installed copy of this program, %s, which browsers and agents start, %s", `run "sidekick-mcp install"`}
	HostProgram    = Cause{"host-program", "%s is told in %s to start %s, which is not there or may not be run", `run "%s"`}
	HostUnreadable = Cause{"host-unreadable", "what %s is told in %s cannot be read (%s)", "set the file right, or look at it in the host's own settings"}
	StateReadOnly  = Cause{"state-read-only", "the state folder %s cannot be written to (%s)", "give your user write access to it, or set SIDEKICK_HOME to a folder that can be written to"}
	StateFull      = Cause{"state-full", "the disk of the state folder %s is full (%s)", "free some space there, or set SIDEKICK_HOME to a folder on another disk"}
	StateLow       = Cause{"state-space-low", "the disk of the state folder %s has only %s left", "free some space there"}
	StateForeign   = Cause{"state-of-another-user", "%s", "remove it as its owner, or set SIDEKICK_HOME to a folder of your own"}
	StateInTheWay  = Cause{"state-in-the-way", "%s is no folder, and Sidekick needs one there", "move it away"}
	StateOpen      = Cause{"state-open-to-others", "other users may get at %s", `run "sidekick-mcp doctor --fix"`}
	StateNowhere   = Cause{"state-nowhere", "%s", "set HOME, or set SIDEKICK_HOME to a full path"}
	PairingsBroken = Cause{"pairings-broken", "%s", "put back a copy of the file, or move it away and pair the agents anew"}
	PairingsNone   = Cause{"pairings-none", "no agent is paired with this computer yet", `run "sidekick-mcp pair --name NAME", or press Add under Connected agents in the extension's settings`}
	CacheBroken    = Cause{"cache-broken", "the cached tool list %s cannot be read", `run "sidekick-mcp doctor --fix", which removes it; it is made anew`}
)

// The keyring.
var (
	KeyringLocked = Cause{"keyring-locked", "the keyring is locked or waits for somebody to unlock it (%s)", "unlock it (log in at the desktop, or open its password manager), or pair without --keyring"}
	KeyringAbsent = Cause{"keyring-absent", "no keyring runs here (%s)", "start one (such as gnome-keyring), or pair without --keyring"}
	KeyringNoBus  = Cause{"keyring-no-bus", "there is no session bus to ask the keyring over (%s)", "pass DBUS_SESSION_BUS_ADDRESS on to the agent's host, or pair without --keyring"}
)

// The helper.
var (
	HelperHung      = Cause{"helper-hung", "the helper%s takes connections and does not answer (%s)", `run "sidekick-mcp doctor --fix", which ends it and starts another`}
	HelperLast      = Cause{"helper-unreachable", "the helper cannot be reached (%s)", `run "sidekick-mcp stop", and try again`}
	HelperTwo       = Cause{"helper-two", "more than one helper runs for this state folder: %s answers, and %s is left over", `run "sidekick-mcp doctor --fix", which ends the left-over one`}
	HelperOther     = Cause{"helper-other-version", "the running helper is %s, and this program %s", "%s"}
	HelperOlder     = Cause{"helper-older", "the running Sidekick helper is older (protocol %s) than this sidekick-mcp %s (protocol %s)", `run "sidekick-mcp install", which has this version take its place`}
	HelperNewer     = Cause{"helper-newer", "this sidekick-mcp %s (protocol %s) is older than the running Sidekick helper (protocol %s)", "update it and start the agent again"}
	SocketStale     = Cause{"socket-stale", "the socket %s is left of a helper that was killed", `run "sidekick-mcp doctor --fix"; the next start removes it too`}
	SocketForeign   = Cause{"socket-of-another-user", "the socket %s belongs to another user (%s), so it is not safe to use", "have it removed by its owner or by an administrator"}
	SocketInTheWay  = Cause{"socket-in-the-way", "%s is in the way and is no socket", `run "sidekick-mcp doctor --fix", which removes an empty folder or a file there, or move it away`}
	ServiceBroken   = Cause{"service-broken", "the user service is installed and starts %s, which is not there", `run "sidekick-mcp install"`}
	ServiceDisabled = Cause{"service-disabled", "the user service is installed and not switched on (%s)", `run "sidekick-mcp install"; without it the helper is started when needed`}
)

// Browsers and their native messaging manifests.
var (
	BrowserAbsent   = Cause{"browser-absent", "no browser of the Chromium family was found", "install Chromium or Google Chrome, or set SIDEKICK_BROWSER to the executable of one"}
	BrowserChoice   = Cause{"browser-choice", "%s", `after setting it right run "sidekick-mcp stop"`}
	BrowserConfined = Cause{"browser-confined", "%s runs in a sandbox of its packaging, which often keeps it from starting programs", `use a browser that is no snap or flatpak, or pair with "sidekick-mcp pair --name NAME --managed"`}
	BrowserArgs     = Cause{"browser-args", "SIDEKICK_BROWSER_ARGS cannot be read: %s", `set it right where the agent is started, then run "sidekick-mcp stop"`}
	BrowserEnded    = Cause{"browser-ended", "%s ended at once, %s", `set right what keeps it from starting, or set SIDEKICK_BROWSER to another browser, then run "sidekick-mcp stop"; "sidekick-mcp doctor --live" tries it`}
	BrowserNoStart  = Cause{"browser-not-startable", "%s cannot be started: %s", `set SIDEKICK_BROWSER to the executable of a browser, or leave it out, then run "sidekick-mcp stop"`}
	BrowserRoot     = Cause{"browser-root", "%s refuses to start for root with its sandbox on", `run the agent as a user that is not root, or add --no-sandbox to SIDEKICK_BROWSER_ARGS, then run "sidekick-mcp stop"`}
	BrowserSilent   = Cause{"browser-silent", "the browser did not connect", `ask the user to run "sidekick-mcp doctor --live", which says what is wrong, and to look whether the Sidekick extension is on`}

	ManifestMissing    = Cause{"manifest-missing", "Sidekick's program is not installed for %s (no %s)", `run "sidekick-mcp install"`}
	ManifestBroken     = Cause{"manifest-broken", "the native messaging manifest %s is no JSON that a browser takes (%s)", `run "sidekick-mcp install"`}
	ManifestRelative   = Cause{"manifest-relative-path", "the native messaging manifest %s names %s, which is no full path", `run "sidekick-mcp install"`}
	ManifestTarget     = Cause{"manifest-wrong-path", "the native messaging manifest %s names the program %s, which is not there", `run "sidekick-mcp install"`}
	ManifestOrigin     = Cause{"manifest-wrong-origin", "the native messaging manifest %s does not allow the extension %s", `run "sidekick-mcp install"`}
	ManifestNotExec    = Cause{"manifest-not-executable", "the program %s that the native messaging manifest %s names may not be run", `run "chmod u+x" on it, or "sidekick-mcp install"`}
	ManifestOldVersion = Cause{"manifest-old-version", "the native messaging manifest %s names a sidekick-mcp of another version (%s, and this is %s)", `run "sidekick-mcp install"`}
	ManifestNotOurs    = Cause{"manifest-not-sidekick", "the program %s that the native messaging manifest %s names does not answer as sidekick-mcp (%s)", `run "sidekick-mcp install"`}
)

// The extension in a profile.
var (
	ExtensionAbsent    = Cause{"extension-absent", "no browser profile on this machine has the Sidekick extension", `install it in the browser that is to be used, or pair with "sidekick-mcp pair --name NAME --managed" for a browser of Sidekick's own`}
	ExtensionDisabled  = Cause{"extension-disabled", "the Sidekick extension is switched off in %s", "switch it on at chrome://extensions there"}
	ExtensionDevMode   = Cause{"extension-developer-mode", "the Sidekick extension is loaded unpacked in %s, where the developer mode is off", "switch Developer mode on at chrome://extensions there"}
	ExtensionFolder    = Cause{"extension-folder-gone", "the folder %s that the Sidekick extension was loaded from in %s is not there any more", `run "sidekick-mcp install", then load %s unpacked at chrome://extensions there`}
	ExtensionFiles     = Cause{"extension-files", "the folder %s that the Sidekick extension is loaded from is not as this program has it (%s)", `run "sidekick-mcp install", then press Reload on Sidekick at chrome://extensions`}
	ExtensionVersion   = Cause{"extension-other-version", "the Sidekick extension in %s is version %s, and this program brings %s", "press Reload on Sidekick at chrome://extensions there, or update it"}
	ExtensionOtherID   = Cause{"extension-other-id", "the Sidekick extension in %s has the id %s, which its program does not take", "load the folder as it came, with the key in its manifest.json"}
	ExtensionAmbiguous = Cause{"extension-two-profiles", "the Sidekick extension is on in %s profiles (%s), and %s belongs to none of them yet", "make its first call with only the browser that is meant open, or add the agent in that profile's settings (Connected agents, Add)"}
	ExtensionOlder     = Cause{"extension-older", "the extension %s is older than sidekick-mcp %s", "reload or update it at chrome://extensions"}
	ExtensionNewer     = Cause{"extension-newer", "sidekick-mcp %s is older than the extension %s", `update it, then run "sidekick-mcp stop"`}
	ProfileGone        = Cause{"profile-gone", "the browser profile that this pairing belongs to is not to be found on this machine", "pair again from the browser that is to be used (the extension's settings, Connected agents, Add)"}
	ProfileGoneOf      = Cause{"profile-gone", "the browser profile that the pairing %s belongs to is not to be found on this machine", "pair again from the browser that is to be used (the extension's settings, Connected agents, Add)"}
	PreferencesBroken  = Cause{"preferences-broken", "the file %s of the browser profile cannot be read (%s)", "look into it with the browser; Sidekick never writes there"}
)

// Policies of whoever administers the machine.
var (
	PolicyNativeMessaging = Cause{"policy-native-messaging", "a policy forbids %s to start Sidekick's program (%s)", "have whoever administers this computer put ai.frogbot.sidekick into NativeMessagingAllowlist"}
	PolicyUserLevel       = Cause{"policy-user-level-hosts", "a policy forbids %s programs that a user installed (%s)", "have whoever administers this computer allow NativeMessagingUserLevelHosts"}
	PolicyExtension       = Cause{"policy-extension", "a policy forbids %s the Sidekick extension (%s)", "have whoever administers this computer put its id %s into ExtensionInstallAllowlist"}
	PolicyDeveloperMode   = Cause{"policy-developer-mode", "a policy forbids %s unpacked extensions (%s)", "have whoever administers this computer allow them, or install Sidekick from the store"}
	PolicyDebugger        = Cause{"policy-developer-tools", "a policy forbids %s the debugger, with which Sidekick works pages (%s)", "have whoever administers this computer set DeveloperToolsAvailability to 1"}
	PolicyHosts           = Cause{"policy-blocked-hosts", "a policy keeps extensions in %s away from every page (%s)", "have whoever administers this computer take the pages that agents are to use out of runtime_blocked_hosts, or put them into runtime_allowed_hosts for the extension %s"}
	PolicyUnreadable      = Cause{"policy-unreadable", "the policy file %s cannot be read (%s)", "have whoever administers this computer look at it"}
)

// The way through all of it.
var (
	NotConnected  = Cause{"not-connected", "%s runs with the Sidekick extension and is not connected", "click the Sidekick button in it: it connects, or says why not"}
	RoundTripFail = Cause{"round-trip", "a call through %s failed (%s)", `look at "sidekick-mcp logs" and at the checks above`}
)
