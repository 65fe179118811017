package wire

import "time"

// The roles in a [Hello].
const (
	RoleAgent   = "agent"   // sidekick-mcp over stdio
	RoleBrowser = "browser" // the native host
	RoleControl = "control" // the command line
)

// The methods of the helper itself. All others it passes on unseen.
const (
	MethodHello       = "helper.hello"     // request, first frame of every connection: Hello → AgentWelcome, or {}
	MethodStop        = "helper.stop"      // request, control: {} → {}
	MethodStatus      = "helper.status"    // request, control: {} → Status
	MethodHandOver    = "helper.handover"  // request, control: {} → {}; the helper ends when its agents are between two calls
	MethodStopping    = "helper.stopping"  // event to each browser: do not start the helper again
	MethodPing        = "ping"             // event of the extension, for its worker's sake: nothing follows
	MethodCancel      = "$/cancel"         // event of an agent, and of a sequence passed on to its browser: Cancel
	MethodRun         = "Sidekick.run"     // request of an agent to its tab's session: a sequence (extension/worker/sequence.js)
	MethodAgentOpened = "agent.opened"     // event to a browser: Agent
	MethodAgentClosed = "agent.closed"     // event to a browser: AgentClosed
	MethodRevoked     = "Sidekick.revoked" // event to an agent, the last: its pairing is gone
	MethodLimits      = "Sidekick.limits"  // event to an agent: what the user lets it do has changed
	// MethodLeaving is an event to an agent: the helper makes way for another.
	// The agent ends the connection as soon as it is between two calls.
	MethodLeaving = "Sidekick.leaving"
	// MethodDisconnected is an event to an agent: its browser's connection
	// broke, so events of its tabs may be missing.
	MethodDisconnected = "Sidekick.disconnected"

	MethodBrowserHello  = "browser.hello"  // request of the extension: BrowserHello → BrowserWelcome
	MethodBrowserGroups = "browser.groups" // event of the extension: BrowserGroups

	MethodPairingsList    = "pairings.list"    // request of the extension: {} → PairingList
	MethodPairingsAdd     = "pairings.add"     // request of the extension: PairingName → PairingAdded
	MethodPairingsRename  = "pairings.rename"  // request of the extension: PairingName → {}
	MethodPairingsRevoke  = "pairings.revoke"  // request of the extension: PairingName → {}
	MethodPairingsLimit   = "pairings.limit"   // request of the extension: PairingLimit → {}
	MethodPairingsChanged = "pairings.changed" // request, control: {} → {}; event to each browser: PairingList

	// What the native host itself tells the extension.
	MethodHostConnected    = "host.connected"    // event: {}
	MethodHostDisconnected = "host.disconnected" // event: HostDisconnected
)

// Hello are the params of [MethodHello].
type Hello struct {
	Role     string `json:"role"`
	Protocol int    `json:"protocol"`         // ProtocolVersion of the sender
	Oldest   int    `json:"oldest,omitempty"` // its OldestProtocol
	Version  string `json:"version"`          // of the sender's binary
	PID      int    `json:"pid"`

	// Of an agent. Slug is only for one that had a connection before and comes
	// back: it gets that slug again if nobody has it.
	Token  string `json:"token,omitempty"`
	Client string `json:"client,omitempty"`
	Slug   string `json:"slug,omitempty"`

	// Of a browser, as far as the native host could find it out.
	Exe         string   `json:"exe,omitempty"`
	UserDataDir string   `json:"userDataDir,omitempty"`
	Args        []string `json:"args,omitempty"`
}

// Agent is who a connected agent is.
type Agent struct {
	ID      string `json:"id"`      // "<pairing id>/<slug>", the Agent field of frames
	Pairing string `json:"pairing"` // the pairing's id
	Name    string `json:"name"`    // the pairing's name
	Slug    string `json:"slug"`
	Title   string `json:"title"` // of the tab group
	Color   string `json:"color"` // of the tab group, in Chrome's words
	Managed bool   `json:"managed"`
}

// AgentWelcome is the result of an agent's [MethodHello].
type AgentWelcome struct {
	Agent   Agent  `json:"agent"`
	Version string `json:"version"` // of the helper's binary
}

// ControlWelcome is the result of a [MethodHello] of role control.
type ControlWelcome struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// Cancel are the params of [MethodCancel].
type Cancel struct {
	ID int64 `json:"id"` // of the agent's request that it no longer waits for
}

// AgentClosed are the params of [MethodAgentClosed].
type AgentClosed struct {
	ID string `json:"id"`
}

// HostDisconnected are the params of [MethodHostDisconnected].
type HostDisconnected struct {
	Reason string `json:"reason"`
}

// BrowserHello are the params of [MethodBrowserHello].
type BrowserHello struct {
	Protocol int    `json:"protocol"`
	Oldest   int    `json:"oldest,omitempty"` // the oldest protocol that it speaks
	Version  string `json:"version"`          // of the extension
	// Profile is a random id, 32 hexadecimal digits, which the extension made
	// for its browser profile.
	Profile string `json:"profile"`
	Browser string `json:"browser"` // "Chrome/156.0"
}

// BrowserWelcome is the result of [MethodBrowserHello].
type BrowserWelcome struct {
	Version  string    `json:"version"`
	Pairings []Pairing `json:"pairings"`
	// Managed says that it is Sidekick's own browser.
	Managed bool `json:"managed"`
	// Agents are those connected now that have used this profile; any other
	// that the extension remembers as connected has gone.
	Agents []Agent `json:"agents"`
}

// BrowserGroups are the params of [MethodBrowserGroups]: all groups of agents in
// a browser profile, as they are now.
type BrowserGroups struct {
	Groups []GroupStatus `json:"groups"`
}

// GroupStatus is one agent's group.
type GroupStatus struct {
	Agent   string `json:"agent"` // its id
	Title   string `json:"title"`
	Tabs    int    `json:"tabs"`
	Stopped bool   `json:"stopped"` // by the user
}

// Pairing is what the settings page shows of a pairing: nothing secret.
type Pairing struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	Managed    bool      `json:"managed"`
	Profile    string    `json:"profile,omitempty"`
	Here       bool      `json:"here"` // its agents use the profile that is told
	NoEvaluate bool      `json:"no_evaluate,omitempty"`
}

// PairingList is the result of [MethodPairingsList].
type PairingList struct {
	Pairings []Pairing `json:"pairings"`
}

// PairingName are the params of [MethodPairingsAdd] (Name alone),
// [MethodPairingsRename] (both) and [MethodPairingsRevoke] (ID alone).
type PairingName struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// PairingLimit are the params of [MethodPairingsLimit].
type PairingLimit struct {
	ID         string `json:"id"`
	NoEvaluate bool   `json:"no_evaluate"`
}

// PairingAdded is the result of [MethodPairingsAdd]. The token is told this
// once.
type PairingAdded struct {
	Pairing Pairing           `json:"pairing"`
	Token   string            `json:"token"`
	Command string            `json:"command"` // what an agent host runs
	Env     map[string]string `json:"env"`     // with this environment
	Config  map[string]any    `json:"config"`  // the same as an mcpServers entry
	// Hosts are what each agent host takes, in the order to offer them. A
	// helper of before 2026-12 sends none.
	Hosts []HostConfig `json:"hosts,omitempty"`
}

// HostConfig is what an agent host takes to start an agent of a pairing.
type HostConfig struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	File    string `json:"file"` // where it goes, as people write it
	Snippet string `json:"snippet"`
	Reload  string `json:"reload"` // how the host takes it, a sentence
}

// Status is the result of [MethodStatus].
type Status struct {
	Version  string          `json:"version"`
	PID      int             `json:"pid"`
	UptimeMS int64           `json:"uptime_ms"`
	Agents   []AgentStatus   `json:"agents"`
	Browsers []BrowserStatus `json:"browsers"`
	// Wakes are the browsers that are being woken just now.
	Wakes []WakeStatus `json:"wakes,omitempty"`
}

// WakeStatus is a browser that agents wait for.
type WakeStatus struct {
	Managed bool   `json:"managed"`
	Profile string `json:"profile,omitempty"` // empty, and not managed: any
	ForMS   int64  `json:"for_ms"`
}

// ActionStatus is what an agent asked its browser for last.
type ActionStatus struct {
	Method string    `json:"method"` // CDP's, or one of ours
	At     time.Time `json:"at"`
}

// AgentStatus is a connected agent.
type AgentStatus struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	PID         int       `json:"pid"`
	Client      string    `json:"client"`
	ConnectedAt time.Time `json:"connected_at"`

	Version    string        `json:"version,omitempty"` // of its sidekick-mcp
	Managed    bool          `json:"managed,omitempty"` // it uses Sidekick's own browser
	LastAction *ActionStatus `json:"last_action,omitempty"`
	UnderWay   int           `json:"under_way,omitempty"` // calls that are not answered yet
	Waiting    int           `json:"waiting,omitempty"`   // of these, those that wait for a browser
}

// BrowserStatus is a connected browser profile.
type BrowserStatus struct {
	Profile     string `json:"profile"`
	Browser     string `json:"browser"`
	PID         int    `json:"pid"` // of its native host
	Exe         string `json:"exe"`
	UserDataDir string `json:"user_data_dir"`
	Managed     bool   `json:"managed"`

	Extension   string        `json:"extension,omitempty"`    // its version
	HostVersion string        `json:"host_version,omitempty"` // of its native host
	Groups      []GroupStatus `json:"groups,omitempty"`
}
