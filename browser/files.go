package browser

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// localFile is a file of this computer that a page is to get.
type localFile struct {
	path string // whole, without symbolic links
	size int64
}

// maxFiles is how many files one call gives to a page.
const maxFiles = 100

// localFiles looks at the files of a call before anything is done with them:
// all must be there, be readable, and lie in one of dirs, unless that is empty.
func localFiles(paths, dirs []string) ([]localFile, error) {
	switch {
	case len(paths) == 0:
		return nil, errors.New("Name the files to upload, by their whole paths.")
	case len(paths) > maxFiles:
		return nil, fmt.Errorf("One call uploads %d files at most.", maxFiles)
	}
	var allowed []string
	for _, d := range dirs {
		if d == "" { // as in a list that ends with its separator
			continue
		}
		// A folder that is not there holds no file.
		if real, err := filepath.EvalSymlinks(d); err == nil {
			if real, err = filepath.Abs(real); err == nil {
				allowed = append(allowed, real)
			}
		}
	}
	files := make([]localFile, 0, len(paths))
	for _, p := range paths {
		f, err := look(p, func(real string) bool {
			if len(dirs) == 0 {
				return true
			}
			for _, d := range allowed {
				if rel, err := filepath.Rel(d, real); err == nil && filepath.IsLocal(rel) {
					return true
				}
			}
			return false
		})
		if errors.Is(err, errOutside) {
			return nil, fmt.Errorf("The file %s may not be uploaded: the user allows files in %s only.", clip(p, 200), strings.Join(dirs, ", "))
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

var errOutside = errors.New("outside")

// look looks at one file. Whether it may be used is asked of its real path
// before it is touched, so that nobody learns what there is elsewhere.
func look(p string, may func(real string) bool) (localFile, error) {
	bad := func(why string) (localFile, error) {
		return localFile{}, fmt.Errorf("The file %s cannot be uploaded: %s.", clip(p, 200), why)
	}
	if !filepath.IsAbs(p) {
		return bad("its path must be a whole one, such as " + filepath.Join(string(filepath.Separator)+"home", "me", "file.pdf"))
	}
	if strings.ContainsRune(p, 0) {
		return bad("its path has a NUL character in it")
	}
	real, err := filepath.EvalSymlinks(filepath.Clean(p))
	if err != nil {
		// What is not there is judged by where it would be.
		if !may(filepath.Clean(p)) {
			return localFile{}, errOutside
		}
		if errors.Is(err, fs.ErrNotExist) {
			return bad("it does not exist")
		}
		return bad(reason(err))
	}
	if !may(real) {
		return localFile{}, errOutside
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return bad(reason(err))
	case info.IsDir():
		return bad("it is a folder; name the files in it")
	case !info.Mode().IsRegular(): // reading some of them never ends
		return bad("it is not an ordinary file")
	}
	f, err := os.Open(real)
	if err != nil {
		return bad(reason(err))
	}
	f.Close()
	return localFile{real, info.Size()}, nil
}

// reason is what the system says, without the path that the sentence has.
func reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "it may not be read (permission denied)"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
