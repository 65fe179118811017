package hostconfig

import (
	"fmt"
	"strings"
)

// Format is how a host's file is written.
type Format string

const (
	JSON    Format = "json" // with comments and trailing commas, where a file has them
	TOML    Format = "toml"
	Program Format = "js" // a program of the user's, which nobody edits but the user
)

// Host is an agent host: a program that starts MCP servers.
type Host struct {
	ID     string // as the command line takes it
	Name   string // as people know it
	Format Format
	// Reload says how the host takes notice of a change, as a sentence.
	Reload string
	// InProject says what a project's file needs besides, as sentences.
	InProject string
	// servers are the keys of the object that holds the servers.
	servers []string
	// entry makes the entry of a server.
	entry func(Host, Server) object
	// reference is what stands for an environment variable (%s) in a value; ""
	// where the host has no such thing.
	reference string
	// wrapNpx says that on Windows the host does not find npx, which is a
	// script there, unless it is started by cmd.
	wrapNpx bool
	// noProject says why there is no file of a project to write, "" if there is.
	noProject string
}

// Hosts returns every host, in the order in which people are offered them.
//
// Every host's format was looked up in its own documentation; where the host
// could be run, its own list of servers was asked too.
func Hosts() []Host {
	return []Host{
		// A user's servers are in ~/.claude.json, a project's in .mcp.json;
		// ${VAR} is expanded; on Windows npx needs cmd /c.
		//
		// See: https://code.claude.com/docs/en/mcp
		{
			ID: "claude-code", Name: "Claude Code", Format: JSON, servers: []string{"mcpServers"}, entry: commandEntry,
			reference: "${%s}", wrapNpx: true, Reload: "Claude Code takes it when it is next started.",
			InProject: "Claude Code takes the token from the environment variable SIDEKICK_TOKEN, and asks you whether it may use the project's servers.",
		},
		// See: https://modelcontextprotocol.io/docs/develop/connect-local-servers
		// and for Windows https://github.com/modelcontextprotocol/servers/pull/3659
		{
			ID: "claude-desktop", Name: "Claude Desktop", Format: JSON, servers: []string{"mcpServers"}, entry: commandEntry,
			wrapNpx: true, Reload: "Quit Claude Desktop wholly and start it again: it reads the file only then.",
			noProject: "Claude Desktop has no files of projects",
		},
		// ${env:VAR} is expanded.
		//
		// See: https://cursor.com/docs/mcp
		{
			ID: "cursor", Name: "Cursor", Format: JSON, servers: []string{"mcpServers"}, entry: commandEntry,
			reference: "${env:%s}", wrapNpx: true, Reload: "Cursor takes it at once, or after a restart; see its settings under MCP.",
			InProject: "Cursor takes the token from the environment variable SIDEKICK_TOKEN, which has to be set where it is started.",
		},
		// VS Code starts scripts by itself on Windows, and asks for an input
		// (${input:…}) once.
		//
		// See: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		{
			ID: "vscode", Name: "VS Code", Format: JSON, servers: []string{"servers"}, entry: typedEntry,
			reference: "${input:%s}", Reload: "VS Code asks whether it may start the server, in chat or by the command \"MCP: List Servers\".",
			InProject: "VS Code asks you for the token when it first starts the server, and keeps it.",
		},
		// Codex passes on the variables that env_vars names, and finds npx.cmd
		// by itself. It loads a project's file only where the project is
		// trusted.
		//
		// See: https://developers.openai.com/codex/mcp and config-basic there
		{
			ID: "codex", Name: "Codex", Format: TOML, servers: []string{"mcp_servers"}, entry: codexEntry,
			reference: "%s", Reload: "Codex takes it when it is next started.",
			InProject: "Codex takes the token from the environment variable SIDEKICK_TOKEN, and reads a project's file only if you trust the project.",
		},
		// $VAR and ${VAR} are expanded.
		//
		// See: https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
		{
			ID: "gemini", Name: "Gemini CLI", Format: JSON, servers: []string{"mcpServers"}, entry: commandEntry,
			reference: "${%s}", Reload: "Gemini CLI takes it when it is next started in a folder that you trust.",
			InProject: "Gemini CLI takes the token from the environment variable SIDEKICK_TOKEN.",
		},
		// See: https://docs.windsurf.com/windsurf/cascade/mcp
		{
			ID: "windsurf", Name: "Windsurf", Format: JSON, servers: []string{"mcpServers"}, entry: commandEntry,
			wrapNpx: true, Reload: "Press the refresh button of Windsurf's MCP servers, or restart it.",
			noProject: "Windsurf has no files of projects for MCP servers",
		},
		// Zed's documentation names no way to refer to a variable, so that a
		// project's file, which people share, would hold the token.
		//
		// See: https://zed.dev/docs/ai/mcp
		{
			ID: "zed", Name: "Zed", Format: JSON, servers: []string{"context_servers"}, entry: commandEntry,
			wrapNpx: true, Reload: "Zed takes it at once; see the settings of its agent panel.",
			noProject: "Zed cannot take a token from the environment, and a project's file is shared with others",
		},
		// FrogBot is configured by a TypeScript module of the user's.
		//
		// See: https://github.com/frogbotai/frogbot (docs/mcp/overview.mdx)
		{
			ID: "frogbot", Name: "FrogBot", Format: Program, entry: openCodeEntry,
			reference: "%s", Reload: "FrogBot takes it when it is next started.",
			InProject: "FrogBot takes the token from the environment variable SIDEKICK_TOKEN.",
		},
		// The command is one list, and the environment is called so. Version 2
		// has its servers one level deeper, but reads the older form as well,
		// which is the only one that version 1 documents.
		//
		// See: https://opencode.ai/v1/docs/config.md and https://opencode.ai/docs/migrate-v1/
		{
			ID: "opencode", Name: "OpenCode", Format: JSON, servers: []string{"mcp"}, entry: openCodeEntry,
			reference: "{env:%s}", wrapNpx: true, Reload: "OpenCode takes it when it is next started.",
			InProject: "OpenCode takes the token from the environment variable SIDEKICK_TOKEN.",
		},
	}
}

// ByID returns the host with an id. The error names those that there are.
func ByID(id string) (Host, error) {
	var ids []string
	for _, h := range Hosts() {
		if h.ID == id {
			return h, nil
		}
		ids = append(ids, h.ID)
	}
	return Host{}, fmt.Errorf("there is no host %q: take one of %s", id, strings.Join(ids, ", "))
}

// CheckProject returns an error if nothing can be written for a single project.
func (h Host) CheckProject() error {
	if h.noProject != "" {
		return fmt.Errorf("%s: leave out --project", h.noProject)
	}
	return nil
}

// Writable returns an error if the host has no file that a program may edit.
func (h Host) Writable() error {
	if h.Format == Program {
		return fmt.Errorf("%s is set up in its frogbot.config.ts, which is a program of yours: leave out --write and --remove, and paste what is printed", h.Name)
	}
	return nil
}
