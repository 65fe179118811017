package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sidekick-mcp": main})
}

// Each file in testdata is one behaviour of the command line.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "user")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("SIDEKICK_HOME", filepath.Join(e.WorkDir, "home"))
			// Not a second's sleep at the end of each process under the race
			// detector.
			e.Setenv("GORACE", "atexit_sleep_ms=50")
			// No keyring of this machine is to be asked.
			e.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(e.WorkDir, "no-bus"))
			return os.Mkdir(home, 0o700)
		},
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json":       checkJSON,
			"mode":       checkMode,
			"savetokens": saveTokens,
			"notokens":   noTokens,
			"waithelper": waitHelper,
		},
	})
}

// checkJSON compares values in the JSON that the last command printed:
// "json name=FrogBot managed=true env.X=y pairings.0.id". Without "=" the value
// only has to be there; with "!" before, it must not be. "json -save VAR path"
// puts one into the environment.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! json")
	}
	var v any
	out := ts.ReadFile("stdout")
	ts.Check(json.Unmarshal([]byte(out), &v))
	if len(args) == 3 && args[0] == "-save" {
		got, ok := lookUp(v, args[2])
		if !ok {
			ts.Fatalf("no %s in %s", args[2], out)
		}
		ts.Setenv(args[1], got)
		return
	}
	for _, arg := range args {
		path, want, compare := strings.Cut(arg, "=")
		path, absent := strings.CutPrefix(path, "!")
		got, ok := lookUp(v, path)
		switch {
		case ok == absent:
			ts.Fatalf("%s is there: %v; in %s", path, ok, out)
		case compare && got != want:
			ts.Fatalf("%s is %q, want %q", path, got, want)
		}
	}
}

// lookUp finds a value by a path such as pairings.0.name; len is the length of an
// array.
func lookUp(v any, path string) (string, bool) {
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = at[key]; !ok {
				return "", false
			}
		case []any:
			var i int
			if key == "len" {
				v = len(at)
			} else if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return "", false
			} else {
				v = at[i]
			}
		default:
			return "", false
		}
	}
	return fmt.Sprint(v), true
}

// checkMode compares the rights of a file: "mode 0600 file".
func checkMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode 0600 file")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s is %s, want %s", args[1], got, args[0])
	}
}

var tokenForm = regexp.MustCompile(`skt_[0-9A-Za-z]+`)

// saveTokens remembers the tokens that the last command printed, in a file.
func saveTokens(ts *testscript.TestScript, neg bool, _ []string) {
	found := tokenForm.FindAllString(ts.ReadFile("stdout"), -1)
	if neg || len(found) == 0 {
		ts.Fatalf("the last command printed no token")
	}
	f, err := os.OpenFile(ts.MkAbs("../tokens-"+filepath.Base(ts.Getenv("WORK"))), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = f.WriteString(strings.Join(found, "\n") + "\n")
	ts.Check(err)
	ts.Check(f.Close())
}

// noTokens checks that none of them is in what the last command printed, nor in
// any file of ours.
func noTokens(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("unsupported: ! notokens")
	}
	saved := strings.Fields(ts.ReadFile(ts.MkAbs("../tokens-" + filepath.Base(ts.Getenv("WORK")))))
	look := func(where string, text []byte) {
		for _, token := range saved {
			if bytes.Contains(text, []byte(token[len("skt_"):])) {
				ts.Fatalf("%s has a token in it:\n%s", where, text)
			}
		}
	}
	look("stdout", []byte(ts.ReadFile("stdout")))
	look("stderr", []byte(ts.ReadFile("stderr")))
	ts.Check(filepath.WalkDir(ts.Getenv("SIDEKICK_HOME"), func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(name)
		look(name, b)
		return err
	}))
}

// waitHelper waits until the helper answers that was started in the background.
func waitHelper(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("unsupported: ! waithelper")
	}
	home := ts.Getenv("SIDEKICK_HOME")
	dirs := paths.Dirs{State: home, Run: filepath.Join(home, "run")}
	conn, err := ipc.DialOrStart(context.Background(), dirs, func(context.Context) error { return nil })
	ts.Check(err)
	ts.Check(conn.Close())
}
