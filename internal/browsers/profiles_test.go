package browsers

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	extID = "kebocaojpdepmdeepcjdclbbefiipehc"
	profA = "0123456789abcdef0123456789abcdef"
	profB = "fedcba9876543210fedcba9876543210"
)

// putStorage writes a file of the extension's storage.
func putStorage(t *testing.T, profileDir, file string, data []byte, age time.Duration) {
	t.Helper()
	dir := filepath.Join(profileDir, "Local Extension Settings", extID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, file)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestFindProfiles(t *testing.T) {
	env := Env{GOOS: "linux", Home: filepath.ToSlash(t.TempDir())}
	chrome := path.Join(env.Home, ".config/google-chrome")
	opera := path.Join(env.Home, ".config/opera")
	putStorage(t, path.Join(chrome, "Default"), "000003.log", []byte(`..."other"`), time.Hour)
	putStorage(t, path.Join(chrome, "Profile 1"), "000003.log", logOf([]byte(`"`+profA+`"`)), time.Minute)
	putStorage(t, opera, "000005.ldb", tableOf(t, []byte(`"`+profB+`"`)), time.Second)
	if err := os.MkdirAll(path.Join(chrome, "Profile 2", "Local Extension Settings"), 0o700); err != nil {
		t.Fatal(err)
	}

	all, err := profilesWith(t.Context(), env, extID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range all {
		got = append(got, f.Browser.ID+":"+f.UserDataDir+":"+f.ProfileDir)
	}
	want := []string{"opera:" + opera + ":", "chrome:" + chrome + ":Profile 1", "chrome:" + chrome + ":Default"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for id, want := range map[string]string{profA: "Profile 1", profB: ""} {
		f, err := holding(t.Context(), all, id)
		if err != nil || f.ProfileDir != want {
			t.Errorf("%s: got %+v, %v; want the profile %q", id, f, err, want)
		}
	}
	if _, err := holding(t.Context(), all, strings.Repeat("00", 16)); !errors.Is(err, ErrNoProfile) {
		t.Errorf("an id that nobody has: got %v", err)
	}
	if _, err := holding(t.Context(), all, ""); err == nil {
		t.Error("an empty id was found")
	}
	one, err := ProfilesIn(t.Context(), chrome, extID)
	if err != nil || len(one) != 2 || one[0].ProfileDir != "Profile 1" {
		t.Errorf("ProfilesIn: got %+v, %v", one, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := holding(ctx, all, profA); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if _, err := profilesWith(t.Context(), env, "../../.ssh"); err == nil {
		t.Error("a path was taken for the id of an extension")
	}
}

// logOf makes a LevelDB log of one record, preceded by enough to have it cut by
// the end of a block.
func logOf(record []byte) []byte {
	var out []byte
	put := func(kind byte, data []byte) {
		out = append(out, 1, 2, 3, 4)
		out = binary.LittleEndian.AppendUint16(out, uint16(len(data)))
		out = append(append(out, kind), data...)
	}
	put(1, make([]byte, logBlock-2*logHeader-len(record)/2))
	put(2, record[:len(record)/2]) // the first part fills the block
	put(4, record[len(record)/2:])
	return out
}

func TestLogHolds(t *testing.T) {
	log := logOf([]byte(profA))
	if len(log) <= logBlock || strings.Contains(string(log), profA) {
		t.Fatal("the record is not cut")
	}
	if !logHolds(log, []byte(profA)) || logHolds(log, []byte(profB)) {
		t.Error("the cut record is not found, or another one is")
	}
	for n := range log {
		logHolds(log[n:], []byte(profB)) // must not panic
	}
}

// tableOf makes a LevelDB table with one compressed block that holds text, in
// such a way that it is not to be seen.
func tableOf(t *testing.T, text []byte) []byte {
	t.Helper()
	// The 4 bytes in its middle are a copy of those at the beginning.
	mid := len(text) / 2
	plain := append(append([]byte{}, text[mid:mid+4]...), text...)
	var snapped []byte
	snapped = binary.AppendUvarint(snapped, uint64(len(plain)))
	literal := func(b []byte) { snapped = append(append(snapped, byte(len(b)-1)<<2), b...) }
	literal(plain[:4+mid])
	snapped = append(snapped, 3<<2|2, byte(4+mid), 0)
	literal(plain[4+mid+4:])
	if got, ok := unsnap(snapped); !ok || string(got) != string(plain) {
		t.Fatalf("got %q, %v; want %q", got, ok, plain)
	}

	var file []byte
	block := func(kind byte, b []byte) (h []byte) {
		h = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(file))), uint64(len(b)))
		file = append(append(append(file, b...), kind), 0, 0, 0, 0)
		return h
	}
	first := block(0, []byte("first block"))
	data := block(snappyBlock, snapped)
	var index []byte
	for _, h := range [][]byte{first, data} {
		index = append(index, 0, 3, byte(len(h)))
		index = append(append(index, "key"...), h...)
	}
	index = binary.LittleEndian.AppendUint32(index, 0)
	index = binary.LittleEndian.AppendUint32(index, 1)
	footer := append(block(0, nil), block(0, index)...)
	return append(file, append(footer, make([]byte, tableFooter-len(footer))...)...)
}

func TestTableHolds(t *testing.T) {
	table := tableOf(t, []byte(profA+profA[5:]))
	if strings.Contains(string(table), profA) {
		t.Fatal("the text is to be seen")
	}
	if !tableHolds(table, []byte(profA)) || tableHolds(table, []byte(profB)) {
		t.Error("the compressed text is not found, or another one is")
	}
}

// Files are read while the browser writes them: any bytes may come.
func TestStorageOfAnyBytes(t *testing.T) {
	good := tableOf(t, []byte(profA))
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		tableHolds(b, []byte(profB))
		logHolds(b, []byte(profB))
		unsnap(b)
		changed := append([]byte{}, good...)
		at := rapid.IntRange(0, len(changed)-1).Draw(t, "at")
		changed[at] = rapid.Byte().Draw(t, "byte")
		tableHolds(changed, []byte(profB))
		tableHolds(changed[at:], []byte(profB))
	})
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if out, ok := unsnap(b); ok && len(out) > maxUnsnapped {
			t.Fatalf("%d bytes", len(out))
		}
		if tableHolds(b, []byte(profB)) && !strings.Contains(string(b), profB[:4]) {
			t.Fatal("found what is not there")
		}
	})
}
