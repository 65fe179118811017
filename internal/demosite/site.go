// Package demosite is a small shop on loopback for the demo: a catalogue, a
// delivery table, an order form and its confirmation. It keeps the orders it
// took, so that whoever placed one can be checked against it.
package demosite

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed pages
var files embed.FS

// Item is something that the shop sells.
type Item struct {
	ID, Name, Line, About string
	Cents                 int
	Stock                 int // 0 is sold out
}

// Price is the price of one, for people.
func (i Item) Price() string { return euros(i.Cents) }

// Art is the item's picture.
func (i Item) Art() (template.HTML, error) {
	var b bytes.Buffer
	err := pages().ExecuteTemplate(&b, i.ID, nil)
	return template.HTML(b.String()), err //nolint:gosec // our own embedded SVG
}

// Carrier is a way to have an order delivered.
type Carrier struct {
	ID, Name, Days string
	Cents          int
}

// Price is the price of a delivery, for people.
func (c Carrier) Price() string {
	if c.Cents == 0 {
		return "Free"
	}
	return euros(c.Cents)
}

// Order is an order that the shop took.
type Order struct {
	Number, Name, Email, Note string
	Item                      Item
	Carrier                   Carrier
	Quantity                  int
	Gift                      bool
}

// Total is what the order costs, for people.
func (o Order) Total() string { return euros(o.Item.Cents*o.Quantity + o.Carrier.Cents) }

func euros(cents int) string { return fmt.Sprintf("€%d.%02d", cents/100, cents%100) }

var items = []Item{
	{"lotus-lamp", "Lotus lamp", "Floats, and glows until dawn.", "A lamp that charges by day and opens its petals at dusk. Ducks have been seen to sleep beside it.", 2450, 7},
	{"stepping-pad", "Lily stepping pads", "Three pads, each holds 120 kg.", "Cross the pond in three steps. Cast from recycled bottle caps.", 5900, 12},
	{"dragonfly-mobile", "Dragonfly mobile", "Turns at a breath of air.", "Folded from washi paper and hung on silk.", 1825, 0},
	{"watering-can", "Frog watering can", "Five litres, one smile.", "Pours in a fine rain. The frog is not included; it is the can.", 3275, 4},
	{"thermometer", "Pond thermometer", "Knows when to swim.", "Floats upright and can be read from the far bank.", 1290, 31},
	{"reed-broom", "Reed broom", "For jetties and steps.", "Bound by hand of reeds that were cut in January.", 1640, 9},
}

var carriers = []Carrier{
	{"snail", "Snail Mail", "6 days", 0},
	{"duck", "Duck Parcel", "2 days", 390},
	{"heron", "Heron Express", "1 day", 850},
}

// pages are parsed by the first page that is asked for: this package is in a
// binary whose other roles must start in no time.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "pages/*.html"))
})

// Site is the running shop. The zero value is not ready: use [Start].
type Site struct {
	URL string // its root, "http://127.0.0.1:43211/"

	server *http.Server
	served chan error

	mu     sync.Mutex
	orders []Order
}

// Start opens the shop on a free loopback port.
func Start() (*Site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the demo's shop on 127.0.0.1: %w", err)
	}
	s := &Site{URL: "http://" + l.Addr().String() + "/", served: make(chan error, 1)}
	s.server = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() { s.served <- s.server.Serve(l) }()
	return s, nil
}

// Close closes the shop and waits until it has served its last page.
func (s *Site) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// A browser keeps connections open that it may never use again, so what
	// is left after a second is cut.
	err := s.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.server.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Orders returns the orders taken so far, oldest first.
func (s *Site) Orders() []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Order(nil), s.orders...)
}

// page is what every template gets.
type page struct {
	Title, Section string
	Items          []Item
	Carriers       []Carrier
	Item           Item
	Order          Order
}

func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		render(w, "catalogue.html", page{Title: "Catalogue", Section: "catalogue", Items: items})
	})
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "pages/style.css")
	})
	mux.HandleFunc("GET /delivery", func(w http.ResponseWriter, _ *http.Request) {
		render(w, "delivery.html", page{Title: "Delivery", Section: "delivery", Carriers: carriers})
	})
	mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		item, ok := itemByID(r.PathValue("id"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		render(w, "item.html", page{Title: item.Name, Section: "catalogue", Item: item})
	})
	mux.HandleFunc("GET /order", func(w http.ResponseWriter, r *http.Request) {
		item, ok := itemByID(r.FormValue("item"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		render(w, "order.html", page{Title: "Order", Item: item, Carriers: carriers})
	})
	mux.HandleFunc("POST /order", s.takeOrder)
	mux.HandleFunc("GET /orders/{number}", func(w http.ResponseWriter, r *http.Request) {
		for _, o := range s.Orders() {
			if o.Number == r.PathValue("number") {
				render(w, "confirmation.html", page{Title: "Thank you", Order: o})
				return
			}
		}
		http.NotFound(w, r)
	})
	return mux
}

func (s *Site) takeOrder(w http.ResponseWriter, r *http.Request) {
	item, ok := itemByID(r.FormValue("item"))
	if !ok {
		http.Error(w, "There is no such item.", http.StatusBadRequest)
		return
	}
	carrier, ok := carrierByID(r.FormValue("carrier"))
	if !ok {
		http.Error(w, "Choose a carrier.", http.StatusBadRequest)
		return
	}
	quantity, err := strconv.Atoi(r.FormValue("quantity"))
	if err != nil || quantity < 1 || quantity > item.Stock {
		http.Error(w, fmt.Sprintf("Order between 1 and %d.", item.Stock), http.StatusBadRequest)
		return
	}
	o := Order{
		Name: strings.TrimSpace(r.FormValue("name")), Email: strings.TrimSpace(r.FormValue("email")),
		Note: strings.TrimSpace(r.FormValue("note")), Item: item, Carrier: carrier,
		Quantity: quantity, Gift: r.FormValue("gift") != "",
	}
	if o.Name == "" || o.Email == "" {
		http.Error(w, "Tell us your name and your e-mail address.", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	o.Number = fmt.Sprintf("LP-%d", 1042+len(s.orders))
	s.orders = append(s.orders, o)
	s.mu.Unlock()
	http.Redirect(w, r, "/orders/"+o.Number, http.StatusSeeOther)
}

func itemByID(id string) (Item, bool) {
	for _, i := range items {
		if i.ID == id {
			return i, true
		}
	}
	return Item{}, false
}

func carrierByID(id string) (Carrier, bool) {
	for _, c := range carriers {
		if c.ID == id {
			return c, true
		}
	}
	return Carrier{}, false
}

func render(w http.ResponseWriter, name string, p page) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, p); err != nil {
		slog.Error("rendering a page of the demo's shop", "page", name, "err", err)
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes()) // the browser went away: nobody is left to tell
}
