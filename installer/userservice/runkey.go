package userservice

import "strings"

// runCommand is the command line that the user's Run key holds. (Windows'
// services belong to the machine, need an administrator, and run in a session
// that shows no windows.) --detach gives back the console window that Windows
// opens for it at once. The Run key has no place for an environment.
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
