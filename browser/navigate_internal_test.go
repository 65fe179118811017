package browser

import "testing"

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.example/x":     "https://a.example/x",
		" http://a.example ":      "http://a.example",
		"a.example":               "https://a.example",
		"a.example/path?q=1":      "https://a.example/path?q=1",
		"a.example:8443/x":        "https://a.example:8443/x",
		"localhost:3000":          "http://localhost:3000",
		"127.0.0.1:8080/a":        "http://127.0.0.1:8080/a",
		"about:blank":             "about:blank",
		"file:///etc/passwd":      "file:///etc/passwd", // refused by who knows the policy
		"data:text/html,hi":       "data:text/html,hi",
		"chrome://settings":       "chrome://settings",
		"javascript:alert(1)":     "javascript:alert(1)",
		"":                        "",
		"what is the weather":     "",
		"hello":                   "",
		"http://":                 "",
		"user@a.example":          "",
		"https://a.example:bad/x": "",
	} {
		got, err := address(in)
		if (err != nil) != (want == "") || got != want {
			t.Errorf("%q gives %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestMatchURL(t *testing.T) {
	for _, tc := range []struct {
		pattern, url string
		want         bool
	}{
		{"/done", "https://a.example/done?x", true},
		{"/done", "https://a.example/", false},
		{"*/done*", "https://a.example/a/b/done?x=[1]", true},
		{"https://*.example/*", "https://a.example/x/y", true},
		{"https://*.example/", "https://a.example/x", false},
		{"*?id=*", "https://a.example/?id=5", true},
	} {
		if got := matchURL(tc.pattern, tc.url); got != tc.want {
			t.Errorf("matchURL(%q, %q) = %t", tc.pattern, tc.url, got)
		}
	}
}
