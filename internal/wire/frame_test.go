package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// Whatever is written comes back, frame by frame, however the stream is cut;
// frames over the limit are skipped and told.
func TestFrames(t *testing.T) {
	const limit = 5000
	rapid.Check(t, func(rt *rapid.T) {
		frames := rapid.SliceOf(rapid.Custom(func(t *rapid.T) []byte {
			n := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(limit-2, limit+2), rapid.IntRange(0, 3*limit)).Draw(t, "size")
			return bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, n)
		})).Draw(rt, "frames")
		var stream bytes.Buffer
		for _, f := range frames {
			if err := WriteFrame(&stream, f, 10*limit); err != nil {
				rt.Fatal(err)
			}
		}
		var r io.Reader = &stream
		if rapid.Bool().Draw(rt, "byte by byte") {
			r = iotest.OneByteReader(r)
		}
		for i, want := range frames {
			got, err := ReadFrame(r, limit)
			var large *TooLargeError
			if len(want) > limit {
				if !errors.As(err, &large) || large.Size != int64(len(want)) || !bytes.HasPrefix(want, large.Prefix) || len(large.Prefix) == 0 {
					rt.Fatalf("frame %d of %d bytes: %v", i, len(want), err)
				}
				continue
			}
			if err != nil || !bytes.Equal(got, want) {
				rt.Fatalf("frame %d: %d bytes, %v, want %d bytes", i, len(got), err, len(want))
			}
		}
		if _, err := ReadFrame(r, limit); err != io.EOF {
			rt.Fatalf("at the end: %v, want io.EOF", err)
		}
	})
}

func TestBrokenStream(t *testing.T) {
	var whole bytes.Buffer
	if err := WriteFrame(&whole, []byte(`{"id":1}`), MaxFrame); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < whole.Len(); n++ {
		for _, limit := range []int64{MaxFrame, 3} {
			if _, err := ReadFrame(bytes.NewReader(whole.Bytes()[:n]), limit); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes of a frame: %v, want io.ErrUnexpectedEOF", n, err)
			}
		}
	}
}

func TestWriteOverTheLimit(t *testing.T) {
	var w bytes.Buffer
	var large *TooLargeError
	if err := WriteFrame(&w, []byte("123456"), 5); !errors.As(err, &large) || large.Size != 6 || large.Limit != 5 || w.Len() != 0 {
		t.Errorf("got %v with %d bytes written", err, w.Len())
	}
	m := &Message{ID: 1, Method: "x"}
	if err := m.Write(&w, 5); !errors.As(err, &large) || w.Len() != 0 || !bytes.HasPrefix(large.Prefix, []byte(`{"id":1`)) {
		t.Errorf("got %v with %d bytes written", err, w.Len())
	}
	if err := m.Write(&w, 100); err != nil || binary.NativeEndian.Uint32(w.Bytes()) != uint32(w.Len()-4) {
		t.Errorf("got %v, %q", err, w.Bytes())
	}
}

// join puts parts together as the extension does.
func join(t *testing.T, frames [][]byte) []byte {
	t.Helper()
	var whole []byte
	for i, f := range frames {
		if len(f) > MaxToBrowser {
			t.Fatalf("part %d has %d bytes, over Chrome's limit", i, len(f))
		}
		m, err := Decode(f)
		if err != nil || m.Part == nil {
			t.Fatalf("part %d is %+v, %v", i, m, err)
		}
		if p := m.Part; p.Message != 5 || p.Index != i || p.Total != len(frames) {
			t.Fatalf("part %d of %d is numbered %+v", i, len(frames), Part{p.Message, p.Index, p.Total, ""})
		}
		piece, err := base64.StdEncoding.DecodeString(m.Part.Data)
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, piece...)
	}
	return whole
}

func TestSplit(t *testing.T) {
	for _, size := range []int{0, 1, MaxToBrowser - 1, MaxToBrowser} {
		b := []byte(strings.Repeat("x", size))
		if frames, err := Split(b, 5); err != nil || len(frames) != 1 || !bytes.Equal(frames[0], b) {
			t.Errorf("%d bytes were cut into %d frames, %v", size, len(frames), err)
		}
	}
	for _, size := range []int{MaxToBrowser + 1, 2 * partBytes, 2*partBytes + 1, 5 << 20} {
		// Control characters and multi-byte text: what JSON's escapes and
		// cuts within a character could spoil.
		b := []byte(strings.Repeat("\x01🐸", size/5+1))[:size]
		frames, err := Split(b, 5)
		if err != nil {
			t.Fatal(err)
		}
		if got := join(t, frames); !bytes.Equal(got, b) {
			t.Errorf("%d bytes came back as %d", size, len(got))
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	var good bytes.Buffer
	WriteFrame(&good, []byte(`{"id":1}`), MaxFrame)
	f.Add(good.Bytes(), int64(100))
	f.Add(good.Bytes(), int64(3))
	f.Add([]byte{1, 2, 3}, int64(10))
	f.Fuzz(func(t *testing.T, b []byte, limit int64) {
		limit &= 1<<20 - 1
		r := bytes.NewReader(b)
		for {
			before := r.Len()
			got, err := ReadFrame(r, limit)
			var large *TooLargeError
			if err != nil && !errors.As(err, &large) {
				if err != io.EOF && err != io.ErrUnexpectedEOF {
					t.Fatalf("reading from memory failed with %v", err)
				}
				return
			}
			if used := before - r.Len(); err == nil && (used != 4+len(got) || int64(len(got)) > limit) {
				t.Fatalf("a frame of %d bytes used %d, the limit being %d", len(got), used, limit)
			}
		}
	})
}
