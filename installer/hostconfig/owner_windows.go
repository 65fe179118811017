package hostconfig

import "io/fs"

// checkOwner leaves it to Windows: a file that is replaced has the rights of its
// folder.
func checkOwner(string, fs.FileInfo) error { return nil }
