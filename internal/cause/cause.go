// Package cause holds what can be wrong between an agent and a page, one
// sentence each and what to do about it. It is a package of its own because the
// command that looks for causes (doctor) and the tool errors that agents are
// told must say the same, and neither may import the other.
package cause

import (
	"fmt"
	"strings"
)

// Cause is one thing that can be wrong. It is an error, so that a part that
// meets it can return it.
type Cause struct {
	// ID names it for programs and never changes.
	ID string
	// What says what is wrong, as a part of a sentence.
	What string
	// Mend says what to do, as a part of a sentence; commands are in quotes.
	Mend string
}

// Error returns the whole sentence.
func (c Cause) Error() string {
	if c.Mend == "" {
		return c.What
	}
	return c.What + ": " + c.Mend
}

// Is reports whether target is the same cause, whatever it is about.
func (c Cause) Is(target error) bool {
	t, ok := target.(Cause)
	return ok && t.ID == c.ID
}

// About fills in what the cause is about: each argument takes the place of one
// %s, in What and then in Mend.
func (c Cause) About(args ...any) Cause {
	n := strings.Count(c.What, "%s")
	c.What = fmt.Sprintf(c.What, args[:n]...)
	c.Mend = fmt.Sprintf(c.Mend, args[n:]...)
	return c
}
