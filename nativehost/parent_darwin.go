package nativehost

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// parent is the executable and the command line of the process that started
// this one.
func parent() (exe string, line []string) {
	// A 32-bit number of arguments, the executable, zero bytes, then each
	// argument with a zero byte after it.
	b, err := unix.SysctlRaw("kern.procargs2", os.Getppid())
	if err != nil || len(b) < 4 {
		return "", nil
	}
	n := int(binary.NativeEndian.Uint32(b))
	path, rest, ok := bytes.Cut(b[4:], []byte{0})
	if !ok {
		return "", nil
	}
	fields := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if n < 0 || n > len(fields) {
		return string(path), nil
	}
	return string(path), fields[:n]
}
