package helper

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// maxGroups bounds what an extension may tell of its groups.
const maxGroups = 1000

// noteGroups keeps what the extension tells of its groups, for the status.
func (h *hub) noteGroups(l *link, m *wire.Message) {
	var told wire.BrowserGroups
	if json.Unmarshal(m.Params, &told) != nil {
		return // the status does without
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l.groups = told.Groups[:min(len(told.Groups), maxGroups)]
}

// status is the result of helper.status.
func (h *hub) status() wire.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := wire.Status{
		Version: h.opt.Version, PID: os.Getpid(), UptimeMS: time.Since(h.started).Milliseconds(),
		Agents: []wire.AgentStatus{}, Browsers: []wire.BrowserStatus{},
	}
	for _, a := range h.agentsInOrder() {
		each := wire.AgentStatus{
			ID: a.info.ID, Title: a.info.Title, PID: a.hello.PID, Client: a.hello.Client, ConnectedAt: a.since.UTC(),
			Version: a.hello.Version, Managed: a.info.Managed, UnderWay: len(a.calls), Waiting: len(a.parked),
		}
		if last := a.last; last.Method != "" {
			each.LastAction = &last
		}
		s.Agents = append(s.Agents, each)
	}
	for _, l := range h.linksInOrder() {
		s.Browsers = append(s.Browsers, wire.BrowserStatus{
			Profile: l.profile, Browser: l.browser, PID: l.hello.PID, Exe: l.hello.Exe,
			UserDataDir: l.hello.UserDataDir, Managed: l.managed,
			Extension: l.extension, HostVersion: l.hello.Version, Groups: l.groups,
		})
	}
	for t, w := range h.wakes {
		s.Wakes = append(s.Wakes, wire.WakeStatus{Managed: t.managed, Profile: t.profile, ForMS: time.Since(w.since).Milliseconds()})
	}
	slices.SortFunc(s.Wakes, func(a, b wire.WakeStatus) int {
		return cmp.Or(cmp.Compare(b.ForMS, a.ForMS), cmp.Compare(a.Profile, b.Profile))
	})
	return s
}
