//go:build !windows

package installer

import (
	"errors"
	"testing"
)

func TestNoRegistryHere(t *testing.T) {
	opts := home(t)
	opts.Env.GOOS = "windows"
	if _, err := Uninstall(t.Context(), opts); !errors.Is(err, errNoRegistry) {
		t.Errorf("removing from Windows' places: got %v", err)
	}
}
