package userservice

import "strings"

// The per-user Run key: Windows' services belong to the machine, need an
// administrator, and run in a session that shows no windows.
const (
	runKey  = `Software\Microsoft\Windows\CurrentVersion\Run`
	runName = "Sidekick"
)

// runCommand is the command line that the Run key holds. --detach gives back
// the console window that Windows opens for it at once. The Run key has no
// place for an environment.
func runCommand(c Config) string {
	words := []string{`"` + c.Binary + `"`}
	if c.Home != "" {
		// A quote cannot be in a Windows path.
		words = append(words, "helper", "--home", `"`+c.Home+`"`, "--stay", "--detach")
	} else {
		words = append(append(words, arguments()...), "--detach")
	}
	return strings.Join(words, " ")
}
