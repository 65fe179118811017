// Package pairing keeps what an agent is allowed in with: tokens, the list of
// pairings that they belong to, and the secrets of the system's keyring.
//
// A pairing is one agent host's right to use a browser. Its token is shown
// once, when it is made; what is kept is a verifier, so that a handshake never
// waits for a keyring and the file gives no access away.
package pairing

import (
	"errors"
	"fmt"
	"time"
)

// Pairing is one agent host that may use the browser. Its JSON form is what
// programs are shown, and has no verifier.
type Pairing struct {
	// ID is 8 hexadecimal digits; it never changes.
	ID string `json:"id"`
	// Name is the user's name for it, and the first part of the title of its
	// agents' tab groups.
	Name string `json:"name"`
	// Verifier is the SHA-256 of the token's text, in hexadecimal.
	Verifier string `json:"-"`

	CreatedAt time.Time `json:"created_at"`
	// LastUsedAt is when an agent last connected, within a minute; zero for
	// never.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	// RevokedAt is zero for a live pairing.
	RevokedAt time.Time `json:"revoked_at,omitzero"`

	// Managed pairings use the browser that Sidekick starts and keeps.
	Managed bool `json:"managed"`
	// InKeyring says that the token was put into the system's keyring.
	InKeyring bool `json:"in_keyring,omitempty"`
	// NoEvaluate says that the user switched the tool evaluate off for its
	// agents.
	NoEvaluate bool `json:"no_evaluate"`
	Place
}

// Place is the browser profile that a pairing is bound to. All of it is empty
// until that is known; only Profile is sure to be known after that.
type Place struct {
	// Profile is the id that the extension gave its browser profile.
	Profile string `json:"profile,omitempty"`
	// Browser is the browser's executable.
	Browser string `json:"browser,omitempty"`
	// UserDataDir is the folder of the browser's profiles, ProfileDir the
	// profile's folder in it ("Default", "Profile 1").
	UserDataDir string `json:"user_data_dir,omitempty"`
	ProfileDir  string `json:"profile_dir,omitempty"`
}

// Live reports whether the pairing was not revoked.
func (p Pairing) Live() bool { return p.RevokedAt.IsZero() }

// Kinds of error, to be asked for with errors.Is. The errors that the methods
// return say more than these do.
var (
	// ErrBadName says that a name cannot be a pairing's.
	ErrBadName = errors.New("the name cannot be used")
	// ErrNameTaken says that another live pairing has that name.
	ErrNameTaken = errors.New("the name is taken")
	// ErrNoPairing says that no live pairing has that name or id.
	ErrNoPairing = errors.New("no such pairing")
	// ErrCorrupt says that the file cannot be read as a list of pairings.
	// Nothing overwrites such a file.
	ErrCorrupt = errors.New("the list of pairings is damaged")
	// ErrNewer says that a newer version of Sidekick wrote the file.
	ErrNewer = errors.New("the list of pairings is of a newer version")
)

// errRevokedPairing is the ErrNoPairing of a pairing that there was.
var errRevokedPairing = fmt.Errorf("%w: it was revoked", ErrNoPairing)

// problem is an error of a kind with a sentence of its own.
type problem struct {
	kind error
	text string
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.kind }
