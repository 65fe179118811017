package hostconfig

import (
	"bytes"
	"errors"
	"testing"
)

// fuzzHost checks of any text: what the host can read it can read afterwards,
// with our entry and nothing else changed, and the old bytes come back; what it
// cannot read is refused.
func fuzzHost(t *testing.T, h Host, s Server, text []byte) {
	_, unreadable := h.read(text)
	out, err := h.set(bytes.Clone(text), s)
	if err != nil {
		if unreadable == nil && h.Format == JSON && errors.Is(err, errUnproven) {
			t.Errorf("%s: an edit of %q went wrong", h.ID, text)
		}
		return
	}
	if unreadable != nil {
		t.Fatalf("%s: %q, which cannot be read (%v), became %q", h.ID, text, unreadable, out)
	}
	checkRound(t, h, text, out, s)
}

func seeds(f *testing.F, format Format) {
	for _, h := range writable() {
		if h.Format != format {
			continue
		}
		for _, text := range filesOf(f, h) {
			f.Add(text)
		}
	}
}

func FuzzJSON(f *testing.F) {
	seeds(f, JSON)
	for _, text := range []string{
		"{}", " { } ", "{ // c\n}", "{/* c */}", "{\"a\":1 // c\n}", "{\"a\":1, // c\n}", "{\"mcpServers\":{\"a\":{}, // c\n\"b\":{} // d\n}}",
		"{\"mcpServers\":{\n\"a\":{}}}", "{\"mcpServers\":null}", "{\"mcpServers\":[]}", "[]", "1", "", "\n", "// c", "{\"mcp\":{\"servers\":{}}}",
		"{\"inputs\":[]}", "{\"inputs\":[{\"id\":\"sidekick-token\"}]}", "{\"inputs\":[1,\n{\"id\":\"x\"} // c\n]}", "{\"inputs\":{}}",
		"{\"mcpServers\":{},\"mcpServers\":{}}", "{\"mcpServers\":{\"sidekick\":{\"command\":\"x\",\"env\":[]}}}", "{\"mcpServers\":{\"sidekick\":1}}",
		"{\"mcpServers\":{\"sidekick\":{\"command\":\"x\"}, \"b\":{}}}", "{\r\n\"a\":1\r\n}", "{\"\\u006dcpServers\":{}}", "{\"a\":1}//", "\xef\xbb\xbf{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, id := range []string{"cursor", "vscode", "opencode"} {
			h, err := ByID(id)
			if err != nil {
				t.Fatal(err)
			}
			fuzzHost(t, h, testServer(), text)
			fuzzHost(t, h, sharedServer(), text)
		}
	})
}

func FuzzTOML(f *testing.F) {
	seeds(f, TOML)
	for _, text := range []string{
		"", "\n", "# c", "a=1", "[a]\n[b]", "[mcp_servers]", "mcp_servers={}", "mcp_servers.a.command='x'", "[[mcp_servers]]", "[[mcp_servers.sidekick]]",
		"[mcp_servers.'sidekick']\ncommand='x'\nenv.A='b'", "[mcp_servers]\nsidekick.command='x'", "mcp_servers={sidekick={command='x'}}",
		"[mcp_servers.sidekick]\ncommand='x'\nenv={}", "[mcp_servers.sidekick]\ncommand='x'\nenv={A='b', # c\n}", "[mcp_servers.sidekick.env]\nA='b'\n[mcp_servers.sidekick]\ncommand='x'",
		"[mcp_servers.sidekick]\ncommand='x'\nargs=[\n'a', # ]\n]\n# end\n\n[b]", "a='''\n[mcp_servers.sidekick]\n'''", "a=\"\"\"\n\\\"\"\"\"", "[mcp_servers.sidekick]\ncommand='x'",
		"a={b={c=[{d=1}]}}", "a=nan", "a=1979-05-27T07:32:00Z", "[mcp_servers.sidekick]\r\ncommand='x'\r\n\r\n[a]\r\n", "[mcp_servers.sidekick.env]\n[a]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := ByID("codex")
		if err != nil {
			t.Fatal(err)
		}
		fuzzHost(t, h, testServer(), text)
		fuzzHost(t, h, sharedServer(), text)
	})
}
