package ipc

import (
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// lock is the held lock of the one helper.
type lock struct {
	f *flock.Flock
}

// tryLock takes the lock if nobody has it, else it returns nil.
func tryLock(path string) (*lock, error) {
	for {
		f := flock.New(path, flock.SetPermissions(0o600))
		ok, err := f.TryLock()
		if err != nil || !ok {
			f.Close()
			return nil, err
		}
		// The last holder removes the file as it leaves. If that happened
		// between our open and our lock, what we hold is a file without a
		// name: the next helper would make and lock another one.
		held, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		named, err := os.Stat(path)
		if err == nil && os.SameFile(held, named) {
			return &lock{f: f}, nil
		}
		f.Close()
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
}

// release removes the lock's file and gives the lock back.
func (l *lock) release() {
	if runtime.GOOS == "windows" {
		// An open file cannot be removed there, and one that another process
		// has opened meanwhile neither: there is no race to lose.
		l.f.Close()
		os.Remove(l.f.Path())
		return
	}
	// Somebody may have removed the file while it was held: what has its name
	// now is another helper's.
	held, err := l.f.Stat()
	named, nerr := os.Lstat(l.f.Path())
	if err == nil && nerr == nil && os.SameFile(held, named) {
		os.Remove(l.f.Path())
	}
	l.f.Close()
}
