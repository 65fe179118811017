//go:build linux || darwin

package userservice

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kardianos/service"
)

// program stands where kardianos wants the program that is run as a service;
// ours runs by itself.
type program struct{}

func (program) Start(service.Service) error { return nil }
func (program) Stop(service.Service) error  { return nil }

// readPlace returns the text of a file, "" if there is none.
func readPlace(file string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

func removePlace(file string) error {
	// What systemd's enable made; the link is nowhere else.
	wanted := filepath.Join(filepath.Dir(file), "default.target.wants", filepath.Base(file))
	if err := os.Remove(wanted); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
