//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	enc "encoding/binary" // binary is the program under test
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/internal/demosite"
)

const (
	pictureFolder = "../docs/pictures"
	// maxPicture keeps the README quick to load, in bytes.
	maxPicture = 150_000
)

// TestPictures goes the way that the README describes, in a browser with a
// window, and looks at what the user sees on it. With UPDATE_PICTURES=1 it
// writes what it sees to docs/pictures. The pictures are not compared, since
// fonts differ: the texts on the pages are.
func TestPictures(t *testing.T) {
	screen := newScreen(t, 1200, 640)
	e := newEnv(t)
	e.strays = true
	own := e.ownMachine()
	// The user has pinned Sidekick to the toolbar.
	prefs := fmt.Sprintf(`{"extensions":{"ui":{"developer_mode":true},"pinned_extensions":[%q]}}`, extensionID(t))
	if err := os.WriteFile(filepath.Join(own.profile, "Default", "Preferences"), []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	// A test's flags are no user's: --test-type hides the bar that warns of them.
	p := own.start("--enable-unsafe-extension-debugging", "--test-type", "--window-position=0,0", "--window-size=1200,640", "--lang=en-US")
	folder, err := filepath.Abs("../extension")
	if err != nil {
		t.Fatal(err)
	}
	p.must("", "Extensions.loadUnpacked", args{"path": folder}, nil)

	settings := p.ownPage("settings.html")
	p.viewport(settings, 720, 560)
	p.shows(settings, "Connected to Sidekick", "None yet. Add the first one", "Blocked sites")
	p.eval(settings, `document.getElementById('add-name').value = 'FrogBot'; document.getElementById('add-name').focus(); true`, new(any))
	p.picture(settings, "add.png", "main")

	p.eval(settings, `document.querySelector('#add button').click(); true`, new(any))
	p.shows(settings, "FrogBot is added", "The token is shown only this once", "never used")
	token := p.hideToken(settings)
	p.shows(settings, "SIDEKICK_TOKEN=skt_••••", "/home/you/.local/share/sidekick/bin/sidekick-mcp", "For frogbot.config.ts", "mcpServer({", "SIDEKICK_TOKEN: 'skt_••••")
	p.picture(settings, "added.png", "section:has(#new)")
	p.eval(settings, `document.getElementById('new-done').click(); true`, new(any))

	shop, err := demosite.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shop.Close(); err != nil {
			t.Errorf("closing the shop: %v", err)
		}
	})
	address := strings.Replace(shop.URL, "127.0.0.1", "lilypad.example", 1)
	researcher, writer := e.agent("researcher", token), e.agent("writer", token)
	catalogue := researcher.open(address)
	researcher.open(address + "delivery")
	writer.open(e.site.page("start.html"))

	popup := p.ownPage("popup.html")
	p.viewport(popup, 340, 300)
	p.shows(popup, "FrogBot · researcher", "connected · 2 tabs", "FrogBot · writer", "connected · 1 tab")
	p.eval(popup, `document.querySelector('button[aria-label="Stop FrogBot · writer"]').click(); true`, new(any))
	p.shows(popup, "stopped · 1 tab", "Resume")
	p.picture(popup, "popup.png", "body")
	writer.fails("read_page", args{}, "The user stopped this agent in Sidekick")

	for _, site := range []string{"bank.example", "*.corp.example"} {
		p.eval(settings, `document.getElementById('block-site').value = `+string(mustJSON(site))+`; document.querySelector('#block button').click(); true`, new(any))
		p.shows(settings, strings.TrimPrefix(site, "*."), "Unblock")
	}
	p.picture(settings, "blocked.png", "section[aria-labelledby=blocked-title]")

	// The window as it is on the screen: the user looks at what the agent does.
	p.eval(popup, `document.querySelector('button[aria-label="Resume FrogBot · writer"]').click(); true`, new(any))
	p.shows(popup, "connected · 1 tab")
	// The agent hears of it a moment after the popup.
	eventually(t, 5*time.Second, "the writer to go on", func() bool { return !writer.call("read_page", args{}).isError })
	p.must(popup, "Page.close", nil, nil)
	p.worker(`chrome.tabs.query({url: 'about:blank'}).then((tabs) => chrome.tabs.remove(tabs.map((t) => t.id))).then(() => true)`, new(bool))
	p.must(settings, "Emulation.clearDeviceMetricsOverride", nil, nil)
	group := p.groupOf(researcherTitle)
	inGroup := p.tabsOf(group)
	if len(inGroup) != 2 {
		t.Fatalf("the tabs in the group: %+v", inGroup)
	}
	p.worker(fmt.Sprintf(`chrome.tabs.update(%d, {active: true}).then(() => true)`, inGroup[0].ID), new(bool))
	contains(t, researcher.ok("read_page", args{"tab": catalogue, "mode": "text"}), "Lotus lamp")
	savePicture(t, "window.png", screen.still())

	checkPictures(t)
}

// checkPictures asserts that the README shows each picture, that each can be
// shown, and that none is kept which nobody sees.
func checkPictures(t *testing.T) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(pictureFolder)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		kept[name] = true
		b, err := os.ReadFile(filepath.Join(pictureFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%s cannot be shown: %v", name, err)
		}
		if len(b) > maxPicture {
			t.Errorf("%s has %d bytes, more than %d", name, len(b), maxPicture)
		}
		if !bytes.Contains(readme, []byte("docs/pictures/"+name)) {
			t.Errorf("the README does not show %s", name)
		}
	}
	for _, name := range []string{"add.png", "added.png", "popup.png", "blocked.png", "window.png"} {
		if !kept[name] {
			t.Errorf("there is no docs/pictures/%s: make it with UPDATE_PICTURES=1 go test ./e2e -run TestPictures", name)
		}
	}
}

// viewport gives a page the size that its picture is to have, in CSS pixels,
// and bright colours whatever the machine prefers.
func (p *probe) viewport(session string, width, height int) {
	p.t.Helper()
	p.must(session, "Emulation.setDeviceMetricsOverride", args{
		"width": width, "height": height, "deviceScaleFactor": 1.5, "mobile": false,
	}, nil)
	p.must(session, "Emulation.setEmulatedMedia", args{
		"features": []args{{"name": "prefers-color-scheme", "value": "light"}},
	}, nil)
}

// shows waits until a page shows all of the texts.
func (p *probe) shows(session string, want ...string) {
	p.t.Helper()
	var text string
	missing := ""
	if !holds(10*time.Second, func() bool {
		p.eval(session, `document.body.innerText`, &text)
		missing = ""
		for _, w := range want {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		return missing == ""
	}) {
		p.t.Fatalf("the page does not show %q:\n%s", missing, text)
	}
}

var tokenPattern = regexp.MustCompile(`skt_[A-Za-z0-9_-]+`)

// hideToken returns the token that the settings show and puts dots in its
// place, so that no picture holds one.
func (p *probe) hideToken(session string) (token string) {
	p.t.Helper()
	p.eval(session, `document.getElementById('command').textContent`, &token)
	token = tokenPattern.FindString(token)
	if token == "" {
		p.t.Fatal("the settings show no token")
	}
	var left string
	// The program is where a user has it, too.
	p.eval(session, `(() => {
		for (const id of ['config', 'command']) {
			const e = document.getElementById(id);
			e.textContent = e.textContent.replaceAll(/skt_[A-Za-z0-9_-]+/g, 'skt_••••••••••••••••')
				.replaceAll(/\/[^\s'"]*\/sidekick-mcp\b/g, '/home/you/.local/share/sidekick/bin/sidekick-mcp');
		}
		return document.documentElement.outerHTML;
	})()`, &left)
	if strings.Contains(left, token) {
		p.t.Fatal("the page shows the token still")
	}
	return token
}

// picture takes a picture of the element that a selector names, with a margin.
func (p *probe) picture(session, name, selector string) {
	p.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	p.eval(session, `(() => {
		const e = document.querySelector(`+string(mustJSON(selector))+`);
		const r = e.getBoundingClientRect(), pad = e === document.body ? 0 : 16;
		return {x: r.x + scrollX - pad, y: r.y + scrollY - pad, width: r.width + 2 * pad, height: r.height + 2 * pad};
	})()`, &box)
	var shot struct {
		Data []byte `json:"data"`
	}
	p.must(session, "Page.captureScreenshot", args{
		"format": "png", "captureBeyondViewport": true,
		"clip": args{"x": box.X, "y": box.Y, "width": box.Width, "height": box.Height, "scale": 1},
	}, &shot)
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		p.t.Fatalf("the picture %s: %v", name, err)
	}
	savePicture(p.t, name, img)
}

// savePicture keeps a picture if it is asked for, and asserts that there is
// something on it.
func savePicture(t *testing.T, name string, img image.Image) {
	t.Helper()
	colours := map[color.Color]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			colours[img.At(x, y)] = true
		}
	}
	if len(colours) < 16 {
		t.Errorf("%s is empty: %d colours on %v", name, len(colours), b)
	}
	if os.Getenv("UPDATE_PICTURES") != "1" {
		return
	}
	// Without an alpha channel, and packed as tightly as can be.
	opaque := image.NewRGBA(b)
	draw.Draw(opaque, b, img, b.Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, opaque); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictureFolder, name), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes, %v", name, out.Len(), b.Size())
}

// screen is a virtual display whose picture can be read.
type screen struct {
	t    *testing.T
	file string
}

// newScreen starts a display, and makes it the one of this test's browsers.
func newScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	// Not under the test's machine, whose end it outlives.
	folder, err := os.MkdirTemp("/tmp", "sk-screen-")
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	x := exec.Command("Xvfb", "-displayfd", "3", "-fbdir", folder, "-nolisten", "tcp", "-noreset", "-nocursor",
		"-screen", "0", fmt.Sprintf("%dx%dx24", width, height))
	x.ExtraFiles = []*os.File{w}
	err = x.Start()
	_ = w.Close()
	if err != nil {
		t.Fatalf("starting a virtual display (scripts/setup.sh test installs it): %v", err)
	}
	before := display
	t.Cleanup(func() {
		display = before
		_ = x.Process.Signal(os.Interrupt)
		_ = x.Wait()
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("the virtual display did not say its number: %v", err)
	}
	display = ":" + strings.TrimSpace(number)
	return &screen{t: t, file: filepath.Join(folder, "Xvfb_screen0")}
}

// still is the screen's picture once it has stopped changing.
func (s *screen) still() image.Image {
	s.t.Helper()
	var last []byte
	since := time.Now()
	eventually(s.t, 20*time.Second, "a screen that stands still", func() bool {
		now, err := os.ReadFile(s.file)
		if err != nil {
			s.t.Fatal(err)
		}
		if !bytes.Equal(now, last) {
			last, since = now, time.Now()
		}
		return time.Since(since) > time.Second
	})
	img, err := decodeXWD(last)
	if err != nil {
		s.t.Fatalf("the screen's picture: %v", err)
	}
	return img
}

// decodeXWD reads the X server's picture of a screen: a header of big-endian
// words, the window's name, a colour table, and the pixels.
//
// See: https://gitlab.freedesktop.org/xorg/proto/xorgproto/-/blob/master/include/X11/XWDFile.h
func decodeXWD(b []byte) (image.Image, error) {
	var h struct {
		Size, Version, Format, Depth, Width, Height, XOffset, ByteOrder uint32
		BitmapUnit, BitmapOrder, BitmapPad, BitsPerPixel, BytesPerLine  uint32
		Visual, Red, Green, Blue, BitsPerRGB, Entries, Colours          uint32
	}
	if err := enc.Read(bytes.NewReader(b), enc.BigEndian, &h); err != nil {
		return nil, err
	}
	if h.Version != 7 || h.BitsPerPixel != 32 || h.ByteOrder != 0 || h.Red != 0xff0000 || h.Blue != 0xff {
		return nil, fmt.Errorf("an unexpected kind of it: %+v", h)
	}
	const colourBytes = 12
	start := int(h.Size + h.Colours*colourBytes)
	if len(b) < start+int(h.BytesPerLine*h.Height) {
		return nil, errors.New("it is cut off")
	}
	img := image.NewRGBA(image.Rect(0, 0, int(h.Width), int(h.Height)))
	for y := range int(h.Height) {
		line := b[start+y*int(h.BytesPerLine):]
		for x := range int(h.Width) {
			px := line[4*x:]
			img.SetRGBA(x, y, color.RGBA{px[2], px[1], px[0], 255})
		}
	}
	return img, nil
}
