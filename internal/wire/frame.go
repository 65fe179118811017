package wire

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits of a frame, in bytes of its JSON text.
const (
	// MaxToBrowser is the longest frame that Chrome takes from a native
	// messaging host; Chrome ends the port, and so every agent's, over it.
	//
	// See: https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host-protocol
	MaxToBrowser = 1 << 20
	// MaxFrame is the longest frame of every other hop: what Chrome sends to
	// a native messaging host at most, and what we send each other.
	MaxFrame = 64 << 20

	// partBytes is how much of a message one part carries: base64 makes four
	// bytes of three, and the rest of the frame is under a hundred.
	partBytes = 720 << 10
	// prefixBytes is how much of a frame over the limit is kept, so that the
	// one request in it can be answered.
	prefixBytes = 4 << 10
)

// TooLargeError says that a frame was over the limit. The reader has skipped
// it, so the connection goes on with the next frame.
type TooLargeError struct {
	Size, Limit int64
	// Prefix is the beginning of the frame's text.
	Prefix []byte
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes is over the limit of %d bytes", e.Size, e.Limit)
}

// ReadFrame reads one frame: its length as 32 bits in the machine's own byte
// order, then that many bytes of JSON (Chrome's native messaging protocol). It
// returns io.EOF at the end of the stream between frames,
// io.ErrUnexpectedEOF inside one, and a [*TooLargeError] for a frame over
// limit, which it reads to its end and drops.
func ReadFrame(r io.Reader, limit int64) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.NativeEndian.Uint32(head[:]))
	if size > limit {
		prefix := make([]byte, min(size, prefixBytes))
		if _, err := io.ReadFull(r, prefix); err != nil {
			return nil, unexpected(err)
		}
		if _, err := io.CopyN(io.Discard, r, size-int64(len(prefix))); err != nil {
			return nil, unexpected(err)
		}
		return nil, &TooLargeError{Size: size, Limit: limit, Prefix: prefix}
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, unexpected(err)
	}
	return b, nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// WriteFrame writes one frame with a single Write, so that writers who share
// w behind a lock never interleave. It returns a [*TooLargeError], with nothing
// written, for a frame over limit.
func WriteFrame(w io.Writer, b []byte, limit int64) error {
	if int64(len(b)) > limit {
		return &TooLargeError{Size: int64(len(b)), Limit: limit, Prefix: b[:min(len(b), prefixBytes)]}
	}
	buf := make([]byte, 4, 4+len(b))
	binary.NativeEndian.PutUint32(buf, uint32(len(b)))
	_, err := w.Write(append(buf, b...))
	return err
}

// Split cuts the JSON text of a message into frames that Chrome takes: the
// text itself if it fits, else [Part] messages with the given number.
func Split(b []byte, number int64) ([][]byte, error) {
	if len(b) <= MaxToBrowser {
		return [][]byte{b}, nil
	}
	total := (len(b) + partBytes - 1) / partBytes
	frames := make([][]byte, 0, total)
	for i := range total {
		piece := b[i*partBytes : min((i+1)*partBytes, len(b))]
		f, err := json.Marshal(Message{Part: &Part{
			Message: number, Index: i, Total: total,
			Data: base64.StdEncoding.EncodeToString(piece),
		}})
		if err != nil {
			return nil, err
		}
		frames = append(frames, f)
	}
	return frames, nil
}
