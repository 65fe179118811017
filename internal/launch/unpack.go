package launch

import "io/fs"

// Unpack puts the extension's files into dir, as the managed browser and the
// user's own load them, and reports whether something was not so already. A
// browser that reads dir at the same time sees the old files or the new.
func Unpack(fsys fs.FS, dir string) (changed bool, err error) {
	right, err := Unpacked(fsys, dir)
	if err != nil || right {
		return false, err
	}
	return true, extract(fsys, dir)
}

// Unpacked reports whether dir holds the extension's files as [Unpack] writes
// them.
func Unpacked(fsys fs.FS, dir string) (bool, error) {
	_, want, err := wanted(fsys)
	if err != nil {
		return false, err
	}
	return unpacked(dir, want), nil
}
