package pairing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyToken draws a token of any 256 bits.
func anyToken(t *rapid.T) Token {
	var b [32]byte
	copy(b[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bits"))
	return tokenOf(b)
}

func TestTokenForm(t *testing.T) {
	form := regexp.MustCompile(`^skt_[0-9A-Za-z]{49}$`)
	rapid.Check(t, func(t *rapid.T) {
		tok := anyToken(t)
		if !form.MatchString(tok.Reveal()) {
			t.Fatalf("%q has another form than %v", tok.Reveal(), form)
		}
		got, err := ParseToken(" " + tok.Reveal() + "\n")
		if err != nil || got != tok {
			t.Fatalf("got %v, want the token back", err)
		}
	})
	var zero, ones [32]byte
	for i := range ones {
		ones[i] = 0xff
	}
	for _, b := range [][32]byte{zero, ones} {
		if _, err := ParseToken(tokenOf(b).Reveal()); err != nil || len(tokenOf(b).Reveal()) != tokenLen {
			t.Errorf("bits %x: %q, %v", b, tokenOf(b).Reveal(), err)
		}
	}
}

// The text is what users have in their configurations: it must stay readable
// by every later version. (The two values were worked out by another program.)
func TestTokenStaysTheSame(t *testing.T) {
	var b [32]byte
	for i := range b {
		b[i] = byte(i)
	}
	const want = "skt_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1eXUNl"
	if got := tokenOf(b).Reveal(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const verifier = "1db297dfd340e75eaa6f9bd7c8020acf056331de02e8ea8848198dc2c8650eff"
	if got := tokenOf(b).verifier(); got != verifier {
		t.Errorf("the verifier is %s, want %s", got, verifier)
	}
}

func TestNewTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		seen[NewToken().Reveal()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("1000 tokens, %d of them different", len(seen))
	}
}

// Of some tokens each of the 256 bits is set, of others it is not.
func TestEveryBitOfATokenIsRandom(t *testing.T) {
	some, all := new(big.Int), new(big.Int).Not(new(big.Int))
	for range 100 {
		secret := strings.TrimPrefix(NewToken().Reveal(), tokenPrefix)[:secretDigits]
		n := new(big.Int)
		for _, d := range []byte(secret) {
			n.Mul(n, big.NewInt(int64(len(digits))))
			n.Add(n, big.NewInt(int64(strings.IndexByte(digits, d))))
		}
		some.Or(some, n)
		all.And(all, n)
	}
	want := new(big.Int).Lsh(big.NewInt(1), 256)
	want.Sub(want, big.NewInt(1))
	if some.Cmp(want) != 0 || all.Sign() != 0 {
		t.Errorf("of 100 tokens the bits %x are set in some and %x in all, want each in some and none in all", some, all)
	}
}

// Every change of one character is found: it makes a token mistyped, or
// malformed where the result has another form.
func TestEveryChangedCharacterIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyToken(t).Reveal()
		i := rapid.IntRange(0, len(text)-1).Draw(t, "place")
		for c := rune(' '); c <= '~'; c++ {
			changed := text[:i] + string(c) + text[i+1:]
			// A space at an end is no character of the token; without
			// one, it is too short.
			want := ErrMistyped
			if i < len(tokenPrefix) || !strings.ContainsRune(digits, c) {
				want = ErrMalformed
			}
			if byte(c) == text[i] {
				continue
			}
			if _, err := ParseToken(changed); !errors.Is(err, want) {
				t.Fatalf("%q made of %q: got %v, want %s", changed, text, err, want.Reason())
			}
		}
	})
}

func TestEverySwapOfNeighboursIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyToken(t).Reveal()
		for i := len(tokenPrefix); i < len(text)-1; i++ {
			if text[i] == text[i+1] {
				continue
			}
			swapped := text[:i] + text[i+1:i+2] + text[i:i+1] + text[i+2:]
			if _, err := ParseToken(swapped); !errors.Is(err, ErrMistyped) {
				t.Fatalf("%q made of %q: got %v", swapped, text, err)
			}
		}
	})
}

func TestParseTokenFaults(t *testing.T) {
	good := NewToken().Reveal()
	for _, tt := range []struct {
		text string
		want *Fault
	}{
		{"", ErrMissing},
		{" \t\n", ErrMissing},
		{"x", ErrMalformed},
		{"sk_live_123", ErrMalformed},
		{"skt_", ErrMalformed},
		{good[:len(good)-1], ErrMalformed},
		{good + "0", ErrMalformed},
		{strings.ToUpper(good[:4]) + good[4:], ErrMalformed},
		{`"` + good + `"`, ErrMalformed},
		{good[:10] + "é" + good[12:], ErrMalformed},
		{good[:10] + "-" + good[11:], ErrMalformed},
	} {
		_, err := ParseToken(tt.text)
		if !errors.Is(err, tt.want) || Reason(err) != tt.want.Reason() {
			t.Errorf("%q: got %v (%s), want %s", tt.text, err, Reason(err), tt.want.Reason())
		}
		if tt.text != "" && len(tt.text) > 4 && strings.Contains(err.Error(), tt.text) {
			t.Errorf("%q: the error repeats it: %v", tt.text, err)
		}
	}
}

func TestTokenDoesNotPrint(t *testing.T) {
	tok := NewToken()
	holder := struct {
		T Token
		P *Token
	}{tok, &tok}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&out, verb+"\n", tok)
		fmt.Fprintf(&out, verb+"\n", &tok)
		fmt.Fprintf(&out, verb+"\n", holder)
		fmt.Fprintf(&out, verb+"\n", fmt.Errorf("%w", ErrUnknown))
	}
	fmt.Fprintln(&out, tok, tok.String(), tok.GoString())
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("made", "token", tok, "holder", holder, "p", &tok)
	}
	b, err := json.Marshal(map[string]any{"t": tok, "h": holder, "m": map[Token]int{tok: 1}})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	secret := tok.Reveal()[len(tokenPrefix):]
	for _, leak := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprint([]byte(secret))} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("the token's text is in:\n%s", out.String())
		}
	}
	if !strings.Contains(out.String(), hidden) {
		t.Errorf("no %s in:\n%s", hidden, out.String())
	}
}

func TestFaults(t *testing.T) {
	all := []*Fault{ErrMissing, ErrMalformed, ErrMistyped, ErrUnknown, ErrRevoked, ErrKeyring}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(fmt.Errorf("x: %w", a), b) != (i == j) {
				t.Errorf("errors.Is(%s, %s) is %v", a.Reason(), b.Reason(), i != j)
			}
		}
		if !strings.HasSuffix(a.Error(), ".") || !strings.Contains(a.Error(), "sidekick-mcp pair") {
			t.Errorf("%s: %q does not say what to do", a.Reason(), a.Error())
		}
	}
	if got := Reason(errors.New("x")); got != "" {
		t.Errorf("Reason of another error is %q", got)
	}
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{"", "skt_", NewToken().Reveal(), "skt_" + strings.Repeat("z", 49), "skt_\xff\x00", "skt_" + strings.Repeat("é", 24) + "0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tok, err := ParseToken(s)
		if err == nil {
			if tok.Reveal() != strings.TrimSpace(s) || len(tok.Reveal()) != tokenLen {
				t.Fatalf("%q became %q", s, tok.Reveal())
			}
			return
		}
		if Reason(err) == "" {
			t.Fatalf("%q: %v is no fault", s, err)
		}
	})
}
