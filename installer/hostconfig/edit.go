package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

var bom = []byte("\xef\xbb\xbf")

// cutBOM takes the mark off that some editors on Windows put before a text.
func cutBOM(text []byte) (mark, rest []byte) {
	if rest, ok := bytes.CutPrefix(text, bom); ok {
		return bom, rest
	}
	return nil, text
}

// read reads a host's file. Nothing at all is a file without settings.
func (h Host) read(text []byte) (map[string]any, error) {
	_, text = cutBOM(text)
	if h.Format == TOML {
		return readTOML(text)
	}
	if len(bytes.Trim(text, space)) == 0 {
		return map[string]any{}, nil
	}
	return readJSONC(text)
}

// serverPath is where a host's file has the server with a name. OpenCode 2 has
// its servers one level deeper: a file that is written so stays so.
func (h Host) serverPath(doc map[string]any, name string) []string {
	path := slices.Clone(h.servers)
	if h.ID == "opencode" {
		if servers, ok := at(doc, "mcp", "servers").(map[string]any); ok && servers["type"] == nil && servers["enabled"] == nil {
			path = append(path, "servers")
		}
	}
	return append(path, name)
}

// at follows keys down from a table.
func at(v any, path ...string) any {
	for _, key := range path {
		table, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = table[key]
	}
	return v
}

// put sets the value at a path, and takes it away if it is nil.
func put(v map[string]any, path []string, value any) map[string]any {
	v = maps.Clone(v)
	if v == nil {
		v = map[string]any{}
	}
	switch {
	case len(path) > 1:
		below, _ := v[path[0]].(map[string]any)
		v[path[0]] = put(below, path[1:], value)
	case value == nil:
		delete(v, path[0])
	default:
		v[path[0]] = value
	}
	return v
}

// starts reports whether an entry is one that starts a program. Any other, such
// as one of a server in the net, is replaced as a whole.
func starts(entry any) bool {
	table, ok := entry.(map[string]any)
	return ok && table["command"] != nil
}

// holdsToken reports whether an entry that is to name a variable, beside its
// environment, has the variable's value there.
func (h Host) holdsToken(entry any, s Server) bool {
	return h.ID == "codex" && s.Shared && at(entry, h.environmentKey(), tokenVariable) != nil
}

// with returns a list of strings that has a word in it.
func with(list any, word string) []string {
	var words []string
	have, _ := list.([]any)
	for _, v := range have {
		if s, ok := v.(string); ok {
			words = append(words, s)
		}
	}
	if !slices.Contains(words, word) {
		words = append(words, word)
	}
	return words
}

// set returns text with the server in it: an entry of its name gets our command
// and our environment variables, and keeps what else it has ("disabled", a
// timeout, other variables), since somebody wanted it so.
func (h Host) set(text []byte, s Server) ([]byte, error) {
	before, err := h.read(text)
	if err != nil {
		return nil, err
	}
	mark, body := cutBOM(text)
	path, entry := h.serverPath(before, s.Name), h.entry(h, s)
	out, want := body, before
	if have := at(before, path...); starts(have) && !h.holdsToken(have, s) {
		for _, f := range entry {
			if f.key == "env_vars" {
				f.value = with(at(have, f.key), tokenVariable)
			}
			sub, ok := f.value.(object)
			if !ok {
				if out, err = h.put(out, path, []string{f.key}, f.value); err != nil {
					return nil, err
				}
				want = put(want, append(slices.Clone(path), f.key), plain(f.value))
				continue
			}
			for _, variable := range sub {
				rel := []string{f.key, variable.key}
				if out, err = h.put(out, path, rel, variable.value); err != nil {
					return nil, err
				}
				want = put(want, append(slices.Clone(path), rel...), plain(variable.value))
			}
		}
	} else {
		if out, err = h.add(out, path, entry, have != nil); err != nil {
			return nil, err
		}
		want = put(want, path, plain(entry))
		if h.ID == "opencode" && len(bytes.Trim(body, space)) == 0 {
			want = put(want, []string{"$schema"}, openCodeSchema)
		}
	}
	if h.ID == "vscode" && s.Shared {
		if out, err = setInput(out, s); err != nil {
			return nil, err
		}
		list, _ := before["inputs"].([]any)
		if !slices.ContainsFunc(list, func(v any) bool { return at(v, "id") == s.inputID() }) {
			want = put(want, []string{"inputs"}, append(slices.Clone(list), plain(s.input())))
		}
	}
	return h.proven(append(slices.Clone(mark), out...), want)
}

// openCodeSchema is what OpenCode's own files begin with.
const openCodeSchema = "https://opencode.ai/config.json"

// add puts a new entry into a document without BOM, in the place of one that is
// there.
func (h Host) add(text []byte, path []string, entry object, replace bool) ([]byte, error) {
	if h.Format == TOML {
		if replace {
			var err error
			if text, err = deleteTOML(text, path); err != nil {
				return nil, err
			}
		}
		return appendTOML(text, path, entry), nil
	}
	if len(bytes.Trim(text, space)) > 0 {
		return setJSONC(text, path, entry)
	}
	var doc object
	if h.ID == "opencode" {
		doc = object{{"$schema", openCodeSchema}}
	}
	var v any = entry
	for i := len(path) - 1; i > 0; i-- {
		v = object{{path[i], v}}
	}
	l := layout{newline: tomlNewline(text), unit: "  "}
	return []byte(l.render(append(doc, field{path[0], v}), "") + l.newline), nil
}

// put sets one value of the entry at path.
func (h Host) put(text []byte, path, rel []string, v any) ([]byte, error) {
	if h.Format == TOML {
		return setTOML(text, path, rel, v)
	}
	return setJSONC(text, append(slices.Clone(path), rel...), v)
}

// errUnproven says that an edit cannot be done, or would have done something else
// than it should.
var errUnproven = errors.New("it is written in a way that this program does not change safely, so add or remove the entry by hand")

// proven returns text if it reads as want.
func (h Host) proven(text []byte, want map[string]any) ([]byte, error) {
	got, err := h.read(text)
	if err != nil || !same(got, want) {
		return nil, errUnproven
	}
	return text, nil
}

// remove returns text without the server, and whether there was one.
func (h Host) remove(text []byte, name string) ([]byte, bool, error) {
	before, err := h.read(text)
	if err != nil {
		return nil, false, err
	}
	mark, out := cutBOM(text)
	path, want := h.serverPath(before, name), before
	had := at(before, path...) != nil
	if had {
		if h.Format == TOML {
			out, err = deleteTOML(out, path)
		} else {
			out, err = deleteJSONC(out, path)
		}
		if err != nil {
			return nil, false, err
		}
		want = put(want, path, nil)
		if servers, ok := want["mcp_servers"].(map[string]any); ok && h.Format == TOML && len(servers) == 0 {
			// A table that no header names is gone with its last one.
			if got, err := h.read(out); err == nil && got["mcp_servers"] == nil {
				want = put(want, []string{"mcp_servers"}, nil)
			}
		}
	}
	if h.ID == "vscode" {
		// Nothing else of that name would ask for our token.
		s := Server{Name: name}
		list, _ := before["inputs"].([]any)
		rest := slices.DeleteFunc(slices.Clone(list), func(v any) bool { return at(v, "id") == s.inputID() })
		if had && len(rest) == len(list)-1 {
			if out, err = deleteInput(out, s); err != nil {
				return nil, false, err
			}
			want = put(want, []string{"inputs"}, rest)
		}
	}
	if !had {
		return text, false, nil
	}
	text, err = h.proven(append(slices.Clone(mark), out...), want)
	return text, true, err
}

// server reads the entry of a name back, as far as it is one of ours.
func (h Host) server(text []byte, name string) (Server, bool) {
	doc, err := h.read(text)
	if err != nil {
		return Server{}, false
	}
	entry := at(doc, h.serverPath(doc, name)...)
	if !starts(entry) {
		return Server{}, false
	}
	s := Server{Name: name}
	command := at(entry, "command")
	if one, ok := command.(string); ok {
		s.Command = []string{one}
		command = at(entry, "args")
	}
	list, _ := command.([]any)
	for _, arg := range list {
		word, ok := arg.(string)
		if !ok {
			return Server{}, false
		}
		s.Command = append(s.Command, word)
	}
	s.Token, _ = at(entry, h.environmentKey(), tokenVariable).(string)
	s.Home, _ = at(entry, h.environmentKey(), homeVariable).(string)
	return s, len(s.Command) > 0
}

// before returns what a file held before the server was added to it, if text is
// just what came of adding it to backup (nil for no file at all).
func (h Host) before(text, backup []byte, name string) bool {
	s, ok := h.server(text, name)
	if !ok {
		return false
	}
	if doc, err := h.read(backup); err != nil || at(doc, h.serverPath(doc, name)...) != nil {
		return false
	}
	for _, s.Shared = range []bool{false, true} {
		if s.Shared && h.reference == "" {
			continue
		}
		if again, err := h.set(backup, s); err == nil && bytes.Equal(again, text) {
			return true
		}
	}
	return false
}

// Parse reads text as this host does, and returns an error that says what is
// wrong with it.
func (h Host) Parse(text []byte) error {
	if _, err := h.read(text); err != nil {
		return fmt.Errorf("it cannot be read as %s: %w", map[Format]string{JSON: "JSON", TOML: "TOML"}[h.Format], err)
	}
	return nil
}
