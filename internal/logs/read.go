package logs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Tail returns the last n lines of a log, of its older files too.
func Tail(file string, n int) ([]string, error) {
	files, err := Files(file)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // rotated away just now
		}
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(b) {
			lines = append(lines, string(bytes.TrimRight(line, "\r\n")))
		}
	}
	return lines[max(0, len(lines)-n):], nil
}

// lookEvery is how often a followed file is looked at: what another process
// appends gives no notice that is the same on every system.
const lookEvery = 100 * time.Millisecond

// Follow hands over the last n lines and then each new one until ctx is done,
// which is no error. It goes on when the file is rotated, cut short, or not
// there yet.
func Follow(ctx context.Context, file string, n int, line func(string) error) error {
	// Opened before the last lines are read, so that none falls in between.
	f, err := openIfThere(file)
	if err != nil {
		return err
	}
	defer func() {
		if f != nil {
			f.Close()
		}
	}()
	var at int64
	if f != nil {
		if at, err = lastLines(f, file, n, line); err != nil {
			return err
		}
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if f != nil {
			if at, err = newLines(f, at, line); err != nil {
				return err
			}
		}
		next, err := openIfThere(file)
		if err != nil {
			return err
		}
		switch {
		case next == nil:
		case f == nil || !same(f, next):
			// The old one was read to its end; nobody writes to it any more.
			if f != nil {
				if _, err := newLines(f, at, line); err != nil {
					next.Close()
					return err
				}
				f.Close()
			}
			f, at = next, 0
			continue
		default:
			next.Close()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// lastLines tells the last n lines before the end that the open file has now,
// and returns where that is.
func lastLines(f *os.File, file string, n int, line func(string) error) (int64, error) {
	b, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	// Half a line is told when it is whole.
	end := int64(bytes.LastIndexByte(b, '\n') + 1)
	lines := []string{}
	for l := range bytes.Lines(b[:end]) {
		lines = append(lines, string(bytes.TrimRight(l, "\r\n")))
	}
	if len(lines) < n {
		files, err := Files(file)
		if err != nil {
			return 0, err
		}
		var before []string
		for _, old := range files[:max(0, len(files)-1)] {
			text, err := os.ReadFile(old)
			if err != nil {
				continue // rotated away just now
			}
			for l := range bytes.Lines(text) {
				before = append(before, string(bytes.TrimRight(l, "\r\n")))
			}
		}
		lines = append(before, lines...)
	}
	for _, l := range lines[max(0, len(lines)-n):] {
		if err := line(l); err != nil {
			return 0, err
		}
	}
	return end, nil
}

// newLines tells the whole lines from a place on and returns the place after
// them.
func newLines(f *os.File, at int64, line func(string) error) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return at, err
	}
	if info.Size() < at {
		at = 0 // it was cut short and began anew
	}
	r := bufio.NewReader(io.NewSectionReader(f, at, info.Size()-at))
	for {
		l, err := r.ReadBytes('\n')
		if err != nil {
			return at, nil // half a line is read again when it is whole
		}
		at += int64(len(l))
		if err := line(string(bytes.TrimRight(l, "\r\n"))); err != nil {
			return at, err
		}
	}
}

// openIfThere returns nil for a file that is not there.
func openIfThere(file string) (*os.File, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

func same(a, b *os.File) bool {
	ai, err := a.Stat()
	if err != nil {
		return false
	}
	bi, err := b.Stat()
	return err == nil && os.SameFile(ai, bi)
}
