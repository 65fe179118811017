package cache

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func newStore(t *testing.T) (*Store, string) {
	dir := filepath.Join(t.TempDir(), "cache")
	return New(func(id string) string { return filepath.Join(dir, id+".json") }), dir
}

func entry() Entry {
	return Entry{
		Version: "1.2.3", Pairing: "FrogBot 🐸", Instructions: "Do \"this\".\n",
		Tools:    json.RawMessage(`[{"name":"click","inputSchema":{"type":"object"}}]`),
		LearntAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
}

func TestSaveAndLoad(t *testing.T) {
	s, dir := newStore(t)
	if _, ok := s.Load("p1", "1.2.3"); ok {
		t.Error("loaded what was never saved")
	}
	want := entry()
	if err := s.Save("p1", want); err != nil {
		t.Fatal(err)
	}
	got, ok := s.Load("p1", "1.2.3")
	if !ok || !got.Same(want) || !got.LearntAt.Equal(want.LearntAt) {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := s.Load("p2", "1.2.3"); ok {
		t.Error("another pairing has it too")
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Join(dir, "p1.json")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file: %v, %v", info.Mode(), err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", info.Mode(), err)
		}
	}

	want.Instructions = "Other."
	if want.Same(got) {
		t.Error("entries that differ are the same")
	}
	if err := s.Save("p1", want); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Load("p1", "1.2.3"); !ok || !got.Same(want) {
		t.Errorf("after saving again: %+v, %v", got, ok)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v", files, err)
	}

	if err := s.Remove("p1"); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Load("p1", "1.2.3"); ok {
		t.Error("loaded what was removed")
	}
	if err := s.Remove("p1"); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

func TestModeIsPutRight(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has no such modes
	}
	s, dir := newStore(t)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p1.json")
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("p1", entry()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestUnusableFilesAreNotThere(t *testing.T) {
	s, dir := newStore(t)
	if err := s.Save("p1", entry()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p1.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Load("p1", "1.2.4"); ok {
		t.Error("loaded by another version of the program")
	}
	for name, text := range map[string][]byte{
		"empty":         {},
		"cut":           good[:len(good)/2],
		"no JSON":       []byte("hello"),
		"not an object": []byte("[]"),
		"null":          []byte("null"),
		"older format":  bytes.Replace(good, []byte(`"format":1`), []byte(`"format":0`), 1),
		"newer format":  bytes.Replace(good, []byte(`"format":1`), []byte(`"format":2`), 1),
		"no format":     bytes.Replace(good, []byte(`"format":1,`), nil, 1),
		"no tools":      bytes.Replace(good, []byte(`[{"name":"click","inputSchema":{"type":"object"}}]`), []byte(`[]`), 1),
		"null tools":    bytes.Replace(good, []byte(`[{"name":"click","inputSchema":{"type":"object"}}]`), []byte(`null`), 1),
		"nameless tool": bytes.Replace(good, []byte(`"click"`), []byte(`""`), 1),
		"wrong types":   bytes.Replace(good, []byte(`"Do \"this\".\n"`), []byte(`7`), 1),
		"huge":          append(bytes.TrimSuffix(good, []byte("}")), []byte(`,"x":"`+strings.Repeat("x", maxBytes)+`"}`)...),
		"trailing":      append(append([]byte(nil), good...), good...),
	} {
		if bytes.Equal(text, good) {
			t.Errorf("%s: the file was not changed", name)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if e, ok := s.Load("p1", "1.2.3"); ok {
			t.Errorf("%s: loaded %+v", name, e)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Load("p1", "1.2.3"); ok {
		t.Error("loaded a folder")
	}
}

func TestUnusableEntriesAreNotSaved(t *testing.T) {
	s, dir := newStore(t)
	broken := entry()
	broken.Tools = json.RawMessage(`[{`)
	big := entry()
	big.Instructions = strings.Repeat("x", maxBytes)
	for name, e := range map[string]Entry{"broken tools": broken, "no tools": {Version: "1"}, "too big": big} {
		if err := s.Save("p1", e); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
	for _, id := range []string{"", "..", ".hidden", "a/b", `a\b`, "a\x00b", "a b", strings.Repeat("a", 129)} {
		if err := s.Save(id, entry()); err == nil {
			t.Errorf("saved under the id %q", id)
		}
		if _, ok := s.Load(id, "1.2.3"); ok {
			t.Errorf("loaded the id %q", id)
		}
		if err := s.Remove(id); err != nil {
			t.Errorf("removing the id %q: %v", id, err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// Processes of one pairing start, read and write at the same time.
func TestReadersSeeWholeFilesOnly(t *testing.T) {
	s, _ := newStore(t)
	if err := s.Save("p1", entry()); err != nil {
		t.Fatal(err)
	}
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				// Windows may refuse to open a file that is being replaced.
				if _, ok := s.Load("p1", "1.2.3"); !ok && runtime.GOOS != "windows" {
					t.Error("a reader found no whole file")
					return
				}
			}
		})
	}
	for w := range 3 {
		writers.Go(func() {
			for range 20 {
				e := entry()
				e.Instructions = strings.Repeat("x", 1000*(w+1))
				if err := s.Save("p1", e); err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

func FuzzLoad(f *testing.F) {
	b, err := json.Marshal(file{Format: format, Entry: entry()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format":1,"version":"1.2.3","tools":[{"name":"a"},null]}`))
	f.Add([]byte(`{"format":1.0,"tools":{"name":1}}`))
	dir := f.TempDir()
	s := New(func(id string) string { return filepath.Join(dir, id+".json") })
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "p.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		e, ok := s.Load("p", "1.2.3")
		if !ok {
			return
		}
		if e.Version != "1.2.3" || !json.Valid(e.Tools) {
			t.Fatalf("loaded %+v", e)
		}
		// What was loaded can be saved and is the same then.
		if err := s.Save("q", e); err != nil {
			return // over the limit once it is escaped
		}
		again, ok := s.Load("q", "1.2.3")
		var a, b bytes.Buffer
		if json.Compact(&a, e.Tools) != nil || json.Compact(&b, again.Tools) != nil {
			t.Fatal("tools that are not JSON")
		}
		if !ok || a.String() != b.String() || again.Instructions != e.Instructions {
			t.Fatalf("saved %+v, loaded %+v, %v", e, again, ok)
		}
	})
}
