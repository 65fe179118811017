//go:build linux

package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// site is the web that the tests' browsers see: the files of testdata/site, the
// pages of the engine's own tests, and a few that need a server. Every host of
// *.example leads here.
type site struct {
	*httptest.Server
	port string

	mu   sync.Mutex
	held map[string]*hold
	hits map[string]int // requests, by host and path
}

// hold is a page that a browser asked for and that is not answered yet.
type hold struct {
	asked   chan struct{} // closed when the first request is in
	release chan struct{} // closed to answer
	once    sync.Once
}

func newSite(t *testing.T) *site {
	s := &site{held: map[string]*hold{}, hits: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		dir := http.Dir("testdata/site")
		if f, err := dir.Open(r.URL.Path); err == nil {
			f.Close()
		} else {
			dir = http.Dir("../browser/testdata/pages")
		}
		http.FileServer(dir).ServeHTTP(w, r)
	})
	// /redirect?to=URL
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
	})
	// /shared is for scripts of every site.
	mux.HandleFunc("/shared", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("of " + r.Host))
	})
	// /hold/NAME answers when the test says so.
	mux.HandleFunc("/hold/{name}", func(w http.ResponseWriter, r *http.Request) {
		h := s.hold(r.PathValue("name"))
		h.once.Do(func() { close(h.asked) })
		select {
		case <-h.release:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>Held</title><h1>Let go</h1>"))
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		s.mu.Lock()
		s.hits[host+r.URL.Path]++
		s.mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	}))
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.port = u.Port()
	t.Cleanup(func() {
		s.mu.Lock()
		for _, h := range s.held {
			select {
			case <-h.release:
			default:
				close(h.release)
			}
		}
		s.mu.Unlock()
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// page is the address of a page on this machine's own name.
func (s *site) page(path string) string { return s.URL + "/" + path }

// at is the address of a page at another host: at("bank.example", "x.html").
func (s *site) at(host, path string) string { return "http://" + host + ":" + s.port + "/" + path }

// hold returns the held page of a name.
func (s *site) hold(name string) *hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[name]
	if h == nil {
		h = &hold{asked: make(chan struct{}), release: make(chan struct{})}
		s.held[name] = h
	}
	return h
}

// asked is how often a browser asked a host for a path ("bank.example/x.html").
func (s *site) asked(hostPath string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[hostPath]
}
