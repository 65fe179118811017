package doctor

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frogbotai/sidekick-mcp/internal/browsers"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

// scrubbing is a machine of somebody with names.
func scrubbing(t *testing.T) (Env, *scrubber) {
	t.Helper()
	home := t.TempDir()
	env := Env{
		Browsers: browsers.Env{GOOS: "linux", Home: "/home/ada.lovelace"},
		Dirs:     paths.Dirs{State: home, Run: filepath.Join(home, "run")},
	}
	env.Pairings = pairing.Open(env.Dirs.Pairings())
	for _, name := range []string{"Zebra", "Zebra \"Fish\"", "Ω"} {
		if _, _, err := env.Pairings.Add(t.Context(), name, pairing.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return env, newScrubber(t.Context(), env)
}

func TestScrub(t *testing.T) {
	_, s := scrubbing(t)
	for in, want := range map[string]string{
		"the pairing Zebra belongs":                   "the pairing agent-1 belongs",
		`the pairing "Zebra \"Fish\"" belongs`:        `the pairing "agent-2" belongs`,
		"/home/ada.lovelace/.config/chromium":         "~/.config/chromium",
		"at https://bank.example/a?b=c, then":         "at <address> then",
		"to bank.example:443 and 10.0.0.7":            "to <host>:443 and <ip>",
		"mail to ada@bank.example now":                "mail to <mail> now",
		"chrome-extension://kebo/wake.html":           "chrome-extension://kebo/wake.html",
		"look at chrome://extensions there":           "look at chrome://extensions there",
		"run/helper.sock and pairings.json":           "run/helper.sock and pairings.json",
		"profile da0818a766064790af7d2544c3331a65":    "profile <profile>",
		"The name org.freedesktop.secrets was not":    "The name org.freedesktop.secrets was not",
		"Chromium/156.0 took 1.5 ms, version 1.2.3.4": "Chromium/156.0 took 1.5 ms, version <ip>",
		"the socket of ::1 and fe80::1:2:3:4":         "the socket of ::1 and <ip>",
		"müller-bank.example and bücher.example":      "<host> and <host>",
		"at 12:34:56 it ended":                        "at 12:34:56 it ended",
		"data:text/html,<b>x":                         "<address><b>x",
		"process 1234 (sidekick-mcp dev-0123456789ab": "process 1234 (sidekick-mcp dev-0123456789ab",
		"skt_abcdefgh":                                "skt_…",
	} {
		if got := s.text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	line := s.line(`{"time":"2026-11-30T18:36:34.18Z","level":"INFO","msg":"an agent connected","agent":"0a1b2c3d/wombat","pid":7,"args":["--proxy-server=http://x.example","--user-data-dir=/home/ada.lovelace","https://x.example/"],"deep":{"a":["Zebra"]}}`)
	for _, not := range []string{"wombat", "x.example", "lovelace", "Zebra"} {
		if strings.Contains(line, not) {
			t.Errorf("%s is in %s", not, line)
		}
	}
	for _, want := range []string{"2026-11-30T18:36:34.18Z", `"0a1b2c3d"`, `"pid":7`, "--proxy-server=…"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

// Wherever they stand, names and addresses do not come through.
func TestScrubProperty(t *testing.T) {
	_, s := scrubbing(t)
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		got := s.text(before + " Zebra https://5ecret.example/5ecret " + after)
		if strings.Contains(got, "Zebra") || strings.Contains(got, "5ecret") {
			t.Fatalf("got %q", got)
		}
		raw, err := json.Marshal(map[string]any{"msg": before + " Zebra " + after, "err": before + "\n https://5ecret.example " + after})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.line(string(raw)); strings.Contains(got, "Zebra") || strings.Contains(got, "5ecret") || !json.Valid([]byte(got)) {
			t.Fatalf("got %q", got)
		}
	})
}

func TestWriteBundle(t *testing.T) {
	var b bytes.Buffer
	files := []BundleFile{{"a.json", "what", []byte("{}")}, {"b.log", "more", []byte("line\n")}}
	if err := WriteBundle(&b, files); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(z.File) != 2 {
		t.Fatalf("got %v, %v", z, err)
	}
	r, err := z.File[1].Open()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "line\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

// What is set in the environment is told, not to what.
func TestBundleConfig(t *testing.T) {
	env, s := scrubbing(t)
	t.Setenv("SIDEKICK_TOKEN", "skt_5ecret")
	t.Setenv("SIDEKICK_BROWSER_ARGS", "--x=5ecret")
	t.Setenv("SIDEKICK_LOG", "debug")
	b, err := json.Marshal(s.config(t.Context(), env))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if strings.Contains(text, "5ecret") || strings.Contains(text, "Zebra") {
		t.Errorf("a secret or a name is in %s", text)
	}
	for _, want := range []string{`"SIDEKICK_TOKEN":"(set)"`, `"SIDEKICK_LOG":"debug"`, `"agent-2"`, `"managed":false`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
