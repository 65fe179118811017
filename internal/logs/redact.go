// Package logs is what Sidekick's log files are made and read with: what may be
// in them, how large they become, and following them while they are written. It
// is a package of its own because the writer (the helper) and the readers (the
// commands logs and doctor) must agree on it.
package logs

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

// Patterns of what may not be in a log. They are made when the first line is
// written, for most processes of an agent never write one.
var (
	tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`skt_[0-9A-Za-z]+`) })
	urls   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:data:[^\s"'<>]+|[a-z][a-z0-9+.-]*://[^\s"'<>]+)`)
	})
)

// Redact takes out of a text what is nobody's business: tokens, and of
// addresses the user, the query, the fragment and inline data.
func Redact(s string) string {
	if strings.Contains(s, "skt_") {
		s = tokens().ReplaceAllString(s, "skt_…")
	}
	if strings.Contains(s, "://") || strings.Contains(s, "data:") {
		s = urls().ReplaceAllStringFunc(s, redactURL)
	}
	return s
}

func redactURL(u string) string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return "data:…"
	}
	cut := strings.IndexAny(rest, "?#")
	tail := ""
	if cut >= 0 {
		tail, rest = rest[cut:cut+1]+"…", rest[:cut]
	}
	host, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = "…@" + host[i+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host + tail
}

// Attr is a slog.HandlerOptions.ReplaceAttr that redacts.
func Attr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Redact(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(Redact(v.Error()))
		case []string:
			clean := make([]string, len(v))
			for i, s := range v {
				clean[i] = Redact(s)
			}
			a.Value = slog.AnyValue(clean)
		case []byte:
			a.Value = slog.StringValue(fmt.Sprintf("%d bytes", len(v)))
		case fmt.Stringer:
			a.Value = slog.StringValue(Redact(v.String()))
		}
	}
	return a
}
