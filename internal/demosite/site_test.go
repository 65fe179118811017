package demosite_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/internal/demosite"
)

func open(t *testing.T) *demosite.Site {
	t.Helper()
	s, err := demosite.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func body(t *testing.T, r *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryPageRenders(t *testing.T) {
	s := open(t)
	for path, want := range map[string]string{
		"":                      "Lotus lamp",
		"style.css":             "--leaf",
		"delivery":              "Heron Express",
		"items/lotus-lamp":      "Order this",
		"order?item=lotus-lamp": "Place order",
	} {
		r, err := http.Get(s.URL + path)
		got := body(t, r, err)
		if r.StatusCode != http.StatusOK || !strings.Contains(got, want) {
			t.Errorf("GET /%s: %s, and no %q in:\n%s", path, r.Status, want, got)
		}
	}
	r, err := http.Get(s.URL + "items/moon")
	body(t, r, err)
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("an item that is not sold: %s", r.Status)
	}
}

func TestOrder(t *testing.T) {
	s := open(t)
	good := url.Values{"item": {"lotus-lamp"}, "name": {"Ada <b>"}, "email": {"a@b.example"}, "quantity": {"2"}, "carrier": {"heron"}, "gift": {"yes"}}
	r, err := http.PostForm(s.URL+"order", good)
	got := body(t, r, err)
	for _, want := range []string{"LP-1042", "2 × Lotus lamp", "Ada &lt;b&gt;", "€57.50", "Heron Express, arrives in 1 day"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the confirmation:\n%s", want, got)
		}
	}
	for field, bad := range map[string]string{"item": "moon", "carrier": "", "quantity": "8", "name": " ", "email": ""} {
		wrong := url.Values{}
		for k, v := range good {
			wrong[k] = v
		}
		wrong.Set(field, bad)
		r, err := http.PostForm(s.URL+"order", wrong)
		body(t, r, err)
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s=%q: %s, want 400", field, bad, r.Status)
		}
	}
	if n := len(s.Orders()); n != 1 {
		t.Errorf("%d orders, want the one that was right", n)
	}
}
