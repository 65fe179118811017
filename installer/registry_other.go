//go:build !windows

package installer

import (
	"context"
	"errors"
)

// errNoRegistry meets only who asks for Windows' places on another system.
var errNoRegistry = errors.New("this system has no registry")

func installRegistry(context.Context, Options, []place) ([]Change, error) {
	return nil, errNoRegistry
}

func uninstallRegistry(context.Context, Options, []place) ([]Change, error) {
	return nil, errNoRegistry
}
