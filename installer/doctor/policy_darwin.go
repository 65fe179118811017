package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// readPolicies reads a file of managed preferences. It may be a binary one,
// which the system's own plutil knows.
func readPolicies(ctx context.Context, file string) (map[string]any, error) {
	if !exists(file) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	b, err := exec.CommandContext(ctx, "/usr/bin/plutil", "-convert", "json", "-o", "-", file).Output()
	if err != nil {
		return nil, fmt.Errorf("plutil: %w", err)
	}
	var values map[string]any
	err = json.Unmarshal(b, &values)
	return values, err
}

func readRegistry(string) (string, bool) { return "", false }
