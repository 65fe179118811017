package hostconfig

import "io/fs"

// checkOwner leaves it to Windows: a file that is replaced has the rights of its
// folder.
func checkOwner(string, fs.FileInfo) error { return nil }

// readableByOthers is never so in a user's own folders.
func readableByOthers(fs.FileMode) bool { return false }
