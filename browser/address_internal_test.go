package browser

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestShownAddress(t *testing.T) {
	const page = "https://shop.example/lamps?page=1#top"
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ to, want string }{
		{"https://shop.example/cart", "/cart"},
		{"https://shop.example/lamps?page=2", "?page=2"},
		{"https://shop.example/lamps?page=1#end", "#end"},
		{"https://shop.example/lamps", "/lamps"},
		{"https://other.example/a b]c[d\"", "https://other.example/a%20b%5Dc%5Bd%22"},
		{"https://shop.example.evil.example/x", "https://shop.example.evil.example/x"},
		{"https://other.example/path?id=7&utm_source=" + long, "https://other.example/path?id=7&…"},
		{"https://other.example/path?" + long, "https://other.example/path?" + long[:72] + "…"},
		{"https://other.example/" + long, "https://other.example/" + long[:77] + "…"},
		{"data:text/html;charset=utf-8," + long, "data:text/html;charset=utf-8,…"},
		{"javascript:void(0);", ""},
		{"javascript:", ""},
		{"javascript:open('a')", "javascript:open('a')"},
		{"javascript:" + long, "javascript:" + long[:38] + "…"},
		{"mailto:ann@a.example", "mailto:ann@a.example"},
		{"#", ""},
		{"https://shop.example/lamps?page=1#", ""},
		{"", ""},
		{"https://a.example/\u202egnp.exe", "https://a.example/%E2%80%AEgnp.exe"},
	} {
		if got := shownAddress(c.to, page, false); got != c.want {
			t.Errorf("%.80s is %s, want %s", c.to, got, c.want)
		}
	}
	if got := shownAddress("https://other.example/"+long, page, true); got != "https://other.example/"+long {
		t.Errorf("read by itself it is %s", got)
	}
}

// No address ends the mark it stands in, and one that is short goes where the
// link goes.
func TestAddressesStayInTheirMark(t *testing.T) {
	const page = "https://shop.example/lamps?page=1"
	base, _ := url.Parse(page)
	rapid.Check(t, func(t *rapid.T) {
		to := rapid.OneOf(rapid.String(), rapid.StringMatching(`https://[a-z.]{1,40}/[\x20-\x7e]{0,150}`)).Draw(t, "to")
		got := shownAddress(to, page, rapid.Bool().Draw(t, "whole"))
		if strings.ContainsAny(got, "[]\" \n\r\t\u2028") {
			t.Fatalf("%q is told as %q", to, got)
		}
		is, err := url.Parse(squeeze(to))
		shown, serr := url.Parse(got)
		if err != nil || serr != nil || is.Host == "" || strings.HasSuffix(got, "…") || got == "" {
			return
		}
		a, aerr := url.PathUnescape(base.ResolveReference(is).String())
		b, berr := url.PathUnescape(base.ResolveReference(shown).String())
		if aerr == nil && berr == nil && a != b { // a lone % is nobody's
			t.Fatalf("%q is told as %q, which is %q and not %q", to, got, b, a)
		}
	})
}
