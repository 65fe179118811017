package launch

// InUse reports whether a browser seems to run with a user data directory.
func InUse(userDataDir string) bool { return inUse(userDataDir) }
