package browsers

import "encoding/binary"

// maxUnsnapped bounds what a block may grow to; LevelDB's are of 4 KiB or a
// little more than their largest value.
const maxUnsnapped = 64 << 20

// unsnap decompresses a block in the raw format of snappy: the length, then
// literals and copies of what came before. A library for these 50 lines is not
// worth having.
//
// See: https://github.com/google/snappy/blob/main/format_description.txt
func unsnap(b []byte) ([]byte, bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > maxUnsnapped {
		return nil, false
	}
	b = b[n:]
	// Not made at once: the length may be made up.
	out := make([]byte, 0, min(size, uint64(8*len(b))))
	for len(b) > 0 {
		tag := b[0]
		b = b[1:]
		if tag&3 == 0 {
			length := int(tag >> 2)
			if extra := length - 59; extra > 0 { // 60 to 63: so many bytes of length
				if len(b) < extra {
					return nil, false
				}
				length = 0
				for i := range extra {
					length |= int(b[i]) << (8 * i)
				}
				b = b[extra:]
			}
			length++
			if length <= 0 || length > len(b) {
				return nil, false
			}
			out = append(out, b[:length]...)
			b = b[length:]
		} else {
			length, offset, used := copyOf(tag, b)
			if used == 0 || offset <= 0 || offset > len(out) {
				return nil, false
			}
			b = b[used:]
			// Byte by byte: a copy may overlap what it makes.
			for range length {
				out = append(out, out[len(out)-offset])
			}
		}
		if uint64(len(out)) > size {
			return nil, false
		}
	}
	return out, uint64(len(out)) == size
}

// copyOf reads a copy's length and how far back it begins; used is how many
// bytes after the tag say so, 0 if they are not there.
func copyOf(tag byte, b []byte) (length, offset, used int) {
	switch tag & 3 {
	case 1:
		if len(b) < 1 {
			return 0, 0, 0
		}
		return 4 + int(tag>>2)&7, int(tag>>5)<<8 | int(b[0]), 1
	case 2:
		if len(b) < 2 {
			return 0, 0, 0
		}
		return 1 + int(tag>>2), int(binary.LittleEndian.Uint16(b)), 2
	default:
		if len(b) < 4 {
			return 0, 0, 0
		}
		return 1 + int(tag>>2), int(int32(binary.LittleEndian.Uint32(b))), 4
	}
}
