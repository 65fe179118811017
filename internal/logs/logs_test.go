package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"token skt_AbC123 end":                                    "token skt_… end",
		"at https://a.example/b/c?d=secret#e and on":              "at https://a.example/b/c?… and on",
		"at https://a.example/b#secret":                           "at https://a.example/b#…",
		"at https://a.example?q=secret":                           "at https://a.example?…",
		"--proxy-server=http://ada:secret@proxy.example:8080":     "--proxy-server=http://…@proxy.example:8080",
		`opening "chrome-extension://kebo/wake.html" with chrome`: `opening "chrome-extension://kebo/wake.html" with chrome`,
		"data:text/html,<b>secret":                                "data:…<b>secret",
		"plain words, 1 < 2":                                      "plain words, 1 < 2",
		"wss://x.example/s@cret?y":                                "wss://x.example/s@cret?…",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// Whatever stands around it, a token or a query does not come through.
func TestRedactProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		if got := Redact(before + "skt_5ecre7 " + after); strings.Contains(got, "5ecre7") {
			t.Fatalf("the token is in %q", got)
		}
		if got := Redact(before + " https://a.example/?q=5ecre7 " + after); strings.Contains(got, "5ecre7") {
			t.Fatalf("the query is in %q", got)
		}
	})
}

func TestAttr(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: Attr}))
	log.With("env", "skt_secret1").WithGroup("g").Error("at https://a.example/?secret2",
		"err", fmt.Errorf("no: %w", errors.New("https://a.example/?secret3")), "args", []string{"ok", "skt_secret4"},
		"raw", []byte("secret5"), "many", errors.Join(errors.New("skt_secret6")), "n", 7)
	if strings.Contains(b.String(), "secret") {
		t.Errorf("a secret is in %s", b.String())
	}
	for _, want := range []string{"a.example", `"n":7`, `"ok"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in %s", want, b.String())
		}
	}
}

// All files together stay within 10 MB, however much is written.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log", "helper.log")
	w, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(w, nil))
	line := strings.Repeat("x", 64<<10)
	for range 400 { // 26 MB
		log.Info(line)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var sum int64
	// What is rotated out is removed by a goroutine of lumberjack's.
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		sum = 0
		files, err := Files(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err == nil {
				sum += info.Size()
			}
		}
		if sum+2*outputMax <= 10_000_000 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the logs have %d bytes in %q", sum, files)
		}
	}
	if sum < 4_000_000 {
		t.Errorf("only %d bytes are kept", sum)
	}
	output := filepath.Join(dir, "browser.log")
	if err := os.WriteFile(output, make([]byte, outputMax+1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(output, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Cut(output); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(output); err != nil || string(b) != "new" {
		t.Errorf("after it was cut it holds %d bytes, %v", len(b), err)
	}
	if err := Cut(filepath.Join(dir, "none")); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "helper.log")
	if lines, err := Tail(file, 5); err != nil || len(lines) != 0 {
		t.Errorf("without a log: %q, %v", lines, err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("helper-2026-01-01T00-00-00.000.log", "1\n2\n")
	write("helper.log", "3\n4\n5")
	for n, want := range map[int]string{0: "", 1: "5", 3: "3 4 5", 4: "2 3 4 5", 9: "1 2 3 4 5"} {
		lines, err := Tail(file, n)
		if got := strings.Join(lines, " "); err != nil || got != want {
			t.Errorf("the last %d: got %q, %v; want %q", n, got, err, want)
		}
	}
}

// Following goes on over rotation, misses nothing and tells nothing twice.
func TestFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "helper.log")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- Follow(ctx, file, 2, func(l string) error { got <- l; return nil })
	}()
	want := func(lines ...string) {
		t.Helper()
		for _, w := range lines {
			select {
			case l := <-got:
				if l != w {
					t.Fatalf("got %q, want %q", l, w)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("waited for %q", w)
			}
		}
	}
	appendTo := func(text string) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	appendTo("a\nb\nhal")
	want("a", "b")
	appendTo("f\n")
	want("half")
	// As lumberjack does.
	appendTo("last\n")
	if err := os.Rename(file, strings.TrimSuffix(file, ".log")+"-2026-01-01T00-00-00.000.log"); err != nil {
		t.Fatal(err)
	}
	appendTo("first\n")
	want("last", "first")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	appendTo("x\n")
	want("x")
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
	// And begun anew it tells the last ones, of the older file too.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() { done <- Follow(ctx, file, 2, func(l string) error { got <- l; return nil }) }()
	want("last", "x")
	cancel()
	<-done
}
