package pairing

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockWait bounds the wait for other processes that write the file. A
	// write takes milliseconds; whoever holds the lock longer is stuck.
	lockWait = 5 * time.Second
	// lockRetry is how often the lock is tried: no system says when a file
	// lock is free together with a way to stop waiting.
	lockRetry = 5 * time.Millisecond
	// touchEvery bounds how often the time of last use is written.
	touchEvery = time.Minute
	// maxRevoked bounds the tombstones, which each handshake reads; the
	// oldest go first, and their tokens are unknown from then on.
	maxRevoked = 100
)

// Store is the list of pairings in a file. Any number of processes may use the
// same file at once; a Store's methods may be called by any number of
// goroutines. It reads the file anew each time.
type Store struct {
	file string
	now  func() time.Time
	// lockReaders is set where a file that is being read cannot be replaced.
	lockReaders bool
}

// Open returns the store in a file, which need not be there yet. It does not
// touch the file.
func Open(file string) *Store {
	return &Store{
		file:        file,
		now:         func() time.Time { return time.Now().UTC().Truncate(time.Second) },
		lockReaders: runtime.GOOS == "windows",
	}
}

// File returns the name of the store's file.
func (s *Store) File() string { return s.file }

// List returns the live pairings, oldest first.
func (s *Store) List(ctx context.Context) ([]Pairing, error) {
	doc, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	live := []Pairing{}
	for i := range doc.Pairings {
		if doc.Pairings[i].live() {
			live = append(live, doc.Pairings[i].pairing())
		}
	}
	return live, nil
}

// Find returns the live pairing with a name, or else with an id. The error is
// [ErrNoPairing] when there is none.
func (s *Store) Find(ctx context.Context, nameOrID string) (Pairing, error) {
	doc, err := s.read(ctx)
	if err != nil {
		return Pairing{}, err
	}
	r, err := doc.find(nameOrID)
	if err != nil {
		return Pairing{}, err
	}
	return r.pairing(), nil
}

// Get returns the live pairing with an id, whatever others are called. The error
// is [ErrNoPairing] when there is none.
func (s *Store) Get(ctx context.Context, id string) (Pairing, error) {
	doc, err := s.read(ctx)
	if err != nil {
		return Pairing{}, err
	}
	r, err := doc.byID(id)
	if err != nil {
		return Pairing{}, err
	}
	return r.pairing(), nil
}

// Options say more about a new pairing. The zero value is one for the user's
// own browser, whichever profile has the extension.
type Options struct {
	Managed    bool
	NoEvaluate bool
	Place
}

// Add makes a pairing. Its token is returned here and never again.
func (s *Store) Add(ctx context.Context, name string, opts Options) (Pairing, Token, error) {
	name, err := CleanName(name)
	if err != nil {
		return Pairing{}, Token{}, err
	}
	token := NewToken()
	var made Pairing
	err = s.change(ctx, func(doc *document) error {
		if err := doc.checkName(name, ""); err != nil {
			return err
		}
		r := record{
			ID: doc.newID(), Name: name, Verifier: token.verifier(),
			CreatedAt: s.now(), Managed: opts.Managed, NoEvaluate: opts.NoEvaluate,
		}
		r.bind(opts.Place)
		doc.Pairings = append(doc.Pairings, r)
		made = r.pairing()
		return nil
	})
	if err != nil {
		return Pairing{}, Token{}, err
	}
	return made, token, nil
}

// Rename gives the pairing with a name or id another name.
func (s *Store) Rename(ctx context.Context, nameOrID, name string) (Pairing, error) {
	name, err := CleanName(name)
	if err != nil {
		return Pairing{}, err
	}
	return s.edit(ctx, (*document).find, nameOrID, func(doc *document, r *record) error {
		r.Name = name
		return doc.checkName(name, r.ID)
	})
}

// Revoke ends the right of the pairing with a name or id. The list keeps a
// tombstone, so that its token's error can say that it was revoked; the name
// is free again.
func (s *Store) Revoke(ctx context.Context, nameOrID string) (Pairing, error) {
	return s.edit(ctx, (*document).find, nameOrID, func(doc *document, r *record) error {
		r.RevokedAt = s.now()
		return nil
	})
}

// SetEvaluate says whether agents of the pairing with a name or id have the tool
// evaluate.
func (s *Store) SetEvaluate(ctx context.Context, nameOrID string, on bool) (Pairing, error) {
	return s.edit(ctx, (*document).find, nameOrID, func(_ *document, r *record) error {
		if r.NoEvaluate == !on {
			return errUnchanged
		}
		r.NoEvaluate = !on
		return nil
	})
}

// Bind sets the browser profile of the pairing with an id.
func (s *Store) Bind(ctx context.Context, id string, place Place) (Pairing, error) {
	return s.edit(ctx, (*document).byID, id, func(_ *document, r *record) error {
		if r.pairing().Place == place {
			return errUnchanged
		}
		r.bind(place)
		return nil
	})
}

// setInKeyring notes that the token of the pairing with an id is in the keyring.
func (s *Store) setInKeyring(ctx context.Context, id string) error {
	_, err := s.edit(ctx, (*document).byID, id, func(_ *document, r *record) error {
		r.InKeyring = true
		return nil
	})
	return err
}

// Touch notes that the pairing with an id was used now. A use within a minute
// of the one noted last is not written.
func (s *Store) Touch(ctx context.Context, id string) error {
	_, err := s.edit(ctx, (*document).byID, id, func(_ *document, r *record) error {
		if now := s.now(); now.Sub(r.LastUsedAt) >= touchEvery || now.Before(r.LastUsedAt) {
			r.LastUsedAt = now
			return nil
		}
		return errUnchanged
	})
	return err
}

// Authenticate returns the pairing that a token belongs to. The error is a
// [Fault] of one of its kinds, unless the list cannot be read.
func (s *Store) Authenticate(ctx context.Context, token string) (Pairing, error) {
	t, err := ParseToken(token)
	if err != nil {
		return Pairing{}, err
	}
	doc, err := s.read(ctx)
	if err != nil {
		return Pairing{}, err
	}
	want := []byte(t.verifier())
	found := -1
	// All of them, each in constant time: how long it takes says nothing of
	// which one was nearly right.
	for i := range doc.Pairings {
		if subtle.ConstantTimeCompare(want, []byte(doc.Pairings[i].Verifier)) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Pairing{}, ErrUnknown
	}
	if r := &doc.Pairings[found]; !r.live() {
		return Pairing{}, revokedFault(r)
	}
	return doc.Pairings[found].pairing(), nil
}

func revokedFault(r *record) *Fault {
	return ErrRevoked.because(fmt.Sprintf("SIDEKICK_TOKEN belongs to the pairing %q, which was revoked on %s: if this agent is to use the browser again, make a new token with \"sidekick-mcp pair --name NAME\".", r.Name, r.RevokedAt.Format(time.DateOnly)))
}

// errUnchanged ends an edit without a write.
var errUnchanged = errors.New("unchanged")

// edit changes the live pairing that look finds by its key.
func (s *Store) edit(ctx context.Context, look func(*document, string) (*record, error), key string, f func(*document, *record) error) (Pairing, error) {
	var edited Pairing
	err := s.change(ctx, func(doc *document) error {
		r, err := look(doc, key)
		if err != nil {
			return err
		}
		err = f(doc, r)
		edited = r.pairing()
		return err
	})
	if err != nil {
		return Pairing{}, err
	}
	return edited, nil
}

// change reads the list, lets f change it and writes it, while no other
// process does.
func (s *Store) change(ctx context.Context, f func(*document) error) error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return fmt.Errorf("the folder of the list of pairings cannot be made: %w", err)
	}
	unlock, err := s.lock(ctx, tryLock)
	if err != nil {
		return err
	}
	defer unlock()
	doc, err := readFile(s.file, whole)
	if err != nil {
		return err
	}
	if err := f(doc); err != nil {
		if errors.Is(err, errUnchanged) {
			return nil
		}
		return err
	}
	doc.bury()
	return writeFile(s.file, doc)
}

func (s *Store) read(ctx context.Context) (*document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.lockReaders {
		if _, err := os.Stat(s.file); errors.Is(err, fs.ErrNotExist) {
			return &document{}, nil
		}
		unlock, err := s.lock(ctx, tryRLock)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	return readFile(s.file, glance)
}

// The two ways to lock.
var (
	tryLock  = (*flock.Flock).TryLockContext
	tryRLock = (*flock.Flock).TryRLockContext
)

// lock locks a file beside the list, not the list, for that one is replaced.
func (s *Store) lock(ctx context.Context, try func(*flock.Flock, context.Context, time.Duration) (bool, error)) (unlock func(), err error) {
	l := flock.New(s.file + ".lock")
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := try(l, wait, lockRetry); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("another process has kept the list of pairings (%s) locked for %v: end the sidekick-mcp that hangs, and try again", l.Path(), lockWait)
		}
		return nil, fmt.Errorf("locking the list of pairings: %w", err)
	}
	return func() { l.Close() }, nil
}

// find returns the live pairing with a name, or else with an id.
func (d *document) find(nameOrID string) (*record, error) {
	name, err := CleanName(nameOrID)
	if err != nil {
		name = nameOrID
	}
	var revoked *record
	for i := range d.Pairings {
		switch r := &d.Pairings[i]; {
		case !sameName(r.Name, name):
		case r.live():
			return r, nil
		default:
			revoked = r
		}
	}
	r, err := d.byID(nameOrID)
	if err != nil && revoked != nil && !errors.Is(err, errRevokedPairing) {
		return nil, revokedProblem(revoked)
	}
	return r, err
}

// byID returns the live pairing with an id.
func (d *document) byID(id string) (*record, error) {
	for i := range d.Pairings {
		if r := &d.Pairings[i]; r.ID == id {
			if !r.live() {
				return nil, revokedProblem(r)
			}
			return r, nil
		}
	}
	return nil, &problem{ErrNoPairing, fmt.Sprintf("there is no pairing with the name or id %q: \"sidekick-mcp pairings\" lists them", id)}
}

func revokedProblem(r *record) error {
	return &problem{errRevokedPairing, fmt.Sprintf("the pairing %q was revoked on %s: make a new one with \"sidekick-mcp pair --name NAME\"", r.Name, r.RevokedAt.Format(time.DateOnly))}
}

// checkName refuses a name that a live pairing other than the one with the id
// self has, or that is the id of one.
func (d *document) checkName(name, self string) error {
	for i := range d.Pairings {
		r := &d.Pairings[i]
		if !r.live() || r.ID == self {
			continue
		}
		if sameName(r.Name, name) || r.ID == name {
			return &problem{ErrNameTaken, fmt.Sprintf("there is a pairing %q already: choose another name, or end that one with \"sidekick-mcp revoke %s\"", r.Name, r.ID)}
		}
	}
	return nil
}

// newID makes an id that is no pairing's, nor any pairing's name.
func (d *document) newID() string {
	for {
		var b [idDigits / 2]byte
		rand.Read(b[:])
		id := hex.EncodeToString(b[:])
		if !slices.ContainsFunc(d.Pairings, func(r record) bool { return r.ID == id || r.Name == id }) {
			return id
		}
	}
}

// bury drops the oldest tombstones over the limit.
func (d *document) bury() {
	var revoked []time.Time
	for i := range d.Pairings {
		if !d.Pairings[i].live() {
			revoked = append(revoked, d.Pairings[i].RevokedAt)
		}
	}
	if len(revoked) <= maxRevoked {
		return
	}
	slices.SortFunc(revoked, time.Time.Compare)
	extra := len(revoked) - maxRevoked
	limit := revoked[extra-1]
	d.Pairings = slices.DeleteFunc(d.Pairings, func(r record) bool {
		if r.live() || r.RevokedAt.After(limit) || extra == 0 {
			return false
		}
		extra--
		return true
	})
}
