package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
)

// A browser of the service's is started through systemd-run, in the same
// process and with the same open files; where that fails, as it is.
func TestInScope(t *testing.T) {
	dir := t.TempDir()
	script := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "systemd-run"), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	browser := func() string {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd := exec.Command("/bin/sh", "-c", `echo "pid $$ $1" >&3`, "sh", "two words")
		cmd.ExtraFiles = []*os.File{w}
		inScope(cmd)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		b := make([]byte, 200)
		n, _ := r.Read(b)
		got := strings.TrimSpace(string(b[:n]))
		pid := strings.Fields(got)[1]
		if want := cmd.ProcessState.Pid(); pid != strconv.Itoa(want) {
			t.Errorf("the browser is process %s, and %d was started", pid, want)
		}
		return got
	}
	log := filepath.Join(dir, "log")
	script(`echo "$@" >>` + log + "\n" + `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`)
	if got := browser(); !strings.HasSuffix(got, "two words") {
		t.Errorf("without the service: %q", got)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("systemd-run was asked, and this is no service")
	}
	t.Setenv(ipc.ServiceEnv, "systemd")
	if got := browser(); !strings.HasSuffix(got, "two words") {
		t.Errorf("as the service: %q", got)
	}
	b, err := os.ReadFile(log)
	if err != nil || strings.Count(string(b), "--user --scope --quiet --collect -- ") != 2 || !strings.Contains(string(b), "-- /bin/sh -c") {
		t.Errorf("systemd-run was asked %q (%v)", b, err)
	}
	script("exit 1")
	if got := browser(); !strings.HasSuffix(got, "two words") {
		t.Errorf("with no scope to be had: %q", got)
	}
}
