package paths

import (
	"fmt"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/windows"
)

// userID tells users of one machine apart: the SID of the process's user, or
// the name when the token cannot be read.
var userID = sync.OnceValue(func() string {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return os.Getenv("USERNAME")
	}
	return u.User.Sid.String()
})

// checkOurs has little to do: folders under %LocalAppData% inherit an access
// list that names the user alone, and the pipe has one of its own.
func checkOurs(dir string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder: move it away, Sidekick needs its place", dir)
	}
	return nil
}

func closeToOthers(string, fs.FileInfo) error { return nil }
