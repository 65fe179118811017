package browser_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUpload(t *testing.T) {
	t.Parallel()
	testUploads(t, startChromium(t))
}

// A browser may not let us name files of the computer, as Chrome does with
// extensions that were not given access to them; then their bytes are sent.
func TestUploadWithoutAccessToFiles(t *testing.T) {
	t.Parallel()
	c := startChromiumBehind(t, func(tr browser.Transport) browser.Transport { return &noFiles{Transport: tr} })
	testUploads(t, c)
	p := writeFile(t, t.TempDir(), "large.bin", "")
	if err := os.Truncate(p, 21<<20); err != nil {
		t.Fatal(err)
	}
	_, err := c.UploadFile(testContext(t), browser.UploadArgs{Ref: ref(t, c.read(t), `"Photo"`), Paths: []string{p}})
	if err == nil || !strings.Contains(err.Error(), "too large") || !strings.Contains(err.Error(), "Allow access to file URLs") {
		t.Errorf("%v", err)
	}
}

// noFiles is a browser that refuses DOM.setFileInputFiles. It passes on a
// command that does nothing instead, and answers it with what Chrome says.
type noFiles struct {
	browser.Transport
}

func (n *noFiles) Write(ctx context.Context, m *cdproto.Message) error {
	if m.Method == "DOM.setFileInputFiles" {
		c := *m
		c.Method, c.Params = "Sidekick.noSuchMethod", []byte("{}")
		return n.Transport.Write(ctx, &c)
	}
	return n.Transport.Write(ctx, m)
}

func (n *noFiles) Read(ctx context.Context, m *cdproto.Message) error {
	err := n.Transport.Read(ctx, m)
	if err == nil && m.Error != nil && strings.Contains(m.Error.Message, "noSuchMethod") {
		m.Error = &cdproto.Error{Code: -32000, Message: "Not allowed"}
	}
	return err
}

func testUploads(t *testing.T, c *chromium) {
	t.Helper()
	ctx := testContext(t)
	dir := t.TempDir()
	text, other := writeFile(t, dir, "notes.txt", "hello file"), writeFile(t, dir, "b ü.txt", "second")
	big := writeFile(t, dir, "big.txt", strings.Repeat("0123456789abcdef", 1<<16))
	c.open(t, "/upload.html")
	out := c.read(t)
	for _, tc := range []struct {
		what  string
		paths []string
		want  string
	}{
		{`"Photo"`, []string{text}, "Got notes.txt [text/plain] 10: hello file"},
		{`"Several"`, []string{text, other}, "Got notes.txt [text/plain] 10: hello file; b ü.txt [text/plain] 6: second"},
		{`"Attach"`, []string{other}, "Got b ü.txt [text/plain] 6: second"},
		{`"Made at once"`, []string{other, text}, "Got b ü.txt [text/plain] 6: second; notes.txt"},
		{`"Later"`, []string{text}, "Got notes.txt"},
		{`"Labelled"`, []string{other}, "Got b ü.txt"},
		{`"Zone"`, []string{text, big}, "Got notes.txt [text/plain] 10: hello file; big.txt [text/plain] 1048576: 0123456789abcdef0123"},
	} {
		o, err := c.UploadFile(ctx, browser.UploadArgs{Ref: ref(t, out, tc.what), Paths: tc.paths})
		if err != nil || !strings.Contains(o.Did, filepath.Base(tc.paths[0])) {
			t.Errorf("%s: %+v, %v", tc.what, o, err)
			continue
		}
		if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: tc.want}); err != nil {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
	unfocused := func(s string) string { return strings.ReplaceAll(s, " [focused]", "") }
	before := unfocused(c.read(t))
	for _, tc := range []struct {
		what  string
		paths []string
		want  string
	}{
		{`"Photo"`, []string{text, other}, "one file only"},
		{`"Attach"`, []string{text, other}, "one file only"},
		{`"Off"`, []string{text}, "disabled"},
		{`"Folder"`, []string{text}, "whole folder"},
		{`"Pretends"`, []string{text}, "does not take the files"},
	} {
		_, err := c.UploadFile(ctx, browser.UploadArgs{Ref: ref(t, out, tc.what), Paths: tc.paths})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
	if now := unfocused(c.read(t)); now != before {
		t.Errorf("the page changed:\n%s\nwas\n%s", now, before)
	}
	_, err := c.UploadFile(ctx, browser.UploadArgs{Ref: ref(t, out, `"Plain"`), Paths: []string{text}})
	if err == nil || !strings.Contains(err.Error(), "did not open a file dialog") {
		t.Errorf("%v", err)
	}
}

func TestUploadLooksAtTheFilesFirst(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	inside := writeFile(t, dir, "in.txt", "in")
	secret := writeFile(t, outside, "secret.txt", "s")
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	l, err := net.Listen("unix", pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// No browser is there to be asked: nothing of this gets that far.
	limited := browser.New(nil, browser.Options{UploadDirs: []string{dir, filepath.Join(dir, "nowhere"), ""}})
	free := browser.New(nil, browser.Options{})
	for _, tc := range []struct {
		b     *browser.Browser
		paths []string
		want  string
	}{
		{free, nil, "Name the files"},
		{free, []string{""}, "a whole one"},
		{free, []string{"in.txt"}, "a whole one"},
		{free, []string{inside, filepath.Join(dir, "none.txt")}, "none.txt cannot be uploaded: it does not exist"},
		{free, []string{dir}, "it is a folder"},
		{free, []string{pipe}, "not an ordinary file"},
		{free, []string{"/dev/zero"}, "not an ordinary file"},
		{limited, []string{secret}, "allows files in " + dir},
		{limited, []string{inside, link}, "link.txt may not be uploaded"},
		{limited, []string{filepath.Join(dir, "..", filepath.Base(outside), "secret.txt")}, "may not be uploaded"},
		// Whether there is such a file elsewhere is nobody's business.
		{limited, []string{filepath.Join(outside, "none.txt")}, "may not be uploaded"},
		{limited, []string{dir + "x"}, "may not be uploaded"},
	} {
		_, err := tc.b.UploadFile(testContext(t), browser.UploadArgs{Ref: "e1", Paths: tc.paths})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v", tc.paths, err)
		}
	}
	// With its folder allowed by another name of it, a file passes.
	alias := filepath.Join(outside, "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	c := startChromiumWith(t, browser.Options{UploadDirs: []string{alias}})
	c.open(t, "/upload.html")
	if _, err := c.UploadFile(testContext(t), browser.UploadArgs{Ref: ref(t, c.read(t), `"Photo"`), Paths: []string{inside}}); err != nil {
		t.Error(err)
	}
}
