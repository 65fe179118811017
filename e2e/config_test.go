//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/internal/mcptest"
)

// What config --write puts into a host's file starts an agent that works: the
// host runs just that command with just that environment.
func TestConfigWritesWhatStartsAnAgent(t *testing.T) {
	for _, c := range []struct {
		name    string
		keyring bool
	}{{"a token in the file", false}, {"a token in the keyring", true}} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t)
			flags := []string{"config", "--host", "cursor", "--write", "--pairing", "Cursor", "--managed"}
			if c.keyring {
				e.withKeyring()
				flags = append(flags, "--keyring")
			}
			if out := e.must(flags...); strings.Contains(out, "skt_") {
				t.Errorf("the token is shown: %s", out)
			}
			file := filepath.Join(e.user, ".cursor", "mcp.json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "skt_") == c.keyring {
				t.Errorf("in the file: %s", text)
			}
			var config struct {
				Servers map[string]struct {
					Command string            `json:"command"`
					Args    []string          `json:"args"`
					Env     map[string]string `json:"env"`
				} `json:"mcpServers"`
			}
			if err := json.Unmarshal(text, &config); err != nil {
				t.Fatal(err)
			}
			entry := config.Servers["sidekick"]
			host := exec.Command(entry.Command, entry.Args...)
			host.Env = e.environ()
			for k, v := range entry.Env {
				host.Env = append(host.Env, k+"="+v)
			}
			ctx, cancel := context.WithTimeout(t.Context(), callBound)
			defer cancel()
			session, err := mcp.NewClient(&mcp.Implementation{Name: "cursor", Version: "1"}, nil).
				Connect(ctx, &mcp.CommandTransport{Command: host}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a := &agent{t: t, name: "cursor", session: session, stderr: &mcptest.Buffer{}}
			t.Cleanup(a.close)
			if !c.keyring {
				// (With a keyring there is a bus, which ends before the browser
				// would.)
				a.open(e.site.page("start.html"))
			}

			// Taken out, the file goes, and the pairing is ended by itself.
			e.must("config", "--host", "cursor", "--remove")
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("the file is there still: %v", err)
			}
			contains(t, e.must("pairings"), "Cursor")
		})
	}
}
