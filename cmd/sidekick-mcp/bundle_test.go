package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/installer/doctor"
)

// Whoever is asked can see all of it first; only a yes writes it.
func TestConfirm(t *testing.T) {
	files := []doctor.BundleFile{{Name: "doctor.json", Text: []byte("{\"all\": \"of it\"}\n")}}
	for answers, want := range map[string]struct{ ok, shown bool }{
		"y\n": {true, false}, "YES\n": {true, false}, "s\ny\n": {true, true}, "s\nn\n": {false, true},
		"\n": {}, "n\n": {}, "": {}, "s\n": {false, true}, "maybe\n": {},
	} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetIn(strings.NewReader(answers))
		cmd.SetOut(&out)
		ok, err := confirm(cmd, files)
		if err != nil || ok != want.ok || strings.Contains(out.String(), "of it\"}") != want.shown {
			t.Errorf("%q: got %v, %v:\n%s", answers, ok, err, out.String())
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31m\tb\u202ec\n"); got != "a\ufffd[31m b\ufffdc " {
		t.Errorf("got %q", got)
	}
}

// A line of the log as people read it; what is no JSON stays.
func TestLogForPeople(t *testing.T) {
	for line, want := range map[string]string{
		`{"time":"x","level":"WARN","msg":"it broke","pid":12345678,"b":"","err":"no \u001b","n":1.5}`: "x WARN  it broke err=no \ufffd n=1.5 pid=12345678",
		"panic: no": "panic: no",
	} {
		if got := forPeople(line); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
