package launch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// splitArgs cuts a command line into arguments as a shell does: white space
// between them, single and double quotes, and a backslash before a character
// outside single quotes.
func splitArgs(s string) ([]string, error) {
	var args []string
	var arg strings.Builder
	var quote rune
	open, escaped := false, false // inside an argument; after a backslash
	for _, r := range s {
		switch {
		case escaped:
			// Within double quotes a shell keeps the backslash before
			// most characters, as Windows paths need it.
			if quote == '"' && r != '"' && r != '\\' {
				arg.WriteRune('\\')
			}
			arg.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				arg.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if open {
				args = append(args, arg.String())
				arg.Reset()
				open = false
			}
		default:
			arg.WriteRune(r)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c quote is not closed", quote)
	}
	if escaped {
		return nil, errors.New("it ends in a backslash")
	}
	if open {
		args = append(args, arg.String())
	}
	return args, nil
}

// listFlags are those of Chromium's flags whose value is a list and of which
// only the last counts.
var listFlags = []string{"--disable-features", "--enable-features", "--load-extension"}

// mergeFlags joins the lists of flags that are given more than once, so that
// ours and the user's both count. The first occurrence keeps its place.
func mergeFlags(args []string) []string {
	at := make(map[string]int)
	var merged []string
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || !slices.Contains(listFlags, name) {
			merged = append(merged, arg)
			continue
		}
		i, seen := at[name]
		if !seen {
			at[name] = len(merged)
			merged = append(merged, arg)
			continue
		}
		if value != "" {
			merged[i] = strings.TrimSuffix(merged[i], "=") + sep(merged[i]) + value
		}
	}
	return merged
}

func sep(flag string) string {
	if strings.HasSuffix(flag, "=") || !strings.Contains(flag, "=") {
		return "="
	}
	return ","
}
