package mcpserver

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// benchmarkSession runs whole sessions of the given input.
func benchmarkSession(b *testing.B, input string) {
	b.ReportAllocs()
	for b.Loop() {
		var out strings.Builder
		code := Run(context.Background(), Options{
			Stdin: strings.NewReader(input), Stdout: &out, Stderr: io.Discard, Version: "1",
			Authenticate: func(context.Context, string) (Identity, error) { return Identity{ID: "p", Name: "F"}, nil },
			Connect:      func(context.Context, Identity, string) (browser.API, error) { return &fakeBrowser{}, nil },
		})
		if code != 0 || !strings.Contains(out.String(), `"tools":[`) {
			b.Fatalf("code %d, %.200s", code, out.String())
		}
	}
}

func BenchmarkFill5MB(b *testing.B) {
	benchmarkSession(b, mcptest.Request("1", "tools/list", "{}")+"\n"+callLine("2", "fill", `{"ref":"e1","value":"`+strings.Repeat("y", 5_000_000)+`"}`)+"\n")
}
