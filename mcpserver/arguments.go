package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// argumentError is a call with arguments that are not right. Its text is for
// the model, which has to send better ones.
type argumentError struct{ tool, text string }

func (e *argumentError) Error() string { return e.tool + ": " + e.text }

// arguments checks and reads the arguments of one tool.
type arguments struct {
	tool string
	load func() (*jsonschema.Resolved, error)
}

func newArguments(tool, schema string) *arguments {
	return &arguments{tool: tool, load: sync.OnceValues(func() (*jsonschema.Resolved, error) {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			return nil, err
		}
		return s.Resolve(nil)
	})}
}

// decode checks raw against the schema and reads it into a struct. Its errors
// are *argumentError.
func (a *arguments) decode(raw json.RawMessage, into any) error {
	bad := func(format string, args ...any) error {
		return &argumentError{tool: a.tool, text: fmt.Sprintf(format, args...)}
	}
	resolved, err := a.load()
	if err != nil {
		return bad("its schema cannot be read (%v); this is a bug in Sidekick", err)
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return bad("the arguments are not JSON: %v", err)
	}
	values, ok := v.(map[string]any)
	if !ok {
		return bad("the arguments must be an object, got %s", describe(v))
	}
	schema := resolved.Schema()
	// Hosts whose models must fill in every argument send null for the ones
	// that were left out.
	for name, value := range values {
		if value == nil && !slices.Contains(schema.Required, name) {
			delete(values, name)
		}
	}
	if fault := objectFault(schema, values); fault != "" {
		return bad("%s", fault)
	}
	// Whatever the words above have no sentence for.
	if err := resolved.Validate(values); err != nil {
		return bad("the arguments do not fit the schema: %v", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		// An integer may be written 3.0 or 3e2, which Go does not read into an
		// int; the number that was read is written plainly.
		plain, err := json.Marshal(values)
		if err != nil {
			return bad("the arguments cannot be read: %v", err)
		}
		if err := json.Unmarshal(plain, into); err != nil {
			var number *json.UnmarshalTypeError
			if errors.As(err, &number) {
				return bad("%q is too large", number.Field)
			}
			return bad("the arguments cannot be read: %v", err)
		}
	}
	return nil
}

// objectFault says in one sentence what is wrong with an object, or nothing.
func objectFault(s *jsonschema.Schema, values map[string]any) string {
	for _, name := range sortedKeys(values) {
		if s.Properties[name] == nil {
			return fmt.Sprintf("unknown argument %q; it takes %s", name, strings.Join(sortedKeys(s.Properties), ", "))
		}
	}
	for _, name := range s.Required {
		if _, ok := values[name]; !ok {
			return fmt.Sprintf("%q is missing; it must be %s", name, wanted(s.Properties[name]))
		}
	}
	for _, name := range sortedKeys(values) {
		if fault := valueFault(s.Properties[name], values[name]); fault != "" {
			return fmt.Sprintf("%q %s", name, fault)
		}
	}
	return ""
}

// valueFault says what is wrong with one value, or nothing.
func valueFault(s *jsonschema.Schema, v any) string {
	want := "must be " + wanted(s)
	switch s.Type {
	case "string":
		text, ok := v.(string)
		if !ok {
			return want + ", got " + describe(v)
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			return fmt.Sprintf("%s, got %q", want, shorten(text, 40))
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return want + ", got " + describe(v)
		}
	case "integer", "number":
		n, ok := v.(float64)
		if !ok {
			return want + ", got " + describe(v)
		}
		if s.Type == "integer" && n != math.Trunc(n) ||
			s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum ||
			s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum {
			return fmt.Sprintf("%s, got %v", want, n)
		}
	case "object":
		values, ok := v.(map[string]any)
		if !ok {
			return want + ", got " + describe(v)
		}
		if fault := objectFault(s, values); fault != "" {
			return "is wrong: " + fault
		}
	case "array":
		items, ok := v.([]any)
		if !ok {
			return want + ", got " + describe(v)
		}
		for i, item := range items {
			if s.Items == nil {
				break
			}
			if fault := valueFault(s.Items, item); fault != "" {
				return fmt.Sprintf("is wrong at item %d, which %s", i+1, fault)
			}
		}
	}
	return ""
}

// wanted says in words what a schema asks for.
func wanted(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprintf("%q", e)
		}
		return "one of " + strings.Join(words, ", ")
	}
	switch s.Type {
	case "string":
		return "a string"
	case "boolean":
		return "true or false"
	case "integer", "number":
		kind := "a number"
		if s.Type == "integer" {
			kind = "a whole number"
		}
		switch {
		case s.Minimum != nil && s.Maximum != nil:
			kind += fmt.Sprintf(" from %v to %v", *s.Minimum, *s.Maximum)
		case s.Minimum != nil:
			kind += fmt.Sprintf(" not under %v", *s.Minimum)
		case s.ExclusiveMinimum != nil && s.Maximum != nil:
			kind += fmt.Sprintf(" over %v and not over %v", *s.ExclusiveMinimum, *s.Maximum)
		}
		return kind
	case "array":
		if s.Items == nil {
			return "an array"
		}
		if len(s.Items.Enum) > 0 {
			return "an array of " + strings.TrimPrefix(wanted(s.Items), "one of ")
		}
		return "an array of " + strings.TrimPrefix(strings.TrimPrefix(wanted(s.Items), "an "), "a ") + "s"
	default:
		return "an object"
	}
}

// describe says what kind of value it is.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
