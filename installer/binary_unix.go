//go:build !windows

package installer

import (
	"io/fs"
	"os"
)

func isProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
}

func replaceBinary(fresh, to string) error { return os.Rename(fresh, to) }

// runsFrom is for Windows, where a program that runs cannot be removed.
func runsFrom(error) bool { return false }
