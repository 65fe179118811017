package logs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// All logs together are to stay within 10 MB: the helper's two files of 4 MB,
// what a browser that it started prints, and what launchd keeps of a helper that
// it started, of half a MB each.
const (
	fileMB     = 4
	oldFiles   = 1
	outputMax  = 1 << 19
	outputLook = 30 * time.Second
)

// Open opens the helper's log for writing. It is rotated as it grows.
func Open(file string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	return &lumberjack.Logger{Filename: file, MaxSize: fileMB, MaxBackups: oldFiles}, nil
}

// Bound keeps a file small that another process appends to and knows of no
// rotation, until ctx is done: when it is too large it begins anew.
func Bound(ctx context.Context, file string) {
	ticker := time.NewTicker(outputLook)
	defer ticker.Stop()
	for {
		// An error means that it cannot be helped now; the next look may.
		_ = Cut(file)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Cut begins such a file anew if it is too large. It need not be there.
func Cut(file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() <= outputMax {
		return err
	}
	return os.Truncate(file, 0)
}

// Files are a log's files, the oldest first, the one that is written to last.
func Files(file string) ([]string, error) {
	ext := filepath.Ext(file)
	// lumberjack puts a time before the extension, which sorts as it should.
	old, err := filepath.Glob(file[:len(file)-len(ext)] + "-*" + ext)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return old, nil
		}
		return nil, err
	}
	return append(old, file), nil
}
