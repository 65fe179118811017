package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/windows"
)

func isProgram(info fs.FileInfo) bool { return info.Mode().IsRegular() }

// replaceBinary puts fresh in the place of to. A program that runs can be
// neither replaced nor removed, but renamed; what was renamed goes with the
// next copy that finds it ended.
func replaceBinary(fresh, to string) error {
	old, err := filepath.Glob(to + ".old-*")
	if err != nil {
		return err
	}
	for _, file := range old {
		os.Remove(file) // it may still run
	}
	err = os.Rename(fresh, to)
	if err == nil {
		return nil
	}
	aside := to + ".old-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if os.Rename(to, aside) != nil {
		return err
	}
	if err := os.Rename(fresh, to); err != nil {
		return errors.Join(err, os.Rename(aside, to))
	}
	return nil
}

// runsFrom reports whether an error of removing says that a program runs from
// there.
func runsFrom(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
