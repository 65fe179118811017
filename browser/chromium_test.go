package browser_test

import (
	"context"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

//go:embed testdata/pages
var pages embed.FS

// chromium is a real browser with an engine on it, over Chromium's own
// debugging pipe: the engine needs nothing of the extension. Each test has its
// own, so that they run side by side; but not those that keep the processors
// busy by themselves, with large pictures or pages or a loop without an end.
type chromium struct {
	*browser.Browser
	site    *httptest.Server
	profile string
	told    chan struct{} // gets one when a page asks for /tell
}

func startChromium(t *testing.T, args ...string) *chromium {
	t.Helper()
	return startChromiumOf(t, browser.Options{}, func(tr browser.Transport) browser.Transport { return tr }, args...)
}

// startChromiumWith starts one whose engine has options.
func startChromiumWith(t *testing.T, o browser.Options) *chromium {
	t.Helper()
	return startChromiumOf(t, o, func(tr browser.Transport) browser.Transport { return tr })
}

// startChromiumBehind starts one with something between it and its engine.
func startChromiumBehind(t *testing.T, between func(browser.Transport) browser.Transport) *chromium {
	t.Helper()
	return startChromiumOf(t, browser.Options{}, between)
}

func startChromiumOf(t *testing.T, o browser.Options, between func(browser.Transport) browser.Transport, args ...string) *chromium {
	t.Helper()
	exe, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("these tests need Chromium (apt-get install chromium): %v", err)
	}
	profile := t.TempDir()
	args = append([]string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--host-resolver-rules=MAP *.example 127.0.0.1", "--site-per-process",
	}, args...)
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(exe, args...)
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	b := browser.New(func(context.Context) (browser.Transport, error) {
		return between(chromedp.NewPipeConn(fromBrowser, toBrowser)), nil
	}, o)
	t.Cleanup(func() {
		b.Close() // the end of the pipe ends the browser
		toBrowser.Close()
		fromBrowser.Close()
		cmd.Wait()
	})
	sub, err := fs.Sub(pages, "testdata/pages")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(sub))
	over := make(chan struct{}) // a browser asks again for what was cut off
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
	told := make(chan struct{}, 10)
	mux.HandleFunc("/tell", func(http.ResponseWriter, *http.Request) { told <- struct{}{} })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		w.Write([]byte("a,b\n"))
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		body, _ := io.ReadAll(r.Body) // before the answer begins, as HTTP/1 wants it
		w.Write(body)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(func() { close(over); site.CloseClientConnections(); site.Close() })
	return &chromium{b, site, profile, told}
}

// ctx bounds a test: a hang fails it instead of the whole run.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// killRenderers ends the processes that pages run in, as a crash does.
func (c *chromium) killRenderers(t *testing.T) {
	t.Helper()
	out, err := exec.Command("pkill", "-9", "-f", "--", "--type=renderer.*"+c.profile).CombinedOutput()
	if err != nil {
		t.Fatalf("killing the renderers: %v %s", err, out)
	}
}
