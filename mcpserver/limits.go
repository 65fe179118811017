package mcpserver

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// limits are what the user does not let this agent do now.
func (s *server) limits(ctx context.Context) (Limits, error) {
	if s.o.Limits == nil {
		return Limits{}, nil
	}
	return s.o.Limits(ctx, s.identity)
}

// toolList is what a client is told of the tools that the SDK has, without those
// that the user switched off, whatever the cache says.
func (s *server) toolList(ctx context.Context, tools []*mcp.Tool) []*mcp.Tool {
	l, err := s.limits(ctx)
	list := make([]*mcp.Tool, 0, len(tools))
	for _, t := range tools {
		if lt := s.limited[t.Name]; lt != nil && (err != nil || lt.barred(l)) {
			continue
		}
		if def := s.listed[t.Name]; def != nil {
			t = def
		}
		list = append(list, t)
	}
	return list
}

// allowed refuses a call of a tool that the user switched off. A client may have
// its list from before.
func (s *server) allowed(ctx context.Context, t *tool) error {
	if t.barred == nil {
		return nil
	}
	l, err := s.limits(ctx)
	if err != nil {
		return fmt.Errorf("%s was not run: whether the user allows it cannot be told (%w)", t.name, err)
	}
	if t.barred(l) {
		return fmt.Errorf("The user switched %s off for this agent in Sidekick. Do not try another way to do the same; use the other tools, or tell the user.", t.name)
	}
	return nil
}

// tellLimits tells the client when its tools may be others than it was told,
// until the session ends.
func (s *server) tellLimits() {
	for {
		select {
		case <-s.base.Done():
			return
		case <-s.o.LimitsChanged:
		}
		// The SDK knows of no other way to say it than a tool that is added.
		for _, t := range s.limited {
			s.addTool(t)
		}
	}
}

// addTool gives the SDK a tool. It takes a schema apart twice when it gets one,
// which is most of what a start costs, and only needs to know that there is one.
func (s *server) addTool(t *tool) {
	s.sdk.AddTool(&mcp.Tool{Name: t.name, InputSchema: &jsonschema.Schema{Type: "object"}}, s.handler(t))
}
