package doctor

import (
	"context"
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/logs"
)

// scrubber takes names out of texts. What is known by name (pairings, agents,
// the user, the machine) is replaced by a word that stays the same throughout,
// so that a report can still be read; what is not (addresses) by its form.
type scrubber struct {
	known                      []string // pairs of a text and what takes its place
	replace                    *strings.Replacer
	url, mail, ip, domain, hex *regexp.Regexp
}

func newScrubber(ctx context.Context, env Env) *scrubber {
	s := &scrubber{
		url:    regexp.MustCompile(`(?i)\b(?:data:|[a-z][a-z0-9+.-]*://)[^\s"'<>,;)]*`),
		mail:   regexp.MustCompile(`[^\s"'<>@]+@[^\s"'<>@]+\.[^\s"'<>@]+`),
		ip:     regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b|\[?[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?`),
		domain: regexp.MustCompile(`(?i)\b(?:[a-z0-9_\p{L}-]+\.)+[a-z\p{L}]{2,}\b`),
		hex:    regexp.MustCompile(`\b[0-9a-f]{32}\b`),
	}
	names := map[string]string{}
	add := func(name, as string) {
		// Shorter ones would take words of ours apart.
		if len(name) >= 3 {
			if _, ok := names[name]; !ok {
				names[name] = as
			}
		}
	}
	if list, err := env.Pairings.List(ctx); err == nil {
		for i, p := range list {
			add(p.Name, "agent-"+strconv.Itoa(i+1))
		}
	}
	if st, err := helper.Status(ctx, env.Dirs); err == nil {
		for i, a := range st.Agents {
			add(a.Title, "group-"+strconv.Itoa(i+1))
			add(a.Client, "client-"+strconv.Itoa(i+1))
			if _, slug, ok := strings.Cut(a.ID, "/"); ok {
				add(slug, "client-"+strconv.Itoa(i+1))
			}
		}
	}
	add(env.Browsers.Home, "~")
	if real, err := filepath.EvalSymlinks(env.Browsers.Home); err == nil {
		add(real, "~")
	}
	if name, err := os.Hostname(); err == nil {
		add(name, "this-machine")
	}
	if u, err := user.Current(); err == nil && u.Username != "root" {
		add(u.Username, "user")
		add(u.Name, "user")
	}
	// The longest first: of two that begin alike the whole one counts.
	keys := make([]string, 0, len(names))
	for k := range names {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) })
	for _, k := range keys {
		s.known = append(s.known, k, names[k])
		// As JSON and Go's quoting write it.
		if q := strconv.Quote(k); q[1:len(q)-1] != k {
			s.known = append(s.known, q[1:len(q)-1], names[k])
		}
	}
	s.replace = strings.NewReplacer(s.known...)
	return s
}

// text is a text without what names somebody.
func (s *scrubber) text(t string) string {
	t = s.url.ReplaceAllStringFunc(logs.Redact(t), func(u string) string {
		if strings.HasPrefix(u, "chrome://") || strings.HasPrefix(u, "chrome-extension://") {
			return u // pages of the browser's and of ours
		}
		return "<address>"
	})
	t = s.replace.Replace(t)
	t = s.mail.ReplaceAllString(t, "<mail>")
	t = s.ip.ReplaceAllStringFunc(t, func(a string) string {
		if strings.Trim(a, ":") == "" {
			return a
		}
		return "<ip>"
	})
	t = s.hex.ReplaceAllString(t, "<profile>")
	return s.domain.ReplaceAllStringFunc(t, func(d string) string {
		if harmless(d) {
			return d
		}
		return "<host>"
	})
}

// harmless reports whether what looks like the name of a host is the name of a
// file, of a type, or ours.
func harmless(d string) bool {
	d = strings.ToLower(d)
	if strings.Contains(d, "ai.frogbot.sidekick") || strings.HasPrefix(d, "org.freedesktop.") {
		return true
	}
	switch d[strings.LastIndexByte(d, '.')+1:] {
	case "json", "sock", "lock", "log", "html", "js", "go", "exe", "app", "service", "plist", "desktop", "local", "config", "cache", "kb":
		return true
	}
	return false
}

// line is a line of the log likewise.
func (s *scrubber) line(l string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(l), &fields) != nil {
		return s.text(l)
	}
	for k, v := range fields {
		switch k {
		case "time", "level", "version", "extension":
			continue
		case "args":
			fields[k] = flagNames(v)
			continue
		case "agent":
			// "<pairing id>/<slug>": the slug is the client's own name.
			text, _ := v.(string)
			fields[k], _, _ = strings.Cut(text, "/")
			continue
		}
		fields[k] = s.any(v)
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return ""
	}
	return string(b)
}

// flagNames are a browser's flags without their values, some of which name
// hosts in ways of their own.
func flagNames(v any) any {
	list, _ := v.([]any)
	names := []any{}
	for _, e := range list {
		flag, _ := e.(string)
		name, _, valued := strings.Cut(flag, "=")
		switch {
		case !strings.HasPrefix(flag, "-"):
			name = "…" // a page
		case valued:
			name += "=…"
		}
		names = append(names, name)
	}
	return names
}

// any is a value of JSON likewise.
func (s *scrubber) any(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		for i := range v {
			v[i] = s.any(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = s.any(v[k])
		}
	}
	return v
}
