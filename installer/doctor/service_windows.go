package doctor

import (
	"errors"

	"golang.org/x/sys/windows/registry"
)

// runKey looks for the value that starts the helper at login.
func runKey() (Service, error) {
	const path = `Software\Microsoft\Windows\CurrentVersion\Run`
	k, err := registry.OpenKey(registry.CURRENT_USER, path, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return Service{}, nil
	}
	if err != nil {
		return Service{}, err
	}
	defer k.Close()
	command, _, err := k.GetStringValue(runName)
	if err != nil {
		return Service{}, nil // there is none
	}
	return Service{Place: `HKEY_CURRENT_USER\` + path + `\` + runName, Program: firstWord(command), Enabled: true}, nil
}
