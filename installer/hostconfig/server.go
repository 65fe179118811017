package hostconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Launcher is the npm package that brings this program.
const Launcher = "@frogbotai/sidekick-mcp"

// Placeholder stands where a token is to go.
const Placeholder = "skt_YOUR_TOKEN"

// DefaultName is what Sidekick is called in a host's list of servers.
const DefaultName = "sidekick"

// The environment variables that an entry can set.
const (
	tokenVariable = "SIDEKICK_TOKEN"
	homeVariable  = "SIDEKICK_HOME"
)

// Server is Sidekick as a host is to start it.
type Server struct {
	Name    string   // in the host's list
	Command []string // the program and its arguments
	// Token is what SIDEKICK_TOKEN is set to: a token, or where in the keyring
	// it is.
	Token string
	// Home is what SIDEKICK_HOME is set to, if not "".
	Home string
	// Shared says that others get the file too: it then refers to the token
	// instead of holding it.
	Shared bool
}

// maxName is how long a name may be.
const maxName = 40

// isBare reports whether a key needs no quotes in TOML.
func isBare(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !('A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	})
}

// CheckName returns an error for a name that some host would not take.
func CheckName(name string) error {
	if len(name) > maxName || !isBare(name) {
		return fmt.Errorf("%q is no name for a server: take 1 to 40 letters, digits, - and _", name)
	}
	return nil
}

// For returns the server as a host on a system has to start it.
func (s Server) For(h Host, goos string) Server {
	if goos == "windows" && h.wrapNpx && len(s.Command) > 0 && s.Command[0] == "npx" {
		s.Command = append([]string{"cmd", "/c"}, s.Command...)
	}
	return s
}

// CommandLine is a command as one types it into a shell.
func CommandLine(command []string) string {
	words := slices.Clone(command)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t()&;'") {
			words[i] = `"` + w + `"`
		}
	}
	return strings.Join(words, " ")
}

// ErrNoToken says that a file cannot be written for want of a token.
var ErrNoToken = errors.New("there is no token to write")

// inputID is what VS Code calls the token that it asks for.
func (s Server) inputID() string { return s.Name + "-token" }

// environment is what an entry sets.
func (s Server) environment(h Host) object {
	if s.Shared {
		refersTo := tokenVariable
		if h.ID == "vscode" {
			refersTo = s.inputID()
		}
		return object{{tokenVariable, fmt.Sprintf(h.reference, refersTo)}}
	}
	token := s.Token
	if token == "" {
		token = Placeholder
	}
	env := object{{tokenVariable, token}}
	if s.Home != "" {
		env = append(env, field{homeVariable, s.Home})
	}
	return env
}

// commandEntry is the entry that most hosts take.
func commandEntry(h Host, s Server) object {
	return object{{"command", s.Command[0]}, {"args", slices.Clone(s.Command[1:])}, {"env", s.environment(h)}}
}

// typedEntry says besides how the server is talked with.
func typedEntry(h Host, s Server) object {
	return append(object{{"type", "stdio"}}, commandEntry(h, s)...)
}

// codexEntry names the variable that Codex is to pass on, where the file is
// shared.
func codexEntry(h Host, s Server) object {
	if s.Shared {
		return object{{"command", s.Command[0]}, {"args", slices.Clone(s.Command[1:])}, {"env_vars", []string{tokenVariable}}}
	}
	return commandEntry(h, s)
}

// openCodeEntry has the command as one list.
func openCodeEntry(h Host, s Server) object {
	return object{{"type", "local"}, {"command", slices.Clone(s.Command)}, {"environment", s.environment(h)}}
}

// environmentKey is where a host's entries have the environment.
func (h Host) environmentKey() string {
	if h.ID == "opencode" {
		return "environment"
	}
	return "env"
}

// Snippet is what a host's file holds when Sidekick is its only server: what a
// person can paste. It ends with a newline.
func (h Host) Snippet(s Server) string {
	if h.Format == Program {
		return programSnippet(h, s)
	}
	text, err := h.set(nil, s)
	if err != nil {
		// Nothing but the table of hosts goes into it.
		panic("hostconfig: " + h.ID + ": " + err.Error())
	}
	return string(text)
}
