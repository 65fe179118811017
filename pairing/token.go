package pairing

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/big"
	"strings"
)

// A token's text is "skt_", 256 random bits as 43 digits of base 62, and the
// CRC-32 of all that as 6 more. The prefix lets secret scanners know it, the
// checksum tells a slip of the finger from a token that nobody ever made: a
// CRC finds every change of one character and every swap of two neighbours,
// for it finds any error that is not longer than its 32 bits.
const (
	tokenPrefix  = "skt_"
	secretDigits = 43
	sumDigits    = 6
	tokenLen     = len(tokenPrefix) + secretDigits + sumDigits
)

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Token is the bearer secret of one pairing. It does not print: only
// [Token.Reveal] gives its text away.
type Token struct{ text string }

// NewToken makes a token from 256 random bits.
func NewToken() Token {
	var b [32]byte
	rand.Read(b[:]) // never fails, says its documentation
	return tokenOf(b)
}

func tokenOf(b [32]byte) Token {
	body := tokenPrefix + base62(new(big.Int).SetBytes(b[:]), secretDigits)
	return Token{body + checksum(body)}
}

// ParseToken checks the form of a token, whether anybody made it or not. White
// space around it is let pass. The error is one of [ErrMissing],
// [ErrMalformed] and [ErrMistyped].
func ParseToken(s string) (Token, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Token{}, ErrMissing
	}
	if !strings.HasPrefix(s, tokenPrefix) {
		return Token{}, ErrMalformed
	}
	for _, r := range s[len(tokenPrefix):] {
		if r > 'z' || !strings.ContainsRune(digits, r) {
			return Token{}, ErrMalformed.because("SIDEKICK_TOKEN has a character in it that no token has: copy the token again, without quotes or spaces, or make a new one with \"sidekick-mcp pair --name NAME\".")
		}
	}
	if len(s) != tokenLen {
		return Token{}, ErrMalformed.because(fmt.Sprintf("SIDEKICK_TOKEN has %d characters, and a token has %d: a part may have been lost, so copy the whole token again, or make a new one with \"sidekick-mcp pair --name NAME\".", len(s), tokenLen))
	}
	body, sum := s[:tokenLen-sumDigits], s[tokenLen-sumDigits:]
	if checksum(body) != sum {
		return Token{}, ErrMistyped
	}
	return Token{s}, nil
}

// Reveal returns the token's text, to be shown to its owner once.
func (t Token) Reveal() string { return t.text }

// verifier is what is kept of a token. A plain hash will do: there is nothing
// to guess in 256 random bits.
func (t Token) verifier() string {
	sum := sha256.Sum256([]byte(t.text))
	return hex.EncodeToString(sum[:])
}

const hidden = tokenPrefix + "(hidden)"

// String hides the token from fmt.
func (t Token) String() string { return hidden }

// GoString hides the token from fmt's %#v.
func (t Token) GoString() string { return "pairing.Token(" + hidden + ")" }

// Format hides the token from every verb: %x and the like would otherwise
// print the field.
func (t Token) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('#') {
		fmt.Fprint(f, t.GoString())
		return
	}
	fmt.Fprint(f, hidden)
}

// LogValue hides the token from slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the token from encoding/json and its like.
func (t Token) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON hides the token from encoding/json.
func (t Token) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return base62(new(big.Int).SetUint64(uint64(sum)), sumDigits)
}

// base62 writes n in width digits, leading zeros included.
func base62(n *big.Int, width int) string {
	out := make([]byte, width)
	base, rem := big.NewInt(int64(len(digits))), new(big.Int)
	n = new(big.Int).Set(n)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, base, rem)
		out[i] = digits[rem.Int64()]
	}
	return string(out)
}
