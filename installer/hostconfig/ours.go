package hostconfig

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Taken is an entry that was taken out of a host's file, or would be.
type Taken struct {
	Name string // in the host's list of servers
	Change
}

// TakeOut takes every entry out of a host's file that starts Sidekick with its
// state in home (SIDEKICK_HOME; "" is where it lies by itself), whatever its
// name; see [Remove]. A dry run changes nothing. A file that seems to have one,
// but cannot be read as the host reads it or is not the user's to write, is an
// error, and so is one that is no file at all.
func TakeOut(h Host, file, home string, dryRun bool) (taken []Taken, err error) {
	defer func() {
		// The last one may have used the backup up.
		for i := range taken {
			if _, err := os.Lstat(taken[i].Backup); err != nil {
				taken[i].Backup = ""
			}
		}
	}()
	for {
		f, err := Open(file)
		if err != nil {
			return taken, err
		}
		plans, err := ours(h, f, home)
		if err != nil || len(plans) == 0 {
			return taken, err
		}
		if dryRun {
			return plans, nil
		}
		// First the one that was added last: with it the file gets its old
		// bytes back.
		next := plans[0]
		if i := slices.IndexFunc(plans, func(p Taken) bool { return p.drop || p.delete }); i >= 0 {
			next = plans[i]
		}
		if err := next.Apply(); err != nil {
			return taken, err
		}
		taken = append(taken, next)
	}
}

// ours plans to take each of our entries out, by itself.
func ours(h Host, f *File, home string) ([]Taken, error) {
	entries, err := f.entries(h)
	if err != nil {
		return nil, f.refuse(err)
	}
	var plans []Taken
	for _, s := range entries {
		if s.Home != home {
			continue
		}
		c, err := Remove(h, f, s.Name)
		if err != nil {
			return nil, fmt.Errorf("%q cannot be taken out: %w", s.Name, err)
		}
		plans = append(plans, Taken{s.Name, c})
	}
	return plans, nil
}

// sidekicks are the entries of a host's file that start Sidekick, by name.
func (h Host) sidekicks(text []byte) []Server {
	doc, err := h.read(text)
	if err != nil {
		return nil
	}
	path := h.serverPath(doc, "")
	servers, _ := at(doc, path[:len(path)-1]...).(map[string]any)
	var list []Server
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if s, ok := h.server(text, name); ok && s.startsSidekick(h.namesToken(servers[name])) {
			list = append(list, s)
		}
	}
	return list
}

// namesToken reports whether an entry sets or passes on our variable.
func (h Host) namesToken(entry any) bool {
	if at(entry, h.environmentKey(), tokenVariable) != nil {
		return true
	}
	passed, _ := at(entry, "env_vars").([]any)
	return slices.Contains(passed, any(tokenVariable))
}

// startsSidekick reports whether this is Sidekick: our npm package, or a program
// of our name that gets a token of ours. An argument of our name is none: it may
// be a folder that another server works in.
func (s Server) startsSidekick(token bool) bool {
	if slices.ContainsFunc(s.Command[1:], func(w string) bool { return w == Launcher || strings.HasPrefix(w, Launcher+"@") }) {
		return true
	}
	program := strings.ToLower(s.Command[0][strings.LastIndexAny(s.Command[0], `/\`)+1:])
	return token && strings.TrimSuffix(program, ".exe") == "sidekick-mcp"
}
