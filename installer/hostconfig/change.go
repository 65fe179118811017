package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"

	"github.com/rogpeppe/go-internal/diff"
)

// Action is what a change does to a host's list of servers.
type Action string

const (
	Added     Action = "added"
	Updated   Action = "updated"
	Removed   Action = "removed"
	Unchanged Action = "unchanged"
)

// Change is what is to be done to a file.
type Change struct {
	File   string // as the host knows it
	Target string // the file itself, where File is a link
	Action Action
	// Backup is the file's backup once the change is made, "" if there is none.
	Backup string
	// Exposed says that others of this computer may read the file that then
	// holds a token.
	Exposed bool
	// Off says that the entry is there, but switched off.
	Off bool

	file       *File
	text       []byte // what the file is to hold
	delete     bool   // it is to go
	keep, drop bool   // the backup is to be written, to go
}

// KeptToken is what the entry of a name in a host's file sets SIDEKICK_TOKEN to;
// "" without one.
func KeptToken(h Host, f *File, name string) string {
	s, _ := h.server(f.text, name)
	return s.Token
}

// refuse says of a file why it is not touched.
func (f *File) refuse(err error) error {
	return fmt.Errorf("%s was left as it is: %w", f.Name, err)
}

// Add plans to put a server into a host's file. It changes nothing; see
// [Change.Apply]. A file that cannot be read as the host reads it, or is not the
// user's to write, is an error.
func Add(h Host, f *File, s Server) (Change, error) {
	c := Change{File: f.Name, Target: f.target, file: f, Action: Added}
	if err := h.Parse(f.text); err != nil {
		return c, f.refuse(err)
	}
	text, err := h.set(f.text, s)
	if err != nil {
		return c, f.refuse(err)
	}
	c.text = text
	had, err := h.has(f.text, s.Name)
	if err != nil {
		return c, f.refuse(err)
	}
	old, err := f.readBackup()
	if err != nil {
		return c, err
	}
	switch {
	case f.exists && bytes.Equal(text, f.text):
		c.Action = Unchanged
	case had:
		c.Action = Updated
		// The backup is of the file without us, if there ever was one.
		c.keep = old == nil
	default:
		// As above, where there is another of our entries already.
		c.keep = f.exists && (old == nil || len(h.sidekicks(f.text)) == 0)
	}
	if c.keep || old != nil {
		c.Backup = f.backup()
	}
	if c.Off, err = h.off(text, s.Name); err != nil {
		return c, f.refuse(err)
	}
	c.Exposed = f.exists && readableByOthers(f.mode) && !s.Shared && isToken().MatchString(s.Token)
	if c.Action == Unchanged {
		return c, nil
	}
	return c, f.checkOurs()
}

// Remove plans to take a server out of a host's file. A file that is just what
// came of adding the server gets its old text back, byte for byte; one that was
// not there before goes.
func Remove(h Host, f *File, name string) (Change, error) {
	c := Change{File: f.Name, Target: f.target, file: f, Action: Unchanged}
	if err := h.Parse(f.text); err != nil {
		return c, f.refuse(err)
	}
	text, had, err := h.remove(f.text, name)
	if err != nil {
		return c, f.refuse(err)
	}
	if !had {
		return c, nil
	}
	c.Action, c.text = Removed, text
	old, err := f.readBackup()
	if err != nil {
		return c, err
	}
	switch {
	case !h.before(f.text, old, name):
		if old != nil {
			c.Backup = f.backup()
		}
	case old == nil:
		c.delete = true
	default:
		c.text, c.drop = old, true
	}
	return c, f.checkOurs()
}

// has reports whether there is an entry of a name.
func (h Host) has(text []byte, name string) (bool, error) {
	doc, err := h.read(text)
	return at(doc, h.serverPath(doc, name)...) != nil, err
}

// off reports whether the entry of a name says that it is not to be used, in one
// of the ways that hosts have for it.
func (h Host) off(text []byte, name string) (bool, error) {
	doc, err := h.read(text)
	entry := at(doc, h.serverPath(doc, name)...)
	return at(entry, "disabled") == true || at(entry, "enabled") == false, err
}

// Deletes reports whether the file goes: it held nothing but our entry.
func (c Change) Deletes() bool { return c.delete }

// Apply makes the change. A file that another program has changed meanwhile is
// an error, and is left alone.
func (c Change) Apply() error {
	if c.Action == Unchanged {
		return nil
	}
	if err := c.file.unchanged(); err != nil {
		return err
	}
	if c.keep {
		if err := c.file.keepBackup(); err != nil {
			return err
		}
	}
	if c.delete {
		if err := os.Remove(c.file.target); err != nil {
			return fmt.Errorf("%s cannot be removed: %w", c.file.target, err)
		}
		return nil
	}
	if err := c.file.write(c.text); err != nil {
		return err
	}
	if c.drop {
		if err := os.Remove(c.file.backup()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the backup cannot be removed: %w", err)
		}
	}
	return nil
}

// isToken finds our tokens. It is compiled when it is used: the roles that other
// programs start never do.
var isToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`skt_[0-9A-Za-z]{20,}`) })

// Diff shows what the change does to the text, as diff -u does. Our tokens are
// left out.
func (c Change) Diff() string {
	if c.Action == Unchanged {
		return ""
	}
	text := c.text
	if c.delete {
		text = nil
	}
	return string(diff.Diff(c.File, hideTokens(c.file.text), c.File, hideTokens(text)))
}

func hideTokens(text []byte) []byte { return isToken().ReplaceAll(text, []byte("skt_…")) }
