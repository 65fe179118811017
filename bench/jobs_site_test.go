package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// jobSite serves the pages of the jobs, and hears from them what was done.
type jobSite struct {
	*httptest.Server
	mu   sync.Mutex
	said map[string]string // by the id of the try
}

func newJobSite(b *testing.B) *jobSite {
	s := &jobSite{said: map[string]string{}}
	mux := http.NewServeMux()
	for name, page := range jobPages {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, strings.ReplaceAll(jobHead+page, "OTHER", "http://localhost:"+s.port()))
		})
	}
	mux.HandleFunc("/done", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		s.mu.Lock()
		s.said[r.FormValue("id")] = r.FormValue("what")
		s.mu.Unlock()
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond) // as a server far away
		fmt.Fprint(w, "{}")
	})
	s.Server = httptest.NewServer(mux)
	b.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *jobSite) port() string {
	u, _ := url.Parse(s.URL)
	return u.Port()
}

func (s *jobSite) page(job, id string) string {
	return s.URL + "/" + job + "?id=" + url.QueryEscape(id)
}

// wait is what a page said for a try, once it has.
func (s *jobSite) wait(id string, within time.Duration) string {
	for end := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		said := s.said[id]
		s.mu.Unlock()
		if said != "" || time.Now().After(end) {
			return said
		}
	}
}

const jobHead = `<!doctype html><html lang=en><meta charset=utf-8><title>Job</title>
<style>body{font:16px sans-serif;margin:24px} label{display:block;margin:8px 0} .post{border:1px solid #ccc;margin:12px 0;padding:24px}</style>
<script>const id = new URLSearchParams(location.search).get('id');
const said = (what) => fetch('/done?' + new URLSearchParams({ id, what }));</script>`

var jobPages = map[string]string{
	"form": `<h1>Order</h1><form><label>Name <input name=name></label><label>Mail <input name=mail type=email></label>
<label>Story <textarea name=story></textarea></label>
<label>Country <select name=country><option>Chile</option><option>Kenya</option><option>Norway</option></select></label>
<fieldset><legend>Size</legend><label><input type=radio name=size value=small checked> Small</label><label><input type=radio name=size value=large> Large</label></fieldset>
<label><input type=checkbox name=agree> I agree</label><button>Send</button></form>
<script>document.querySelector('form').onsubmit = (e) => { e.preventDefault(); const f = e.target;
said('name=' + f.name.value + ' mail=' + f.mail.value + ' story=' + f.story.value + ' country=' + f.country.value + ' size=' + f.size.value + ' agree=' + f.agree.checked);
document.body.innerHTML = '<h1>Thank you</h1>'; };</script>`,

	"table": `<h1>Orders</h1><p id=said></p><table><thead><tr><th>No</th><th>Customer</th><th>Place</th><th>Sum</th><th>State</th><th></th></tr></thead><tbody></tbody></table>
<script>document.querySelector('tbody').innerHTML = Array.from({ length: 2000 }, (_, i) => '<tr><td>' + (i + 1) + '</td><td>Customer ' + (i + 1) + '</td><td>' + ['Oslo', 'Lima', 'Nairobi'][i % 3] +
'</td><td>' + (i * 37 % 1000) + '.00</td><td>' + ['open', 'paid'][i % 2] + '</td><td><button>Edit ' + (i + 1) + '</button></td></tr>').join('');
document.querySelector('tbody').onclick = (e) => { const m = e.target.textContent.match(/^Edit (\d+)$/); if (m) { said('edited ' + m[1]); document.getElementById('said').textContent = 'Edited ' + m[1]; } };</script>`,

	"spa": `<nav><a href="/spa/home">Home</a> <a href="/spa/products">Products</a> <a href="/spa/about">About</a></nav><main><h1>Home</h1><p>Welcome to the shop.</p></main>
<script>const main = document.querySelector('main');
const views = { home: () => '<h1>Home</h1>', about: () => '<h1>About</h1>',
products: () => '<h1>All lamps</h1><ul>' + Array.from({ length: 12 }, (_, i) => '<li><a href="/spa/lamp-' + (i + 1) + '">Lamp ' + (i + 1) + '</a></li>').join('') + '</ul>' };
const show = async () => { main.innerHTML = '<p>Loading</p>'; await fetch('/slow'); const name = location.pathname.split('/').pop(), lamp = name.match(/^lamp-(\d+)/);
main.innerHTML = lamp ? '<h1>Lamp ' + lamp[1] + '</h1><p>A fine lamp</p><button data-n="' + lamp[1] + '">Buy</button>' : (views[name] ?? views.home)(); };
addEventListener('popstate', show);
document.addEventListener('click', async (e) => { const a = e.target.closest('a'), b = e.target.closest('button');
if (a) { e.preventDefault(); history.pushState(null, '', a.getAttribute('href')); show(); }
if (b) { await fetch('/slow'); said('bought Lamp ' + b.dataset.n); main.innerHTML = '<h1>You bought Lamp ' + b.dataset.n + '</h1>'; } });</script>`,

	"checkout": `<h1>Your order</h1><p>Total: 42.00</p><iframe id=pay title="Payment" width=500 height=300></iframe><p id=said></p>
<script>document.getElementById('pay').src = 'OTHER/card?id=' + id;
addEventListener('message', (e) => { if (e.data.paid) { said('paid with ' + e.data.paid); document.getElementById('said').textContent = 'Paid'; } });</script>`,

	"card": `<form><label>Card number <input name=number autocomplete=cc-number></label><label>Expiry <input name=expiry></label><label>Code <input name=code></label><button>Pay</button></form>
<script>document.querySelector('form').onsubmit = (e) => { e.preventDefault(); const f = e.target; parent.postMessage({ paid: f.number.value + ' ' + f.expiry.value + ' ' + f.code.value }, '*'); };</script>`,

	"feed": `<h1>Feed</h1><div id=feed></div><div id=end>Loading more</div>
<script>const feed = document.getElementById('feed'); let n = 0, busy = false;
const add = () => { for (let k = 0; k < 20; k++) { n++; feed.insertAdjacentHTML('beforeend', '<div class=post><h2>Post ' + n + '</h2><p>What was written in number ' + n + '.</p><button data-n="' + n + '">Like post ' + n + '</button> <button>Share post ' + n + '</button></div>'); } };
add();
new IntersectionObserver(async ([e]) => { if (!e.isIntersecting || busy || n >= 200) return; busy = true; await fetch('/slow'); add(); busy = false; }, { rootMargin: '200px' }).observe(document.getElementById('end'));
feed.onclick = (e) => { if (e.target.dataset.n) said('liked ' + e.target.dataset.n); };</script>`,
}
