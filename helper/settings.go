package helper

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// settings answers a request of the extension's settings page.
func (h *hub) settings(l *link, m *wire.Message) *wire.Message {
	result, err := h.setting(l, m)
	if err != nil {
		return m.Fail(wire.Errorf(wire.CodeBadRequest, "%v", err))
	}
	return m.Reply(result)
}

// paramsOf decodes a request's params.
func paramsOf[P any](m *wire.Message) (P, error) {
	var p P
	if len(m.Params) > 0 {
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return p, fmt.Errorf("the params of %s are wrong: %w", m.Method, err)
		}
	}
	return p, nil
}

func (h *hub) setting(l *link, m *wire.Message) (any, error) {
	if m.Method == wire.MethodPairingsLimit {
		p, err := paramsOf[wire.PairingLimit](m)
		if err != nil {
			return nil, err
		}
		if _, err := h.opt.Pairings.SetEvaluate(h.ctx, p.ID, !p.NoEvaluate); err != nil {
			return nil, err
		}
		return struct{}{}, h.pairingsChanged(h.ctx)
	}
	p, err := paramsOf[wire.PairingName](m)
	if err != nil {
		return nil, err
	}
	switch m.Method {
	case wire.MethodPairingsList:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.listFor(l), nil
	case wire.MethodPairingsAdd:
		return h.addPairing(l, p.Name)
	case wire.MethodPairingsRename:
		if _, err := h.opt.Pairings.Rename(h.ctx, p.ID, p.Name); err != nil {
			return nil, err
		}
		return struct{}{}, h.pairingsChanged(h.ctx)
	case wire.MethodPairingsRevoke:
		gone, err := h.opt.Pairings.Revoke(h.ctx, p.ID)
		if err != nil {
			return nil, err
		}
		if err := h.pairingsChanged(h.ctx); err != nil {
			return nil, err
		}
		if h.opt.Revoked != nil {
			if err := h.opt.Revoked(h.ctx, gone); err != nil {
				// The right is gone, which is what the user asked for.
				h.log.Warn("something of a revoked pairing is left", "pairing", gone.ID, "err", err)
			}
		}
		return struct{}{}, nil
	}
	return nil, wire.Errorf(wire.CodeBadRequest, "the helper has no request %q", m.Method)
}

// addPairing makes a pairing that belongs to the profile of l.
func (h *hub) addPairing(l *link, name string) (any, error) {
	h.mu.Lock()
	place, managed := l.place(), l.managed
	h.mu.Unlock()
	if place.Profile == "" {
		return nil, wire.Errorf(wire.CodeBadRequest, "%s comes first", wire.MethodBrowserHello)
	}
	command := []string{"npx", "-y", hostconfig.Launcher}
	if h.opt.AgentCommand != nil {
		var err error
		if command, err = h.opt.AgentCommand(); err != nil {
			return nil, err
		}
	}
	made, token, err := h.opt.Pairings.Add(h.ctx, name, pairing.Options{Managed: managed, Place: place})
	if err != nil {
		return nil, err
	}
	if err := h.pairingsChanged(h.ctx); err != nil {
		return nil, err
	}
	env := map[string]string{"SIDEKICK_TOKEN": token.Reveal()}
	// An agent must find the list that the token was written to.
	if home := os.Getenv("SIDEKICK_HOME"); home != "" {
		env["SIDEKICK_HOME"] = home
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return wire.PairingAdded{
		Pairing: public(made, l), Token: token.Reveal(),
		Command: hostconfig.CommandLine(command), Env: env,
		Config: map[string]any{"mcpServers": map[string]any{"sidekick": serverEntry{command[0], command[1:], env}}},
		Hosts:  hostConfigs(command, env),
	}, nil
}

// hostConfigs are what each agent host takes to run a command in an environment.
func hostConfigs(command []string, env map[string]string) []wire.HostConfig {
	var list []wire.HostConfig
	// Without a home folder there is none to put a file into, but what goes
	// into the file is the same.
	system, err := hostconfig.ThisSystem()
	for _, h := range hostconfig.Hosts() {
		s := hostconfig.Server{
			Name: hostconfig.DefaultName, Command: command, Token: env["SIDEKICK_TOKEN"], Home: env["SIDEKICK_HOME"],
		}
		c := wire.HostConfig{ID: h.ID, Name: h.Name, Snippet: h.Snippet(s.For(h, system.GOOS)), Reload: h.Reload, File: "frogbot.config.ts"}
		if h.Writable() == nil {
			if c.File = ""; err == nil {
				c.File = system.Short(system.UserFile(h))
			}
		}
		list = append(list, c)
	}
	return list
}

// serverEntry is an entry of an mcpServers configuration, in the order in which
// people write it.
type serverEntry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}
