package doctor

import "github.com/frogbotai/sidekick-mcp/installer/userservice"

// runKey looks for the value that starts the helper at login.
func runKey() (Service, error) {
	command, err := userservice.RunValue()
	if err != nil || command == "" {
		return Service{}, err
	}
	return Service{Place: userservice.RunPlace, Program: firstWord(command), Enabled: true}, nil
}
