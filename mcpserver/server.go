package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/cache"
)

const (
	// newestLegacyVersion is the last protocol version with an initialize.
	newestLegacyVersion = "2025-11-25"
	// firstStatelessVersion is the first one without.
	firstStatelessVersion = "2026-07-28"
	// agentName is what a client is called that does not say its name.
	agentName = "agent"
	// maxClientName bounds a client's name, in characters.
	maxClientName = 100
	// listTTL is how long a client may keep the tool list. What the user switched
	// off meanwhile is refused when it is called.
	listTTL = 5 * time.Minute
)

// server is the MCP server of one session.
type server struct {
	o        *Options
	identity Identity
	base     context.Context // ends with the session
	conn     *conn
	sdk      *mcp.Server
	engines  *engines

	instructions string               // with the placeholder
	listed       map[string]*mcp.Tool // what clients are told of each tool
	limited      map[string]*tool     // those that the user may switch off
	saveCache    sync.Once

	mu          sync.Mutex
	initialized *mcp.InitializeResult // the answer to the first initialize
	clientName  string                // of the last initialize
}

func newServer(base context.Context, o *Options, identity Identity, c *conn) *server {
	s := &server{o: o, identity: identity, base: base, conn: c, instructions: instructions}
	s.engines = &engines{base: base, connect: s.connect}

	tools := catalogue()
	var cached map[string]*mcp.Tool
	if o.Cache != nil {
		if e, ok := o.Cache.Load(identity.ID, o.Version); ok && e.Pairing == identity.Name {
			cached = learnt(e.Tools)
			if strings.TrimSpace(e.Instructions) != "" {
				s.instructions = e.Instructions
			}
		}
	}

	log := slog.New(slog.DiscardHandler)
	if o.Log.Enabled(base, slog.LevelDebug) {
		log = o.Log // the SDK tells at the info level what only its authors want to know
	}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "sidekick", Title: "Sidekick", Version: o.Version}, &mcp.ServerOptions{
		Instructions: s.instructions,
		Logger:       log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(listTTL.Milliseconds()), "private"
		},
	})
	s.listed = make(map[string]*mcp.Tool, len(tools))
	s.limited = map[string]*tool{}
	for _, t := range tools {
		def := cached[t.name]
		if def == nil {
			def = t.definition()
		}
		s.listed[t.name] = def
		if t.barred != nil {
			s.limited[t.name] = t
		}
		s.addTool(t)
	}
	s.sdk.AddReceivingMiddleware(s.receive)
	return s
}

// receive is where the SDK's own answers will not do.
func (s *server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch p := req.GetParams().(type) {
		case *mcp.InitializeParams:
			return s.initialize(ctx, p, func() (mcp.Result, error) { return next(ctx, method, req) })
		case *mcp.DiscoverParams:
			return s.discover(req.(*mcp.ServerRequest[*mcp.DiscoverParams])), nil
		}
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = s.toolList(ctx, list.Tools)
		}
		return res, err
	}
}

// initialize lets the SDK answer the first time. It refuses a second one, which
// hosts send that reconnect or that probed the server before. Its session
// keeps what the client asked for rather than what was agreed on, so a client
// that asks for a version without a handshake would be taken for a client of
// that version.
func (s *server) initialize(_ context.Context, p *mcp.InitializeParams, next func() (mcp.Result, error)) (mcp.Result, error) {
	asked := p.ProtocolVersion
	if !isLegacyVersion(asked) {
		p.ProtocolVersion = newestLegacyVersion
	}
	name := clientName(p.ClientInfo)
	s.mu.Lock()
	s.clientName = name
	first := s.initialized
	s.mu.Unlock()

	var res mcp.InitializeResult
	if first == nil {
		r, err := next()
		if err != nil {
			// A client of the stateless protocol was here before.
			r = s.greeting()
		}
		ir, ok := r.(*mcp.InitializeResult)
		if !ok {
			return nil, fmt.Errorf("the answer to initialize is a %T", r)
		}
		s.mu.Lock()
		s.initialized = ir
		s.mu.Unlock()
		first = ir
	}
	res = *first
	res.ProtocolVersion = p.ProtocolVersion
	res.Instructions = fillIn(s.instructions, groupTitle(s.identity.Name, name))
	return &res, nil
}

// greeting is what the SDK would answer to initialize.
func (s *server) greeting() *mcp.InitializeResult {
	return &mcp.InitializeResult{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		ServerInfo:   &mcp.Implementation{Name: "sidekick", Title: "Sidekick", Version: s.o.Version},
	}
}

// discover answers without the SDK, in whose eyes a session would be a
// stateless one from then on; clients probe with it before they initialize.
func (s *server) discover(req *mcp.ServerRequest[*mcp.DiscoverParams]) *mcp.DiscoverResult {
	return &mcp.DiscoverResult{
		SupportedVersions: mcp.SupportedProtocolVersions(),
		Capabilities:      s.greeting().Capabilities,
		Instructions:      fillIn(s.instructions, groupTitle(s.identity.Name, statelessName(req))),
		Cacheable:         mcp.Cacheable{TTLMs: int(listTTL.Milliseconds()), CacheScope: "private"},
	}
}

func isLegacyVersion(v string) bool {
	if v >= firstStatelessVersion {
		return false
	}
	for _, known := range mcp.SupportedProtocolVersions() {
		if v == known {
			return true
		}
	}
	return false
}

// clientName is what a client calls itself, made fit to be handed on.
func clientName(i *mcp.Implementation) string {
	if i != nil {
		if name := oneLine(i.Name, maxClientName); name != "" {
			return name
		}
	}
	return agentName
}

// statelessName is the name of the client that made a request of the stateless
// protocol: the one in the request, whatever another one said before.
func statelessName[P mcp.Params](req *mcp.ServerRequest[P]) string {
	if req.Params.GetMeta()[mcp.MetaKeyClientInfo] == nil {
		return agentName
	}
	return clientName(req.ClientInfo())
}

// nameFor is the name of the client that made a call: the one it says in the
// call, or the one it said at initialize.
func (s *server) nameFor(req *mcp.CallToolRequest) string {
	if meta := req.Params.GetMeta(); meta != nil {
		if v, _ := meta[mcp.MetaKeyProtocolVersion].(string); v >= firstStatelessVersion {
			return statelessName(req)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clientName == "" {
		return agentName
	}
	return s.clientName
}

// connect makes the engine of one client name and then keeps what the
// handshake was answered with for the next process.
func (s *server) connect(ctx context.Context, name string) (browser.API, error) {
	api, err := s.o.Connect(ctx, s.identity, name)
	if err != nil {
		return nil, err
	}
	s.saveCache.Do(s.learn)
	return api, nil
}

// learn writes the cache if it says something else than this binary.
func (s *server) learn() {
	if s.o.Cache == nil {
		return
	}
	tools, err := encodeTools(catalogue())
	if err != nil {
		s.o.Log.Error("encoding the tool list", "error", err)
		return
	}
	e := cache.Entry{Version: s.o.Version, Pairing: s.identity.Name, Instructions: instructions, Tools: tools, LearntAt: time.Now().UTC()}
	if old, ok := s.o.Cache.Load(s.identity.ID, s.o.Version); ok && old.Same(e) {
		return
	}
	if err := s.o.Cache.Save(s.identity.ID, e); err != nil {
		s.o.Log.Warn("the cache could not be written; the next start does without it", "error", err)
	}
}

// handler is a tool's handler for the SDK. It never returns an error: what
// goes wrong with a call is for the model to read.
func (s *server) handler(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, _ error) {
		place := s.conn.turnOf(req.Extra)
		defer place.leave()
		defer func() {
			if p := recover(); p != nil {
				s.o.Log.Error("panic in a tool", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
				res = failure(fmt.Errorf("%s: internal error, a bug in Sidekick: %v; whether the page was touched is unknown: read the page", t.name, p))
			}
		}()
		// The SDK's context ends when the client cancels the call, not when
		// the process is told to end.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.base, cancel)()
		return s.call(ctx, t, req, place), nil
	}
}

func (s *server) call(ctx context.Context, t *tool, req *mcp.CallToolRequest, place *turn) *mcp.CallToolResult {
	if err := s.allowed(ctx, t); err != nil {
		return failure(err)
	}
	run, err := t.prepare(json.RawMessage(req.Params.Arguments))
	if err != nil {
		return failure(err)
	}
	api, err := s.engines.get(ctx, s.nameFor(req))
	if err == nil {
		err = place.enter(ctx)
	}
	if err != nil {
		return failure(s.ended(err))
	}
	return run(ctx, api)
}

// ended names the reason when a call was cut off by the end of the process.
func (s *server) ended(err error) error {
	if errors.Is(err, context.Canceled) && s.base.Err() != nil {
		return errors.New("Sidekick is ending: the call was not made")
	}
	return err
}
