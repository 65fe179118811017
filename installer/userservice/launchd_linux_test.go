package userservice

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// launchdMain is a program that does with the service what it is told.
const launchdMain = `package main

import (
	"context"
	"fmt"
	"os"

	"launchdtest/userservice"
)

func main() {
	s, err := userservice.Open(context.Background(), userservice.Config{Binary: os.Args[2], LogDir: "/log"})
	if err == nil {
		switch os.Args[1] {
		case "install":
			err = s.Install(context.Background())
		case "remove":
			err = s.Remove(context.Background())
		case "restart":
			err = s.Restart()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(s.Place)
}
`

// The launchd part of kardianos is plain Go that only a file's name keeps from
// other systems. So it is built here under other names, with ours on top, and
// run with a stand-in launchctl that writes down what it is asked.
func TestLaunchdWithTheRealLibrary(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the library asks the user database for the home folder, so this runs as a user who is not in it, which takes root")
	}
	dir := t.TempDir()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kardianos/service").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := strings.TrimSpace(string(out))
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	take := func(from, to string, change ...string) {
		t.Helper()
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		put(to, strings.NewReplacer(change...).Replace(string(b)))
	}
	put("go.mod", "module launchdtest\n\ngo 1.26\n\nrequire github.com/kardianos/service v1.3.0\n\nreplace github.com/kardianos/service => ./library\n")
	put("main.go", launchdMain)
	put("library/go.mod", "module github.com/kardianos/service\n\ngo 1.23.0\n")
	for _, name := range []string{"service.go", "service_go1.8.go", "service_unix.go", "console.go", "template.go", "version.go"} {
		take(filepath.Join(library, name), filepath.Join("library", name))
	}
	take(filepath.Join(library, "service_darwin.go"), "library/launchd.go")
	for _, name := range []string{"userservice.go", "launchd.go", "manager_unix.go"} {
		take(name, filepath.Join("userservice", name))
	}
	take("manager_darwin.go", "userservice/manager.go", "github.com/frogbotai/sidekick-mcp/", "launchdtest/")

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir = dir
	// Without cgo a user whom nobody knows has the home that HOME says.
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}

	const nobody = 54321
	home := filepath.Join(dir, "Ada Łovelace")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	// The test's folders are root's alone.
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	put("fake/launchctl", "#!/bin/sh\necho \"$@\" >>\"$HOME/asked\"\nif [ \"$1\" = \"$FAIL\" ]; then echo cannot >&2; fi\n")
	binary := `/Applications/R & D {{x}}/sidekick-mcp`
	run := func(what, fail string) (string, error) {
		t.Helper()
		c := exec.CommandContext(ctx, program, what, binary)
		c.Env = []string{"HOME=" + home, "USER=ada", "FAIL=" + fail, "PATH=" + filepath.Join(dir, "fake") + ":/usr/bin:/bin"}
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	asked := func() []string {
		b, _ := os.ReadFile(filepath.Join(home, "asked"))
		os.Remove(filepath.Join(home, "asked"))
		if len(b) == 0 {
			return nil
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
	plist := filepath.Join(home, "Library/LaunchAgents/ai.frogbot.sidekick.plist")
	check := func(what, fail string, there bool, want ...string) {
		t.Helper()
		out, err := run(what, fail)
		if (err != nil) != (fail != "") || err == nil && out != plist {
			t.Errorf("%s: %v: %s", what, err, out)
		}
		if got := asked(); !slices.Equal(got, want) {
			t.Errorf("%s: launchctl was asked %q, want %q", what, got, want)
		}
		if _, err := os.Lstat(plist); (err == nil) != there {
			t.Errorf("%s: the property list: %v", what, err)
		}
	}
	load, unload := "load "+plist, "unload "+plist
	check("install", "", true, load)
	b, err := os.ReadFile(plist)
	if err != nil || string(b) != launchdPlist(Config{Binary: binary, LogDir: "/log"}) {
		t.Errorf("the property list (%v):\n%s", err, b)
	}
	// Again: what is there goes first (once by us, once by the library).
	check("install", "", true, unload, unload, load)
	check("restart", "", true, unload, load)
	check("remove", "", false, unload, unload)
	check("remove", "", false)
	// What cannot be started leaves nothing, and can be tried again.
	check("install", "load", false, load, unload, unload)
	check("install", "", true, load)
}
