package userservice

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/windows/registry"
)

// Where programs are named that start at the user's login, and our name there.
const (
	runKey  = `Software\Microsoft\Windows\CurrentVersion\Run`
	runName = "Sidekick"
	// RunPlace is the value, for people.
	RunPlace = `HKEY_CURRENT_USER\` + runKey + `\` + runName
)

// Open returns the user's service: a value of the Run key.
func Open(_ context.Context, c Config) (*Service, error) {
	r := &runValue{binary: c.Binary, command: runCommand(c)}
	return &Service{Place: RunPlace, want: r.command, have: RunValue, mgr: r}, nil
}

type runValue struct{ binary, command string }

// RunValue is the command line that starts the helper at login, "" without one.
func RunValue() (string, error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer k.Close()
	text, _, err := k.GetStringValue(runName)
	if errors.Is(err, registry.ErrNotExist) {
		return "", nil
	}
	return text, err
}

func (r *runValue) Install() error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("opening the Run key: %w", err)
	}
	defer k.Close()
	return k.SetStringValue(runName, r.command)
}

func (r *runValue) Uninstall() error { return removePlace("") }

// Start does what the next login will.
func (r *runValue) Start() error {
	cmd := exec.Command(r.binary)
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CmdLine: r.command}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", strings.TrimSpace(r.command), err)
	}
	return nil
}

// Stop leaves it to "sidekick-mcp stop": nobody watches what the Run key
// starts.
func (r *runValue) Stop() error { return nil }

func removePlace(string) error {
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	if err := k.DeleteValue(runName); !errors.Is(err, registry.ErrNotExist) {
		return err
	}
	return nil
}
