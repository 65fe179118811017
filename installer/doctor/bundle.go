package doctor

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/logs"
)

// BundleFile is one file of a bug report.
type BundleFile struct {
	Name string
	// What says what it is, for whoever is asked whether to give it away.
	What string
	Text []byte
}

// bundleLines is how much of the log goes into a bug report.
const bundleLines = 2000

// Bundle collects what a bug report needs, with everything taken out that names
// the user, their agents, their machine, or a place in the web. It writes
// nothing; see [WriteBundle].
func Bundle(ctx context.Context, env Env) ([]BundleFile, error) {
	if env.DirsErr != nil {
		return nil, env.DirsErr
	}
	r := Check(ctx, env, nil)
	s := newScrubber(ctx, env)
	checks, err := indented(s.report(r))
	if err != nil {
		return nil, err
	}
	versions, err := indented(map[string]any{
		"sidekick-mcp": env.Version, "extension": env.ExtensionVersion, "go": runtime.Version(),
		"system": runtime.GOOS + "/" + runtime.GOARCH, "made_at": time.Now().UTC().Truncate(time.Second),
	})
	if err != nil {
		return nil, err
	}
	config, err := indented(s.config(ctx, env))
	if err != nil {
		return nil, err
	}
	files := []BundleFile{
		{"doctor.json", "what doctor found", checks},
		{"versions.json", "versions of the parts and of the system", versions},
		{"config.json", "which settings are set, and of each pairing everything but its name", config},
	}
	lines, err := logs.Tail(env.Dirs.Log(), bundleLines)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	if len(lines) > 0 {
		var log bytes.Buffer
		for _, l := range lines {
			log.WriteString(s.line(l) + "\n")
		}
		files = append(files, BundleFile{"helper.log", fmt.Sprintf("the last %d lines of the log", len(lines)), log.Bytes()})
	}
	return files, nil
}

// WriteBundle writes the files into a zip.
func WriteBundle(w io.Writer, files []BundleFile) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		fw, err := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: time.Now()})
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.Text); err != nil {
			return err
		}
	}
	return z.Close()
}

// report is r without what names somebody.
func (s *scrubber) report(r Report) Report {
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.About, f.Text, f.Mend = s.text(f.About), s.text(f.Text), s.text(f.Mend)
	}
	return r
}

// pairingConfig is what is told of a pairing.
type pairingConfig struct {
	Name       string `json:"name"`
	Managed    bool   `json:"managed"`
	InKeyring  bool   `json:"in_keyring"`
	NoEvaluate bool   `json:"no_evaluate"`
	Bound      bool   `json:"bound"`
	Used       bool   `json:"used"`
}

func (s *scrubber) config(ctx context.Context, env Env) map[string]any {
	set := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "SIDEKICK_LOG":
			set[name] = value
		case strings.HasPrefix(name, "SIDEKICK_"), name == "DBUS_SESSION_BUS_ADDRESS", name == "DISPLAY", name == "WAYLAND_DISPLAY":
			set[name] = "(set)"
		}
	}
	pairings := []pairingConfig{}
	if list, err := env.Pairings.List(ctx); err == nil {
		for _, p := range list {
			pairings = append(pairings, pairingConfig{
				Name: s.text(p.Name), Managed: p.Managed, InKeyring: p.InKeyring, NoEvaluate: p.NoEvaluate,
				Bound: p.Profile != "", Used: !p.LastUsedAt.IsZero(),
			})
		}
	}
	return map[string]any{"environment": set, "pairings": pairings, "uid_0": os.Getuid() == 0}
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
