package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// maxLine is the longest line that is taken, in bytes. It is the Go SDK's
	// own limit, far over what a call needs (a fill of 5 MB) and small enough
	// for a few to be in memory at once.
	maxLine = 16 << 20
	// keptBuffer is the largest line buffer that is kept for the next line.
	keptBuffer = 1 << 20
)

// longLineError says that a line was over the limit. The line has been read to
// its end, so reading goes on with the next one.
type longLineError struct {
	size int64
	id   []byte // JSON of the request's id, nil if there was none to be seen
}

func (e *longLineError) Error() string {
	return fmt.Sprintf("a line of %d bytes is over the limit of %d bytes", e.size, maxLine)
}

// lineReader cuts a stream into lines in bounded memory.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line without its end; it is valid until the next call.
// The error is io.EOF at the end of the stream, a *longLineError for a line
// that was skipped, or the stream's own.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for {
		chunk, err := l.r.ReadSlice('\n')
		if len(l.buf)+len(bytes.TrimRight(chunk, "\r\n")) > maxLine {
			return nil, l.skip(chunk, err)
		}
		l.buf = append(l.buf, chunk...)
		switch {
		case err == nil:
			return bytes.TrimRight(l.buf, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) > 0:
			// A last line with no end is a line: the next read says io.EOF.
			return l.buf, nil
		default:
			return nil, err
		}
	}
}

// skip reads on to the end of a line that is too long, looking only for the id
// of the request in it, so that whoever sent it gets an answer.
func (l *lineReader) skip(chunk []byte, err error) error {
	var f idFinder
	f.feed(l.buf)
	size := int64(len(l.buf))
	for {
		f.feed(chunk)
		size += int64(len(chunk))
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		chunk, err = l.r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return &longLineError{size: size, id: f.found()}
}

// idFinder finds the "id" of the outermost object in JSON text that comes in
// pieces, keeping nothing but that. Text that is not JSON finds nothing useful
// and does no harm.
type idFinder struct {
	depth             int
	inString, escaped bool
	afterColon        bool   // the outermost object is at a value, not at a key
	key, id           []byte // of the outermost object, as written
}

const (
	maxKeptKey = 8
	maxKeptID  = 256
)

func (f *idFinder) feed(b []byte) {
	for _, c := range b {
		if f.inString {
			f.keep(c)
			switch {
			case f.escaped:
				f.escaped = false
			case c == '\\':
				f.escaped = true
			case c == '"':
				f.inString = false
			}
			continue
		}
		switch c {
		case '{', '[':
			f.depth++
		case '}', ']':
			f.depth--
		case ':':
			if f.depth == 1 {
				f.afterColon = true
				continue
			}
		case ',':
			if f.depth == 1 {
				f.afterColon, f.key = false, f.key[:0]
				continue
			}
		case '"':
			f.inString = true
			f.keep(c)
		default:
			f.keep(c)
		}
	}
}

func (f *idFinder) keep(c byte) {
	switch {
	case f.depth != 1:
	case !f.afterColon:
		if len(f.key) <= maxKeptKey && c > ' ' {
			f.key = append(f.key, c)
		}
	case string(f.key) == `"id"` && len(f.id) <= maxKeptID:
		f.id = append(f.id, c)
	}
}

func (f *idFinder) found() []byte {
	id := bytes.TrimSpace(f.id)
	if len(id) > maxKeptID || !validID(id) {
		return nil
	}
	return id
}

// input reads lines in a goroutine of its own, because a read of a pipe or a
// terminal cannot be interrupted.
type input struct {
	r    io.Reader
	done chan struct{} // closed when nothing more will be read
}

// readLines calls handle with each line, or with the *longLineError of one,
// until handle returns false or the stream ends.
func readLines(r io.Reader, handle func(line []byte, err error) bool) *input {
	in := &input{r: r, done: make(chan struct{})}
	go func() {
		defer close(in.done)
		lines := newLineReader(r)
		for {
			line, err := lines.next()
			var long *longLineError
			if err != nil && !errors.As(err, &long) {
				return
			}
			if len(bytes.TrimSpace(line)) == 0 && err == nil {
				continue
			}
			if !handle(line, err) {
				return
			}
		}
	}()
	return in
}

// stop closes the stream if that can be done and waits for the goroutine. The
// wait is short: a blocking read of the process's own stdin does not notice
// the close, and then only the end of the process ends it.
func (in *input) stop() {
	if c, ok := in.r.(io.Closer); ok {
		_ = c.Close() // nothing is lost: nobody reads it any more
	}
	t := time.NewTimer(50 * time.Millisecond)
	defer t.Stop()
	select {
	case <-in.done:
	case <-t.C:
	}
}
