package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// readPolicies reads a folder of policy files as Chromium does: all of them,
// whatever their names, with comments and trailing commas. Of two that say
// something of the same, the one whose name comes last counts.
//
// See: https://source.chromium.org/chromium/chromium/src/+/main:components/policy/core/common/config_dir_policy_loader.cc
func readPolicies(_ context.Context, dir string) (map[string]any, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	var errs []error
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			continue
		}
		more, err := readPolicy(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.Name(), err))
			continue
		}
		maps.Copy(values, more)
	}
	return values, errors.Join(errs...)
}

func readPolicy(file string) (map[string]any, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	// A comment may be its end, without a newline.
	b, err = hujson.Standardize(append(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), '\n'))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var values map[string]any
	err = json.Unmarshal(b, &values)
	return values, err
}

func readRegistry(string) (string, bool) { return "", false }
