package browsers

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A real Chromium keeps the id of its profile where FindProfile looks, also
// after restarts, when it has moved what it had written to a table.
func TestFindProfileOfRealChromium(t *testing.T) {
	exe, err := Resolve(t.Context(), os.Getenv("SIDEKICK_BROWSER"))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if IsBranded(exe) {
		t.Skipf("%s takes no --load-extension; e2e covers it", exe)
	}
	stored := make(chan string, 8)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stored <- r.URL.Query().Get("id")
	}))
	defer site.Close()
	ext := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"manifest_version":3,"name":"t","version":"1","permissions":["storage"],"host_permissions":["http://127.0.0.1/*"],"background":{"service_worker":"sw.js"}}`,
		"sw.js": fmt.Sprintf(`(async () => {
			const {profile} = await chrome.storage.local.get("profile");
			if (!profile) await chrome.storage.local.set({profile: %q});
			// Enough to have what was written before moved to a table.
			for (let i = 0; i < 3; i++) await chrome.storage.local.set({pad: String(Math.random()).padEnd(2 << 20)});
			await fetch("%s/?id=" + chrome.runtime.id, {mode: "no-cors"});
		})()`, profA, site.URL),
	} {
		if err := os.WriteFile(filepath.Join(ext, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	userData := t.TempDir()
	for run := range 2 {
		id := runChromium(t, exe, ext, userData, stored)
		all, err := ProfilesIn(t.Context(), userData, id)
		if err != nil || len(all) != 1 {
			t.Fatalf("run %d: got %+v, %v", run, all, err)
		}
		f, err := holding(t.Context(), all, profA)
		if err != nil || f.ProfileDir != "Default" || f.UserDataDir != userData || time.Since(f.UsedAt) > time.Hour {
			t.Errorf("run %d: got %+v, %v", run, f, err)
		}
		if tables, _ := filepath.Glob(filepath.Join(all[0].storage, "*.ldb")); len(tables) == 0 {
			t.Errorf("run %d: there is no table, so this shows nothing of them", run)
		}
		if _, err := holding(t.Context(), all, profB); err == nil {
			t.Errorf("run %d: an id that was never stored was found", run)
		}
	}
}

// runChromium runs it until the extension has stored the id, and returns the
// extension's own.
func runChromium(t *testing.T, exe, ext, userData string, stored <-chan string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, exe, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+userData, "--load-extension="+ext,
		"--disable-features=DisableLoadExtensionCommandLineSwitch", "about:blank")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it ends in good order
	c.WaitDelay = 10 * time.Second
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		c.Wait()
	}()
	select {
	case id := <-stored:
		return id
	case <-ctx.Done():
		cancel()
		c.Wait()
		t.Fatalf("the extension stored nothing within a minute:\n%s", log.String())
	}
	return ""
}
