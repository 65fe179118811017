package nativehost

import (
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// parent is the executable of the browser that started this process. Chrome
// starts native hosts through cmd.exe, so it is looked for further up. Its
// command line is not to be had by documented means.
func parent() (exe string, line []string) {
	pid := uint32(os.Getppid())
	for range 3 {
		exe, next, ok := image(pid)
		if !ok {
			return "", nil
		}
		if !strings.EqualFold(filepath.Base(exe), "cmd.exe") {
			return exe, nil
		}
		pid = next
	}
	return "", nil
}

// image is a process's executable and the id of its parent.
func image(pid uint32) (exe string, parent uint32, ok bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "", 0, false
	}
	defer windows.CloseHandle(h)
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(h, 0, &buf[0], &n); err != nil {
		return "", 0, false
	}
	return windows.UTF16ToString(buf[:n]), parentOf(pid), true
}

// parentOf is 0 if it is not known.
func parentOf(pid uint32) uint32 {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if entry.ProcessID == pid {
			return entry.ParentProcessID
		}
	}
	return 0
}
