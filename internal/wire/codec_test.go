package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// values generates any JSON value.
func values() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(),
		rapid.String().AsAny(), rapid.SampledFrom([]string{`\`, `\\"`, `"`, "{", "}]", "<script>&", "\u2028", "🐸", "\x00"}).AsAny(),
	)
	return rapid.Custom(func(t *rapid.T) any {
		var value func(depth int) any
		value = func(depth int) any {
			if depth == 0 || rapid.Bool().Draw(t, "leaf") {
				return leaf.Draw(t, "value")
			}
			n := rapid.IntRange(0, 4).Draw(t, "length")
			if rapid.Bool().Draw(t, "array") {
				list := make([]any, n)
				for i := range list {
					list[i] = value(depth - 1)
				}
				return list
			}
			object := make(map[string]any, n)
			for range n {
				object[rapid.String().Draw(t, "key")] = value(depth - 1)
			}
			return object
		}
		return value(4)
	})
}

func messages() *rapid.Generator[*Message] {
	return rapid.Custom(func(t *rapid.T) *Message {
		m := &Message{
			ID: rapid.Int64().Draw(t, "id"), Agent: rapid.String().Draw(t, "agent"),
			SessionID: rapid.String().Draw(t, "session"), Method: rapid.String().Draw(t, "method"),
		}
		if rapid.Bool().Draw(t, "params") {
			m.Params = enc(values().Draw(t, "params"))
		}
		if rapid.Bool().Draw(t, "result") {
			m.Result = enc(values().Draw(t, "result"))
		}
		if rapid.Bool().Draw(t, "error") {
			m.Error = &Error{Code: Code(rapid.Int32().Draw(t, "code")), Message: rapid.String().Draw(t, "message")}
		}
		return m
	})
}

// What this package writes encoding/json reads, and the other way round.
func TestCodecAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := messages().Draw(rt, "message")
		ours := m.Append(nil)
		back := new(Message)
		if err := json.Unmarshal(ours, back); err != nil {
			rt.Fatalf("%s: %v", ours, err)
		}
		theirs, err := json.MarshalIndent(m, " ", "\t")
		if err != nil {
			rt.Fatal(err)
		}
		read, err := Decode(theirs)
		if err != nil {
			rt.Fatalf("%s: %v", theirs, err)
		}
		again, err := Decode(ours)
		if err != nil {
			rt.Fatalf("%s: %v", ours, err)
		}
		// Invalid UTF-8 is replaced by both in the same way.
		for _, got := range []*Message{read, again} {
			if !sameMessage(t, got, back) {
				rt.Fatalf("read %+v, encoding/json %+v", got, back)
			}
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "null", "1", `"x"`, "[]", "{", `{"id"`, `{"id":`, `{"id":1`, `{"id":1,`, `{"id":1,}`, `{,}`, `{"id":1 "method":"x"}`,
		`{"id":1}x`, `{"id":1}{}`, `{"id":"1"}`, `{"id":1.5}`, `{"method":1}`, `{"params":{]`, `{"params":}`, `{"params":,"id":1}`,
		`{"params":"x}`, `{"params":"x\"}`, `{id:1}`, `{"error":"x"}`, `{"params":]}`,
	} {
		if m, err := Decode([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, m)
		}
	}
}

func TestDecodeAccepts(t *testing.T) {
	for text, want := range map[string]*Message{
		` { } `:                           {},
		`{"id":7,"new":{"a":[1,"]"]}}`:    {ID: 7},
		"{\"id\" : 7 ,\r\n\t\"id\": 8}":   {ID: 8},
		`{"params":"\\\"}","id":1}`:       {ID: 1, Params: []byte(`"\\\"}"`)},
		`{"params":"","id":1}`:            {ID: 1, Params: []byte(`""`)},
		`{"result":null,"error":null}`:    {Result: []byte("null")},
		`{"params":-1.5e3 ,"id":1}`:       {ID: 1, Params: []byte("-1.5e3")},
		`{"method":"\u00fc\ud83d\ude00"}`: {Method: "ü😀"},
	} {
		m, err := Decode([]byte(text))
		if err != nil || !sameMessage(t, m, want) {
			t.Errorf("%q was read as %+v, %v, want %+v", text, m, err, want)
		}
	}
}

// A value that is no JSON cannot add a field of its own: whatever JSON comes
// out has the agent that it was stamped with.
func TestParamsCannotForgeTheAgent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", `"`, `\`, `"agent":"evil"`, `"x"`, "1", " ", `"params"`,
		}), 0, 12).Draw(rt, "pieces")
		m, err := Decode([]byte(`{"id":1,"params":` + strings.Join(pieces, "") + `}`))
		if err != nil {
			return
		}
		m.Agent = "good"
		text := m.Append(nil)
		if !json.Valid(text) {
			return // the native host drops it
		}
		var out struct{ Agent string }
		if err := json.Unmarshal(text, &out); err != nil || out.Agent != "good" {
			rt.Fatalf("%s has the agent %q (%v)", text, out.Agent, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, e := range examples() {
		f.Add(e.message.Append(nil))
	}
	f.Add([]byte(`{"params":{"a":["\\\"",{}]},"id":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			if theirs := new(Message); json.Unmarshal(b, theirs) == nil && bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
				t.Fatalf("%q: %v, and encoding/json reads %+v", b, err, theirs)
			}
			return
		}
		if !json.Valid(b) {
			return
		}
		if out := m.Append(nil); !json.Valid(out) {
			t.Fatalf("%q became %q", b, out)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	m := &Message{ID: 1, Agent: "0a1b2c3d/researcher", SessionID: "t3", Result: enc(map[string]string{"data": strings.Repeat("aGVs", 64<<10)})}
	text := m.Append(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
