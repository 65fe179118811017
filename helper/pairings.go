package helper

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// readRecords reads the live pairings.
func (h *hub) readRecords(ctx context.Context) (map[string]pairing.Pairing, error) {
	list, err := h.opt.Pairings.List(ctx)
	if err != nil {
		return nil, err
	}
	records := make(map[string]pairing.Pairing, len(list))
	for _, p := range list {
		records[p.ID] = p
	}
	return records, nil
}

// authenticate finds the pairing that a token belongs to.
func (h *hub) authenticate(ctx context.Context, token string) (pairing.Pairing, *wire.Error) {
	h.mu.Lock()
	ok, wait := h.guesses.allow(token, time.Now())
	h.mu.Unlock()
	if !ok {
		return pairing.Pairing{}, wire.Errorf(wire.CodeRevoked, "too many wrong tokens were tried: try again in %v", wait.Round(100*time.Millisecond)+100*time.Millisecond)
	}
	rec, err := h.opt.Pairings.Authenticate(ctx, token)
	var fault *pairing.Fault
	switch {
	case errors.As(err, &fault):
		h.mu.Lock()
		h.guesses.failed(token)
		h.mu.Unlock()
		return rec, wire.Errorf(wire.CodeRevoked, "%s", fault.Error())
	case err != nil:
		return rec, wire.Errorf(wire.CodeBadRequest, "%v", err)
	}
	h.mu.Lock()
	_, known := h.records[rec.ID]
	h.mu.Unlock()
	if !known {
		// Made since the last look, by a command line that could not tell.
		if err := h.pairingsChanged(ctx); err != nil {
			return rec, wire.Errorf(wire.CodeBadRequest, "%v", err)
		}
	}
	h.wg.Go(func() {
		if err := h.opt.Pairings.Touch(context.WithoutCancel(ctx), rec.ID); err != nil {
			h.log.Warn("noting a pairing's use", "pairing", rec.ID, "err", err)
		}
	})
	return rec, nil
}

// pairingsChanged reads the pairings anew, ends the agents whose pairing has
// gone, renames the groups of those whose pairing has another name, tells those
// whose limits are others now, and tells the browsers.
func (h *hub) pairingsChanged(ctx context.Context) error {
	h.reading.Lock()
	defer h.reading.Unlock()
	records, err := h.readRecords(ctx)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.records
	h.records = records
	for _, a := range h.agentsInOrder() {
		rec, ok := records[a.info.Pairing]
		if !ok {
			h.revoke(a)
			continue
		}
		if rec.NoEvaluate != before[rec.ID].NoEvaluate {
			a.send(&wire.Message{Method: wire.MethodLimits})
		}
		if a.info.Name != rec.Name || a.info.Managed != rec.Managed {
			a.info.Name, a.info.Managed = rec.Name, rec.Managed
			a.info.Title = titleOf(rec.Name, a.info.Slug)
			h.tellOpened(a)
		}
	}
	for _, l := range h.profiles {
		l.sendJSON(wire.MethodPairingsChanged, h.listFor(l))
	}
	return nil
}

// revoke ends a live agent whose pairing has gone. It needs mu.
func (h *hub) revoke(a *agent) {
	h.log.Info("an agent's pairing was revoked", "agent", a.info.ID)
	for _, c := range a.calls {
		h.fail(c, wire.Errorf(wire.CodeRevoked, "the pairing %q was revoked: the user ended this agent's access to the browser; do not go on, and tell the user", a.info.Name))
	}
	a.send(&wire.Message{Method: wire.MethodRevoked})
	a.finish()
	h.removeLocked(a)
}

// tellOpened tells the browsers that know a of its new title. It needs mu.
func (h *hub) tellOpened(a *agent) {
	for profile, ids := range h.opened {
		if l := h.profiles[profile]; l != nil && ids[a.info.ID] {
			l.sendJSON(wire.MethodAgentOpened, a.info)
		}
	}
}

// listFor is the list of pairings as the browser of l is shown it. It needs mu.
func (h *hub) listFor(l *link) wire.PairingList {
	list := wire.PairingList{Pairings: []wire.Pairing{}}
	sorted := slices.SortedFunc(maps.Values(h.records), func(a, b pairing.Pairing) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range sorted {
		list.Pairings = append(list.Pairings, public(p, l))
	}
	return list
}

func public(p pairing.Pairing, l *link) wire.Pairing {
	return wire.Pairing{
		ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastUsedAt: p.LastUsedAt,
		Managed: p.Managed, Profile: p.Profile, NoEvaluate: p.NoEvaluate,
		Here: p.Managed && l.managed || !p.Managed && p.Profile == l.profile && l.profile != "",
	}
}

// bind makes a pairing belong to the profile of l. It needs mu.
func (h *hub) bind(id string, l *link) {
	rec, ok := h.records[id]
	if !ok {
		return
	}
	place := l.place()
	rec.Place = place
	h.records[id] = rec
	h.wg.Go(func() {
		if _, err := h.opt.Pairings.Bind(context.WithoutCancel(h.ctx), id, place); err != nil {
			h.log.Warn("noting a pairing's profile", "pairing", id, "err", err)
			return
		}
		if err := h.pairingsChanged(h.ctx); err != nil {
			h.log.Warn("reading the pairings", "err", err)
		}
	})
}

// rememberPlace notes where the profile of l is to be found, for the day when
// it has to be woken. It needs mu.
func (h *hub) rememberPlace(l *link) {
	if l.hello.Exe == "" {
		return
	}
	for id, rec := range h.records {
		if rec.Managed || rec.Profile != l.profile {
			continue
		}
		if rec.Browser != l.hello.Exe || l.hello.UserDataDir != "" && rec.UserDataDir != l.hello.UserDataDir {
			h.bind(id, l)
		}
	}
}
