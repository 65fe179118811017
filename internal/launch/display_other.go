//go:build !linux

package launch

// withDisplay has nothing to add: the system knows whose desktop it is.
func withDisplay(env []string) []string { return env }
