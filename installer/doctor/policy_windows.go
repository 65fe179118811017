package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"golang.org/x/sys/windows/registry"
)

// readPolicies reads a key: numbers and texts are values, lists are subkeys,
// and what has a structure is a text of JSON.
func readPolicies(_ context.Context, place string) (map[string]any, error) {
	root, path, _ := strings.Cut(place, `\`)
	hive := registry.CURRENT_USER
	if root == "HKLM" {
		hive = registry.LOCAL_MACHINE
	}
	k, err := registry.OpenKey(hive, path, registry.READ)
	if errors.Is(err, registry.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer k.Close()
	values := map[string]any{}
	names, err := k.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if n, _, err := k.GetIntegerValue(name); err == nil {
			values[name] = int(n)
		} else if s, _, err := k.GetStringValue(name); err == nil {
			var m map[string]any
			if json.Unmarshal([]byte(s), &m) == nil {
				values[name] = m
			} else {
				values[name] = s
			}
		}
	}
	subkeys, err := k.ReadSubKeyNames(-1)
	if err != nil {
		return values, err
	}
	for _, name := range subkeys {
		sub, err := registry.OpenKey(k, name, registry.READ)
		if err != nil {
			continue // not ours to read, so not what forbids us
		}
		var list []any
		if items, err := sub.ReadValueNames(-1); err == nil {
			for _, item := range items {
				if s, _, err := sub.GetStringValue(item); err == nil {
					list = append(list, s)
				}
			}
		}
		sub.Close()
		values[name] = list
	}
	return values, nil
}

// readRegistry returns the default value of a key of the user's.
func readRegistry(key string) (string, bool) {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.QUERY_VALUE)
	if err != nil {
		return "", false
	}
	defer k.Close()
	s, _, err := k.GetStringValue("")
	return s, err == nil
}
