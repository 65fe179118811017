//go:build linux

package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Every kind of field, filled and sent; what arrives in the page is the witness.
func TestForm(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("form.html"))
	outline := a.ok("read_page", args{"tab": tab})
	ref := func(role, name string) string {
		t.Helper()
		r := findRef(outline, role, name)
		if r == "" {
			t.Fatalf("no %s %q in:\n%s", role, name, outline)
		}
		return r
	}
	a.ok("fill", args{"ref": ref("textbox", "Name"), "value": "Ada \"the\" first"})
	a.ok("fill", args{"ref": ref("textbox", "Mail"), "value": "ada@engine.example"})
	a.ok("fill", args{"ref": ref("spinbutton", "Age"), "value": "36"})
	a.ok("fill", args{"ref": ref("textbox", "Story"), "value": "one\ntwo"})
	a.ok("select_option", args{"ref": ref("combobox", "Colour"), "values": []string{"Green"}})
	a.ok("select_option", args{"ref": ref("listbox", "Fruits"), "values": []string{"Apple", "Plum"}})
	a.ok("click", args{"ref": ref("checkbox", "Agree")})
	a.ok("click", args{"ref": ref("radio", "Large")})
	a.ok("type_text", args{"ref": ref("textbox", "Rich"), "text": "bold words"})
	a.ok("type_text", args{"ref": ref("textbox", "Name"), "text": "!", "submit": true})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}),
		`name=Ada "the" first!; mail=ada@engine.example; age=36;`, "story=one", "colour=g; fruits=Apple; fruits=Plum; agree=on; size=l;", "rich=bold words")

	// What does not take is told, not passed over in silence.
	if r := a.call("fill", args{"ref": ref("textbox", "Locked"), "value": "other"}); !r.isError {
		t.Errorf("filling a field that is read-only is said to have worked: %s", r.text)
	}
	if r := a.call("fill", args{"ref": ref("textbox", "Capped"), "value": "1234567"}); !r.isError && !strings.Contains(r.text, "12345") {
		t.Errorf("a field that keeps 5 characters of 7: %s", r.text)
	}
	if r := a.call("select_option", args{"ref": ref("combobox", "Colour"), "values": []string{"Mauve"}}); !r.isError {
		t.Errorf("an option that there is not was chosen: %s", r.text)
	}
}

func TestStaleRef(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("counter.html"))
	more := a.ref(tab, "button", "More")
	a.ok("navigate", args{"tab": tab, "url": e.site.page("counter.html?again")})
	a.fails("click", args{"ref": more}, "read_page")
	if again := a.ref(tab, "button", "More"); again == more {
		t.Errorf("the ref %s was given to another element", more)
	}
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Count: 0")
}

func TestFillOfFiveMegabytes(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("big.html"))
	outline := a.ok("read_page", args{"tab": tab})
	// Escapes and wide characters too: the limits are on bytes as they travel.
	line := strings.Repeat("0123456789 ", 90) + "\"quoted\" <b> 🐸é\n"
	text := strings.Repeat(line, 5<<20/len(line)+1)
	a.ok("fill", args{"ref": findRef(outline, "textbox", "Story"), "value": text})
	// And the port that all share goes on.
	a.ok("fill", args{"ref": findRef(outline, "textbox", "Name"), "value": "small"})

	p := e.probe()
	session, err := p.attach(p.pageAt("big.html").ID)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Story string `json:"story"`
		Name  string `json:"name"`
	}
	p.eval(session, `({story: document.getElementById('story').value, name: document.getElementById('name').value})`, &got)
	if got.Story != text || got.Name != "small" {
		t.Errorf("%d bytes arrived of %d, and %q", len(got.Story), len(text), got.Name)
	}
}

func TestScreenshotOfTheWholePage(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("tall.html"))
	r := a.call("screenshot", args{"tab": tab, "full_page": true, "format": "png"})
	if r.isError {
		t.Fatal(r.text)
	}
	img, kind, err := image.Decode(bytes.NewReader(r.image))
	if err != nil {
		t.Fatalf("decoding %s of %d bytes: %v", r.mime, len(r.image), err)
	}
	size := img.Bounds().Size()
	t.Logf("%s, %d × %d px, %d bytes", kind, size.X, size.Y, len(r.image))
	if size.X == 0 || size.Y < 4*size.X {
		t.Errorf("%v is not the shape of a page of 20,000 px", size)
	}
	near := func(c color.Color, want [3]int) bool {
		r, g, b, _ := c.RGBA()
		for i, v := range []uint32{r, g, b} {
			if d := int(v>>8) - want[i]; d < -24 || d > 24 {
				return false
			}
		}
		return true
	}
	// The page's own pixels, in parts of 20,000.
	at := func(y int) color.Color { return img.At(size.X/3, y*size.Y/20000) }
	if c := at(19950); !near(c, [3]int{255, 0, 255}) {
		t.Errorf("the mark at the bottom is not in the picture: %v there", c)
	}
	for i := range 19 {
		want := [3]int{i * 13, 255 - i*13, (i * 40) % 256}
		if c := at(i*1000 + 500); !near(c, want) {
			t.Errorf("band %d is %v, want about %v", i, c, want)
		}
	}
	// The page is as it was before.
	if _, err := png.DecodeConfig(bytes.NewReader(a.call("screenshot", args{"tab": tab, "format": "png"}).image)); err != nil {
		t.Logf("the screenshot of what is in view is no PNG: %v", err)
	}
}

func TestScreenshotOfAnElement(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("counter.html"))
	r := a.call("screenshot", args{"ref": a.ref(tab, "button", "More"), "format": "png"})
	img, _, err := image.Decode(bytes.NewReader(r.image))
	if err != nil {
		t.Fatalf("%v: %s", err, r.text)
	}
	if s := img.Bounds().Size(); s.X > 300 || s.Y > 150 {
		t.Errorf("the picture of a small button is %v", s)
	}
}

func TestStrangeText(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("strange.html"))
	outline := a.ok("read_page", args{"tab": tab})
	text := a.ok("read_page", args{"tab": tab, "mode": "text"})
	list := a.ok("tabs", args{"action": "list"})
	for _, s := range []string{outline, text, list} {
		if !utf8.ValidString(s) {
			t.Errorf("not UTF-8: %q", s)
		}
	}
	contains(t, text, `He said "hi", 'hello' and \"bye\" with a back\slash`, "first line", "second line",
		"🐸 👩‍👩‍👧‍👦 🏳️‍🌈 ✅", "שלום עולם, مرحبا بالعالم", "lone high \ufffd and low \ufffd surrogates")
	contains(t, outline, "Strange text", "שלום עולם, مرحبا بالعالم", "lone high \ufffd and low \ufffd surrogates")
	contains(t, list, `He said`, "🐸", "שלום")

	// A name with all of it in it is one line, and does not forge a ref.
	if strings.Contains(outline, "[ref=e999]") {
		for _, line := range strings.Split(outline, "\n") {
			if strings.Contains(line, "e999") && !strings.Contains(line, "Press") {
				t.Errorf("the button's name made a line of its own: %s", line)
			}
		}
	}
	var button string
	for _, line := range strings.Split(outline, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "- button ") {
			m := outlineLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("the button's line has no ref: %s", line)
			}
			button = m[3]
		}
	}
	if button == "e999" {
		t.Error("the button's name forged its ref")
	}
	a.ok("click", args{"ref": button})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "pressed \ufffd")

	said := `"both" 'kinds' \ back — 🐸 👩‍👩‍👧 שלום مرحبا é`
	echo := findRef(outline, "textbox", "Echo")
	a.ok("fill", args{"ref": echo, "value": said})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Echoed: "+said)
	a.ok("fill", args{"ref": echo, "value": ""})
	a.ok("type_text", args{"ref": echo, "text": said})
	contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Echoed: "+said)
}

func TestDialogs(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("dialogs.html"))
	outline := a.ok("read_page", args{"tab": tab})
	for _, c := range []struct {
		button, message string
		accept          bool
		text, said      string
	}{
		{"Alert", "Look out", true, "", "alerted"},
		{"Confirm", "Are you sure?", true, "", "confirmed true"},
		{"Confirm", "Are you sure?", false, "", "confirmed false"},
		{"Prompt", "Your name?", true, "Ada 🐸", "prompted Ada 🐸"},
		{"Prompt", "Your name?", false, "", "prompted null"},
	} {
		r := a.call("click", args{"ref": findRef(outline, "button", c.button)})
		contains(t, r.text, c.message)
		// Until it is answered, whatever needs the page says why it cannot.
		blocked := a.call("read_page", args{"tab": tab})
		contains(t, blocked.text, c.message, "handle_dialog")
		answer := args{"tab": tab, "accept": c.accept}
		if c.text != "" {
			answer["text"] = c.text
		}
		a.ok("handle_dialog", answer)
		contains(t, a.ok("read_page", args{"tab": tab, "mode": "text"}), "Last: "+c.said)
	}
}

func TestPopupsAreAdopted(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("popups.html"))
	p := e.probe()
	p.userTab(e.site.page("secret.html"))
	outline := a.ok("read_page", args{"tab": tab})
	front := frontOf(p)
	for _, c := range []struct{ role, name, url, heading string }{
		{"link", "In a new tab", "start.html", "Start page"},
		{"link", "In a new tab with an opener", "counter.html", "Counter"},
		{"button", "Open a page", "wait.html", "Waiting room"},
		{"button", "In a new tab by a form", "big.html", "Big"},
		{"button", "Open a window", "form.html", "Every kind of field"},
	} {
		before := tabIDs(a.ok("tabs", args{"action": "list"}))
		said := a.ok("click", args{"ref": findRef(outline, c.role, c.name)})
		var list string
		eventually(t, 5*time.Second, "the tab that "+c.name+" opens", func() bool {
			list = a.ok("tabs", args{"action": "list"})
			return len(tabIDs(list)) == len(before)+1
		})
		ids := tabIDs(list)
		opened := ids[len(ids)-1]
		if !strings.Contains(said, opened) {
			t.Errorf("the click on %q does not say that %s opened: %s", c.name, opened, said)
		}
		contains(t, a.ok("read_page", args{"tab": opened, "mode": "text"}), c.heading)
		g := p.groupOf(researcherTitle)
		if n := len(p.tabsOf(g)); n != len(ids) {
			t.Errorf("after %q the group has %d tabs, the agent %d", c.name, n, len(ids))
		}
		if !holds(2*time.Second, func() bool { return frontOf(p) == front }) {
			t.Errorf("after %q in front is %s, was %s", c.name, frontOf(p), front)
		}
	}
	if strings.Contains(a.ok("tabs", args{"action": "list"}), "secret") {
		t.Error("the user's tab was adopted")
	}
}

func TestHistory(t *testing.T) {
	e := newEnv(t)
	a := e.agent("researcher", e.pair("FrogBot"))
	tab := a.open(e.site.page("start.html"))
	a.ok("navigate", args{"tab": tab, "url": e.site.page("counter.html")})
	a.ok("click", args{"ref": a.ref(tab, "button", "More")})
	contains(t, a.ok("navigate", args{"action": "back"}), "start.html")
	contains(t, a.ok("read_page", args{"mode": "text"}), "Start page")
	contains(t, a.ok("navigate", args{"action": "forward"}), "counter.html")
	a.ok("navigate", args{"action": "reload"})
	contains(t, a.ok("read_page", args{"mode": "text"}), "Count: 0")
	a.fails("navigate", args{"url": "http://nowhere.invalid/"}, "nowhere.invalid")
	a.fails("navigate", args{"url": "file:///etc/passwd"}, "file")
}
