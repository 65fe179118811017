package helper

import (
	"crypto/sha256"
	"time"
)

const (
	// maxGuesses different wrong tokens may come at once, and one more each
	// guessEvery after that.
	maxGuesses = 20
	guessEvery = time.Second
	// A token that was wrong once is wrong for ever: an agent host that
	// restarts its agent with a revoked token again and again is not guessing,
	// and must not lock the others out.
	maxKnownWrong = 256
)

// guesses limits how many wrong tokens are tried. Its user locks.
type guesses struct {
	left  float64
	since time.Time
	wrong map[[sha256.Size]byte]bool
}

// allow reports whether token may be looked at now, and how long to wait if
// not.
func (g *guesses) allow(token string, now time.Time) (bool, time.Duration) {
	if g.wrong[sha256.Sum256([]byte(token))] {
		return true, 0
	}
	if g.since.IsZero() {
		g.left = maxGuesses
	} else {
		g.left = min(maxGuesses, g.left+float64(now.Sub(g.since))/float64(guessEvery))
	}
	g.since = now
	if g.left >= 1 {
		return true, 0
	}
	return false, time.Duration((1 - g.left) * float64(guessEvery))
}

// failed notes that token, which was allowed, is wrong.
func (g *guesses) failed(token string) {
	sum := sha256.Sum256([]byte(token))
	if g.wrong[sum] {
		return
	}
	g.left--
	if len(g.wrong) >= maxKnownWrong {
		clear(g.wrong)
	}
	if g.wrong == nil {
		g.wrong = make(map[[sha256.Size]byte]bool)
	}
	g.wrong[sum] = true
}
