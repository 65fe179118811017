package helper

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// hub is who is connected and what is under way between them.
//
// One lock guards it all, and the fields of agents, links and calls too: each
// step is short (queues never block), and an order between the connections is
// what the agents rely on. A peer's own lock comes after it.
type hub struct {
	opt     Options
	log     *slog.Logger
	ctx     context.Context
	end     context.CancelCauseFunc
	started time.Time
	wg      sync.WaitGroup // every goroutine

	// reading is held while the pairings are read, before mu: of two at once
	// the one that read first must not put back what it read.
	reading sync.Mutex

	mu       sync.Mutex
	peers    map[*peer]struct{}         // every connection, those before their hello included
	agents   map[string]*agent          // by id
	links    map[*link]struct{}         // those of browsers before their browser.hello included
	profiles map[string]*link           // by profile, after browser.hello
	serial   int64                      // of links, in the order of their hello
	records  map[string]pairing.Pairing // the live ones, by id
	// opened are, by profile, the agents that its extension was told to be
	// connected. It outlives links, so that a worker that comes back hears of
	// those who left meanwhile.
	opened  map[string]map[string]bool
	lost    map[target]time.Time // when a target's link was lost last
	wakes   map[target]*wake
	guesses guesses
	idle    *time.Timer
	ending  bool
	leaving *time.Timer // not nil once this helper makes way for another
}

func newHub(ctx context.Context, end context.CancelCauseFunc, opt Options) (*hub, error) {
	h := &hub{
		opt: opt, log: opt.Log, ctx: ctx, end: end, started: time.Now(),
		peers:    make(map[*peer]struct{}),
		agents:   make(map[string]*agent),
		links:    make(map[*link]struct{}),
		profiles: make(map[string]*link),
		opened:   make(map[string]map[string]bool),
		lost:     make(map[target]time.Time),
		wakes:    make(map[target]*wake),
	}
	if h.opt.Idle == 0 {
		h.opt.Idle = DefaultIdle
	}
	var err error
	if h.records, err = h.readRecords(ctx); err != nil {
		return nil, err
	}
	h.idle = time.AfterFunc(h.opt.Idle, h.idled)
	return h, nil
}

// connection serves one connection from its hello to its end.
func (h *hub) connection(ctx context.Context, nc net.Conn) {
	p := newPeer(nc, h.log)
	h.mu.Lock()
	if h.ending {
		h.mu.Unlock()
		nc.Close()
		return
	}
	h.peers[p] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.peers, p)
		h.mu.Unlock()
		nc.Close()
	}()

	p.conn.SetDeadline(time.Now().Add(helloBound))
	m, err := p.conn.Read()
	if err != nil {
		h.log.Debug("a connection ended before its hello", "err", err)
		return
	}
	hello, werr := readHello(m)
	if werr != nil {
		h.refuse(p, m, werr)
		return
	}
	p.conn.SetDeadline(time.Time{})
	switch hello.Role {
	case wire.RoleAgent:
		h.serveAgent(ctx, p, m, hello)
	case wire.RoleBrowser:
		h.serveLink(p, m, hello)
	case wire.RoleControl:
		h.serveControl(p, m)
	}
}

// readHello checks the first frame of a connection.
func readHello(m *wire.Message) (wire.Hello, *wire.Error) {
	var hello wire.Hello
	if m.Method != wire.MethodHello || m.ID == 0 {
		return hello, wire.Errorf(wire.CodeBadRequest, "the first frame must be the request %s", wire.MethodHello)
	}
	if err := json.Unmarshal(m.Params, &hello); err != nil {
		return hello, wire.Errorf(wire.CodeBadRequest, "the params of %s are wrong: %v", wire.MethodHello, err)
	}
	switch hello.Role {
	case wire.RoleAgent, wire.RoleBrowser:
	case wire.RoleControl:
		// The command line must reach a helper of any version, to stop it.
		return hello, nil
	default:
		return hello, wire.Errorf(wire.CodeBadRequest, "there is no role %q: it is agent, browser or control", hello.Role)
	}
	if !wire.Speaks(hello.Oldest, hello.Protocol) {
		return hello, versionError(hello.Protocol, hello.Version)
	}
	return hello, nil
}

// versionError tells the two directions of a version gap apart, for what to do
// about them differs.
func versionError(protocol int, version string) *wire.Error {
	if protocol > wire.ProtocolVersion {
		return wire.Errorf(wire.CodeVersion, "%v", cause.HelperOlder.About(strconv.Itoa(wire.ProtocolVersion), version, strconv.Itoa(protocol)))
	}
	return wire.Errorf(wire.CodeVersion, "%v", cause.HelperNewer.About(version, strconv.Itoa(protocol), strconv.Itoa(wire.ProtocolVersion)))
}

// refuse answers m with an error, before the peer has a writer, and so ends the
// connection.
func (h *hub) refuse(p *peer, m *wire.Message, err *wire.Error) {
	h.log.Info("refused a connection", "err", err.Message)
	p.conn.SetDeadline(time.Now().Add(flushBound))
	p.conn.Write(m.Fail(err))
}

// restIdle starts or stops the idle clock. It needs mu.
func (h *hub) restIdle() {
	if len(h.agents) == 0 && len(h.links) == 0 && !h.ending {
		h.idle.Reset(h.opt.Idle)
	} else {
		h.idle.Stop()
	}
}

func (h *hub) idled() {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The clock may have run out just as somebody came.
	if len(h.agents) == 0 && len(h.links) == 0 {
		h.end(errIdle)
	}
}

// endAll ends every connection, after what is queued for it.
func (h *hub) endAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ending = true
	h.idle.Stop()
	if h.leaving != nil {
		h.leaving.Stop()
	}
	for _, a := range h.agents {
		for _, c := range a.calls {
			h.fail(c, wire.Errorf(wire.CodeHopLost, "the Sidekick helper was stopped while %s was under way; its outcome is unknown: read the page", c.msg.Method))
		}
		a.parked = nil
	}
	for p := range h.peers {
		p.finish()
	}
}

// serveControl serves the user's own command line.
func (h *hub) serveControl(p *peer, m *wire.Message) {
	p.send(m.Reply(wire.ControlWelcome{Version: h.opt.Version, PID: os.Getpid()}))
	p.serve(func(m *wire.Message) {
		switch {
		case m.ID == 0:
		case m.Method == wire.MethodStop:
			p.send(m.Reply(struct{}{}))
			h.end(errStop)
		case m.Method == wire.MethodHandOver:
			p.send(m.Reply(struct{}{}))
			h.handOver()
		case m.Method == wire.MethodStatus:
			p.send(m.Reply(h.status()))
		case m.Method == wire.MethodPairingsChanged:
			if err := h.pairingsChanged(h.ctx); err != nil {
				p.send(m.Fail(wire.Errorf(wire.CodeBadRequest, "%v", err)))
				return
			}
			p.send(m.Reply(struct{}{}))
		default:
			p.send(m.Fail(wire.Errorf(wire.CodeBadRequest, "the helper has no request %q", m.Method)))
		}
	}, p.answerBroken, ignoreTooLarge)
}

// answerBroken answers the request in a frame that could not be taken, if
// there is one.
func (p *peer) answerBroken(prefix []byte, err *wire.Error) {
	if m := envelope(prefix); m.ID != 0 && m.Method != "" {
		p.send(m.Fail(err))
	}
}

// ignoreTooLarge is for connections to which nothing large is sent.
func ignoreTooLarge(*outgoing, error) {}

// errEnded is the reason of a link's end if the connection gave none.
var errEnded = errors.New("the connection was closed")
