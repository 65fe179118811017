package browsers

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
)

// An extension's storage is a LevelDB database: logs of the latest writes, and
// tables that older ones are moved to. We only ask whether a text is in one of
// them. The browser may be writing meanwhile, so nothing is locked, and what
// does not read well is passed over.
//
// See: https://github.com/google/leveldb/blob/main/doc/log_format.md
// and https://github.com/google/leveldb/blob/main/doc/table_format.md

// maxStorageFile bounds the files that are read, in bytes: the extension keeps
// a few kilobytes.
const maxStorageFile = 64 << 20

// storageHolds reports whether text is in a value of the database in dir.
func storageHolds(ctx context.Context, dir string, text []byte) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, nil
	}
	// The newest first: they have the highest numbers.
	slices.Reverse(entries)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var holds func(file, text []byte) bool
		switch filepath.Ext(e.Name()) {
		case ".log":
			holds = logHolds
		case ".ldb", ".sst":
			holds = tableHolds
		default:
			continue
		}
		if info, err := e.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxStorageFile {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && holds(b, text) {
			return true, nil
		}
	}
	return false, nil
}

// Of a log: blocks of 32 KiB, in them records with a header of 7 bytes
// (checksum, length, type). A write may be cut into several records.
const (
	logBlock  = 32 << 10
	logHeader = 7
)

// logHolds looks in the file and then in what the records hold, for the text
// may be cut by a header.
func logHolds(file, text []byte) bool {
	if bytes.Contains(file, text) {
		return true
	}
	var joined []byte
	for len(file) > 0 {
		block := file[:min(len(file), logBlock)]
		file = file[len(block):]
		for len(block) >= logHeader {
			n := int(binary.LittleEndian.Uint16(block[4:]))
			block = block[logHeader:]
			if n > len(block) {
				break
			}
			joined = append(joined, block[:n]...)
			block = block[n:]
		}
	}
	return bytes.Contains(joined, text)
}

// Of a table: its footer is 48 bytes, and each block is followed by 5 (the
// kind of compression, a checksum).
const (
	tableFooter  = 48
	blockTrailer = 5
	snappyBlock  = 1
)

// tableHolds looks in the file and then in each block of data, for they are
// usually compressed.
func tableHolds(file, text []byte) bool {
	if bytes.Contains(file, text) {
		return true
	}
	if len(file) < tableFooter {
		return false
	}
	footer := file[len(file)-tableFooter:]
	if _, footer = readHandle(footer); footer == nil { // of the index of filters
		return false
	}
	at, _ := readHandle(footer)
	index, ok := readBlock(file, at)
	if !ok {
		return false
	}
	for _, h := range indexEntries(index) {
		if data, ok := readBlock(file, h); ok && bytes.Contains(data, text) {
			return true
		}
	}
	return false
}

// handle is the place of a block in a file.
type handle struct{ offset, size uint64 }

// readHandle reads a handle and returns what follows it, nil if there was none.
func readHandle(b []byte) (handle, []byte) {
	offset, n := binary.Uvarint(b)
	if n <= 0 {
		return handle{}, nil
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return handle{}, nil
	}
	return handle{offset, size}, b[n+m:]
}

func readBlock(file []byte, h handle) ([]byte, bool) {
	n := uint64(len(file))
	if h.offset > n || h.size > n || h.offset+h.size+blockTrailer > n {
		return nil, false
	}
	raw := file[h.offset : h.offset+h.size]
	switch file[h.offset+h.size] {
	case 0:
		return raw, true
	case snappyBlock:
		return unsnap(raw)
	}
	return nil, false
}

// indexEntries reads the handles out of an index block: entries of a shared
// length, an own length, a value's length, the own part of the key, the value;
// then the places of restarts and their number.
func indexEntries(b []byte) []handle {
	if len(b) < 4 {
		return nil
	}
	restarts := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	if 4*(restarts+1) > uint64(len(b)) {
		return nil
	}
	b = b[:uint64(len(b))-4*(restarts+1)]
	var handles []handle
	for len(b) > 0 {
		var lengths [3]uint64
		for i := range lengths {
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return handles
			}
			lengths[i], b = v, b[n:]
		}
		own, value, left := lengths[1], lengths[2], uint64(len(b))
		if own > left || value > left-own {
			return handles
		}
		if h, rest := readHandle(b[own : own+value]); rest != nil {
			handles = append(handles, h)
		}
		b = b[own+value:]
	}
	return handles
}
