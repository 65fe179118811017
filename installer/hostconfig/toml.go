package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlItem is a table's header or a value, and where it is.
type tomlItem struct {
	path []string
	// header says that it is the header of a table.
	header bool
	// inline says that it is in a table that is written as a value.
	inline bool
	// valueStart and valueEnd enclose the value.
	valueStart, valueEnd int
	// lineStart and lineEnd enclose the lines that it is on, the last newline
	// included.
	lineStart, lineEnd int
}

// readTOML reads a document's values.
func readTOML(text []byte) (map[string]any, error) {
	v := map[string]any{}
	err := toml.Unmarshal(text, &v)
	// Which library reads it is nobody's concern, and where it is wrong is.
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		err = fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return v, err
}

// scanTOML lists a document's headers and values in their order.
func scanTOML(text []byte) ([]tomlItem, error) {
	var p unstable.Parser
	p.Reset(text)
	var items []tomlItem
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		first, last := -1, -1
		for it := e.Key(); it.Next(); {
			raw := it.Node().Raw
			if first < 0 {
				first = int(raw.Offset)
			}
			last = int(raw.Offset + raw.Length)
			keys = append(keys, string(it.Node().Data))
		}
		item := tomlItem{lineStart: bytes.LastIndexByte(text[:first], '\n') + 1}
		if e.Kind == unstable.KeyValue {
			item.path = append(slices.Clone(table), keys...)
			item.valueStart, item.valueEnd = valueAt(text, e, last)
			item.lineEnd = lineEnd(text, item.valueEnd)
			items = append(items, item)
			items = append(items, insideTOML(text, e.Value(), item)...)
			continue
		}
		table = keys
		item.path, item.header, item.lineEnd = keys, true, lineEnd(text, last)
		items = append(items, item)
	}
	return items, p.Error()
}

// insideTOML lists the values of a table that is written as a value.
func insideTOML(text []byte, v *unstable.Node, of tomlItem) []tomlItem {
	if v.Kind != unstable.InlineTable {
		return nil
	}
	var items []tomlItem
	for it := v.Children(); it.Next(); {
		e := it.Node()
		if e.Kind != unstable.KeyValue {
			continue
		}
		item := tomlItem{path: slices.Clone(of.path), inline: true, lineStart: of.lineStart, lineEnd: of.lineEnd}
		last := 0
		for k := e.Key(); k.Next(); {
			item.path = append(item.path, string(k.Node().Data))
			last = int(k.Node().Raw.Offset + k.Node().Raw.Length)
		}
		item.valueStart, item.valueEnd = valueAt(text, e, last)
		items = append(items, item)
		items = append(items, insideTOML(text, e.Value(), item)...)
	}
	return items
}

// valueAt encloses the value of a pair whose key ends at keyEnd.
func valueAt(text []byte, e *unstable.Node, keyEnd int) (start, end int) {
	start = keyEnd + bytes.IndexByte(text[keyEnd:], '=') + 1
	start += len(text[start:]) - len(bytes.TrimLeft(text[start:], " \t"))
	return start, int(e.Raw.Offset + e.Raw.Length)
}

// lineEnd is where the line of an offset ends, its newline included.
func lineEnd(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

func under(path, table []string) bool {
	return len(path) >= len(table) && slices.Equal(path[:len(table)], table)
}

func find(items []tomlItem, path []string, header bool) *tomlItem {
	for i := range items {
		if items[i].header == header && slices.Equal(items[i].path, path) {
			return &items[i]
		}
	}
	return nil
}

// tomlNewline is how a document ends its lines.
func tomlNewline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// tomlKey writes a key.
func tomlKey(key string) string {
	if isBare(key) {
		return key
	}
	return quote(key)
}

func tomlHeader(path []string) string {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	return "[" + strings.Join(keys, ".") + "]"
}

// tomlBlock writes a table and those in it.
func tomlBlock(path []string, o object, newline string) string {
	var b, tables strings.Builder
	b.WriteString(tomlHeader(path) + newline)
	for _, f := range o {
		if sub, ok := f.value.(object); ok {
			tables.WriteString(newline + tomlBlock(append(slices.Clone(path), f.key), sub, newline))
			continue
		}
		b.WriteString(tomlKey(f.key) + " = " + layout{}.render(f.value, "") + newline)
	}
	return b.String() + tables.String()
}

// appendTOML puts a table at the end of a document.
func appendTOML(text []byte, path []string, o object) []byte {
	newline := tomlNewline(text)
	out := bytes.Clone(text)
	if len(out) > 0 {
		if out[len(out)-1] != '\n' {
			out = append(out, newline...)
		}
		out = append(out, newline...)
	}
	return append(out, tomlBlock(path, o, newline)...)
}

// tableEnd is where another line of the table with a header can be put: behind
// its last value.
func tableEnd(items []tomlItem, header *tomlItem) int {
	end := header.lineEnd
	for _, item := range items[slices.IndexFunc(items, func(i tomlItem) bool { return i.header && i.lineStart == header.lineStart })+1:] {
		if item.header {
			break
		}
		end = item.lineEnd
	}
	return end
}

// setTOML sets a value in the table of a server that is there.
func setTOML(text []byte, server, rel []string, v any) ([]byte, error) {
	items, err := scanTOML(text)
	if err != nil {
		return nil, err
	}
	path := append(slices.Clone(server), rel...)
	written := layout{}.render(v, "")
	if item := find(items, path, false); item != nil {
		have := map[string]any{}
		if err := toml.Unmarshal([]byte("v = "+string(text[item.valueStart:item.valueEnd])), &have); err != nil {
			return nil, err
		}
		if same(have["v"], plain(v)) {
			return text, nil
		}
		return splice(text, item.valueStart, item.valueEnd, written), nil
	}
	newline, parent, key := tomlNewline(text), path[:len(path)-1], tomlKey(path[len(path)-1])
	line := func(at int, s string) []byte {
		if at > 0 && text[at-1] != '\n' {
			s = newline + strings.TrimSuffix(s, newline)
		}
		return splice(text, at, at, s)
	}
	if header := find(items, parent, true); header != nil {
		return line(tableEnd(items, header), key+" = "+written+newline), nil
	}
	if table := find(items, parent, false); table != nil && text[table.valueEnd-1] == '}' {
		body := bytes.TrimRight(text[table.valueStart+1:table.valueEnd-1], space)
		at := table.valueStart + 1 + len(body)
		switch {
		case len(bytes.TrimLeft(body, space)) == 0:
			return splice(text, table.valueStart, table.valueEnd, "{ "+key+" = "+written+" }"), nil
		case bytes.ContainsRune(body, '#') || body[len(body)-1] == ',':
			return nil, errUnproven
		}
		return splice(text, at, at, ", "+key+" = "+written), nil
	}
	if header := find(items, server, true); header != nil && len(rel) == 2 {
		for _, item := range items {
			if len(item.path) > len(parent) && under(item.path, parent) {
				return nil, errUnproven // env.NAME = … in the server's own table
			}
		}
		return line(tableEnd(items, header), newline+tomlBlock(parent, object{{path[len(path)-1], v}}, newline)), nil
	}
	return nil, errUnproven
}

// deleteTOML removes a server's tables and values, with the empty line before
// each table.
func deleteTOML(text []byte, server []string) ([]byte, error) {
	for {
		items, err := scanTOML(text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(items, func(i tomlItem) bool { return under(i.path, server) })
		if i < 0 {
			return text, nil
		}
		item := &items[i]
		from, to := item.lineStart, item.lineEnd
		switch {
		case item.inline:
			return nil, errUnproven // one of several in a table on one line
		case item.header:
			to = tableEnd(items, item)
			from = blankBefore(text, from, to)
		}
		text = splice(text, from, to, "")
	}
}

// blankBefore is where a block begins, with the empty line before it if one
// comes behind it too.
func blankBefore(text []byte, from, to int) int {
	if to < len(text) && len(bytes.TrimSpace(text[to:lineEnd(text, to)])) > 0 {
		return from
	}
	if from == 0 {
		return from
	}
	prev := bytes.LastIndexByte(text[:from-1], '\n') + 1
	if len(bytes.TrimSpace(text[prev:from])) > 0 {
		return from
	}
	return prev
}
