package doctor

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func readOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// ownedByUs has no answer in a file's mode here; the folder's access list is
// inherited from one that is the user's alone.
func ownedByUs(fs.FileInfo) bool { return true }

func ownerOf(fs.FileInfo) string { return "unknown" }

func space(dir string) (uint64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(p, &free, nil, nil)
	return free, err
}
