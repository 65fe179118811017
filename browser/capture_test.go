package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// shot takes a picture and decodes it. SHOTS names a folder to look at them in.
func (c *chromium) shot(t *testing.T, a browser.ScreenshotArgs) (*browser.Image, image.Image) {
	t.Helper()
	img, err := c.Screenshot(testContext(t), a)
	if err != nil {
		t.Fatal(err)
	}
	pic, kind, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		t.Fatalf("decoding %s: %v", img.MIMEType, err)
	}
	if s := pic.Bounds().Size(); s.X != img.Width || s.Y != img.Height || img.MIMEType != "image/"+kind {
		t.Errorf("a %s of %v is told as %s of %d × %d", kind, s, img.MIMEType, img.Width, img.Height)
	}
	if dir := os.Getenv("SHOTS"); dir != "" {
		name := strings.NewReplacer("/", "-", " ", "").Replace(fmt.Sprintf("%s-%+v.%s", t.Name(), a, kind))
		if err := os.WriteFile(filepath.Join(dir, name), img.Data, 0o600); err != nil {
			t.Error(err)
		}
	}
	return img, pic
}

// colourAt fails unless a picture has about a colour where a place of the page
// is, in CSS pixels from the picture's own corner.
func colourAt(t *testing.T, img *browser.Image, pic image.Image, x, y float64, want color.RGBA) {
	t.Helper()
	px, py := int(math.Floor(x*img.Scale)), int(math.Floor(y*img.Scale))
	if !near(pic.At(px, py), want) {
		t.Errorf("%d, %d (in CSS %g, %g; scale %g) is %v, want about %v", px, py, x, y, img.Scale, pic.At(px, py), want)
	}
}

func near(got color.Color, want color.RGBA) bool {
	r, g, b, _ := got.RGBA()
	for i, v := range []uint32{r, g, b} {
		if d := int(v>>8) - int([]uint8{want.R, want.G, want.B}[i]); d < -12 || d > 12 {
			return false
		}
	}
	return true
}

var (
	red     = color.RGBA{255, 0, 0, 255}
	blue    = color.RGBA{0, 0, 255, 255}
	green   = color.RGBA{0, 255, 0, 255}
	cyan    = color.RGBA{0, 255, 255, 255}
	magenta = color.RGBA{255, 0, 255, 255}
	grey    = color.RGBA{0x88, 0x88, 0x88, 255}
)

// zoomed has the profile show every page at a zoom, as a user sets it.
func zoomed(t *testing.T, factor float64) string {
	t.Helper()
	profile := t.TempDir()
	if err := os.Mkdir(filepath.Join(profile, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	prefs, err := json.Marshal(map[string]any{"partition": map[string]any{"default_zoom_level": map[string]any{"x": math.Log(factor) / math.Log(1.2)}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(profile, "Default", "Preferences"), prefs, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "--user-data-dir=" + profile
}

func (c *chromium) openShot(t *testing.T) (outline string) {
	t.Helper()
	c.open(t, "/shot.html")
	if _, err := c.WaitFor(testContext(t), browser.WaitArgs{Text: "Inner far"}); err != nil {
		t.Fatal(err)
	}
	return c.read(t)
}

// Where things are in the picture, at each scale of the device and of the page.
func TestScreenshotScales(t *testing.T) {
	for _, v := range []struct{ device, zoom float64 }{{1, 1}, {1.5, 1}, {2, 1}, {1, 1.5}, {2, 1.25}} {
		t.Run(fmt.Sprintf("device %g zoom %g", v.device, v.zoom), func(t *testing.T) {
			args := []string{"--window-size=1000,800", fmt.Sprintf("--force-device-scale-factor=%g", v.device)}
			if v.zoom != 1 {
				args = append(args, zoomed(t, v.zoom))
			}
			c := startChromium(t, args...)
			out := c.openShot(t)
			whole := v.device * v.zoom
			for _, a := range []browser.ScreenshotArgs{{}, {FullSize: true}, {Annotate: true}, {Format: "jpeg"}, {Format: "webp"}, {Format: "webp", Annotate: true, FullSize: true}} {
				img, pic := c.shot(t, a)
				limit := 1568
				if a.FullSize {
					limit = 16000
				}
				if max(img.Width, img.Height) > limit {
					t.Errorf("%+v: the picture is %d × %d", a, img.Width, img.Height)
				}
				if a.FullSize && math.Abs(img.Scale-whole) > 0.01 {
					t.Errorf("%+v: the scale is %g, want %g", a, img.Scale, whole)
				}
				notes := strings.Join(img.Notes, " ")
				if told := strings.Contains(notes, fmt.Sprintf("divide the picture's by %.4g", img.Scale)); told == (img.Scale == 1) {
					t.Errorf("%+v: scale %g is told as %q", a, img.Scale, notes)
				}
				colourAt(t, img, pic, 100, 35, red)
				colourAt(t, img, pic, 100, 310, grey)
				colourAt(t, img, pic, 385, 40, blue)
				colourAt(t, img, pic, 385, 190, green)
			}
			for name, want := range map[string]color.RGBA{"Red": red, "Inner same": blue, "Inner far": green, "Below": cyan} {
				img, pic := c.shot(t, browser.ScreenshotArgs{Ref: ref(t, out, `"`+name+`"`), Format: "png"})
				if w, h := float64(img.Width)/img.Scale, float64(img.Height)/img.Scale; math.Abs(w-120) > 1.5 || math.Abs(h-30) > 1.5 {
					t.Errorf("%s is %g × %g in CSS pixels, want 120 × 30", name, w, h)
				}
				// Where it is in the viewport is told.
				at := map[string]string{"Red": "add x 40, y ", "Inner same": "add x 325, y ", "Inner far": "add x 325, y "}[name]
				if v.zoom == 1 && !strings.Contains(strings.Join(img.Notes, " "), at) {
					t.Errorf("%s: no %q in %q", name, at, img.Notes)
				}
				for _, p := range [][2]float64{{2, 2}, {60, 15}, {117, 27}} {
					colourAt(t, img, pic, p[0], p[1], want)
				}
			}
			// From the bottom, where the frames are out of sight; the page stays there.
			if _, err := c.Scroll(testContext(t), browser.ScrollArgs{Direction: "bottom"}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				img, pic := c.shot(t, browser.ScreenshotArgs{FullPage: true})
				colourAt(t, img, pic, 300, 3050, magenta)
				colourAt(t, img, pic, 100, 2915, cyan)
				colourAt(t, img, pic, 100, 35, red)
				colourAt(t, img, pic, 385, 40, blue)
				colourAt(t, img, pic, 385, 190, green)
			}
			img, pic := c.shot(t, browser.ScreenshotArgs{})
			colourAt(t, img, pic, 300, float64(img.Height)/img.Scale-50, magenta)
		})
	}
}

// What is marked is what can be seen, and the page does not notice.
func TestScreenshotAnnotated(t *testing.T) {
	t.Parallel()
	c := startChromium(t, "--window-size=1000,800")
	ctx := testContext(t)
	out := c.openShot(t)
	marked := func(a browser.ScreenshotArgs, want int) (*browser.Image, image.Image) {
		t.Helper()
		a.Annotate = true
		img, pic := c.shot(t, a)
		if notes := strings.Join(img.Notes, " "); !strings.Contains(notes, fmt.Sprintf("%d refs are marked.", want)) {
			t.Errorf("%+v: %q, want %d refs marked", a, notes, want)
		}
		return img, pic
	}
	// Red, and the first button of each frame.
	img, pic := marked(browser.ScreenshotArgs{}, seenInWindow)
	for _, b := range [][2]float64{{40, 20}, {325, 25}, {325, 175}} { // their corners
		edge := pic.At(int(b[0]*img.Scale), int((b[1]+15)*img.Scale))
		if near(edge, red) || near(edge, blue) || near(edge, green) {
			t.Errorf("there is no box around what is at %v: %v", b, edge)
		}
	}
	colourAt(t, img, pic, 100, 310, grey) // what is covered
	marked(browser.ScreenshotArgs{FullPage: true, FullSize: true}, seenInWindow+1)
	marked(browser.ScreenshotArgs{Ref: ref(t, out, `"Inner far"`)}, 1)
	o, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Red"`)})
	if err != nil {
		t.Fatal(err)
	}
	if o.Tab.Title != "0 changes, 0 sheets" {
		t.Errorf("the page saw something: %s", o.Tab.Title)
	}
	// What lies before a frame covers what is in it.
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => document.body.insertAdjacentHTML('beforeend', '<div style=\"position:absolute;left:290px;top:140px;width:300px;height:150px;background:#888\"></div>')"}); err != nil {
		t.Fatal(err)
	}
	marked(browser.ScreenshotArgs{}, seenInWindow-1)
}

const seenInWindow = 3

// The browser moves what is drawn of a page to do so; a click that comes at once
// must not go where a frame of another process was then.
func TestClickAfterAPictureOfAPart(t *testing.T) {
	c := startChromium(t, "--window-size=1000,800")
	ctx := testContext(t)
	out := c.openShot(t)
	for n := range 12 {
		a := []browser.ScreenshotArgs{{Ref: ref(t, out, `"Inner far"`)}, {FullPage: true}, {Ref: ref(t, out, `"Below"`)}}[n%3]
		c.shot(t, a)
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Red"`)}); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

func TestScreenshotOfWhatIsTooLarge(t *testing.T) {
	for _, device := range []string{"1", "2"} {
		c := startChromium(t, "--window-size=1000,800", "--force-device-scale-factor="+device)
		ctx := testContext(t)
		c.open(t, "/tall.html?60000")
		for _, a := range []browser.ScreenshotArgs{{FullPage: true}, {FullPage: true, FullSize: true}, {FullPage: true, FullSize: true, Format: "png"}} {
			img, pic := c.shot(t, a)
			if len(img.Data) > 5<<20 || max(img.Width, img.Height) > 16_000 { // what browsers draw in one surface
				t.Errorf("%+v: %d bytes, %d × %d", a, len(img.Data), img.Width, img.Height)
			}
			if told := strings.Contains(strings.Join(img.Notes, " "), "small text may be lost at this scale"); told != (img.Scale < 0.5) {
				t.Errorf("%+v: scale %g, with the notes %q", a, img.Scale, img.Notes)
			}
			for i := range 10 { // ten bands of colour
				colourAt(t, img, pic, 500, 60000*(float64(i)+0.5)/10, color.RGBA{uint8(i * 25), uint8(255 - i*25), 128, 255})
			}
		}
		c.open(t, "/tall.html?900000")
		if _, err := c.Screenshot(ctx, browser.ScreenshotArgs{FullPage: true}); err == nil || !strings.Contains(err.Error(), "900000 px: one picture of it would show nothing") {
			t.Errorf("a page that no picture can show: %v", err)
		}
		if _, pic := c.shot(t, browser.ScreenshotArgs{}); !near(pic.At(50, 50), color.RGBA{0, 255, 128, 255}) {
			t.Errorf("its window is %v", pic.At(50, 50))
		}
	}
}

// Noise has no redundancy: without loss it is far over 5 MB.
func TestScreenshotNeverOver5MB(t *testing.T) {
	c := startChromium(t, "--window-size=1400,1000", "--force-device-scale-factor=2")
	c.open(t, "/noise.html")
	for _, a := range []browser.ScreenshotArgs{{FullSize: true, Format: "png"}, {FullSize: true, Annotate: true}, {}, {}} {
		img, _ := c.shot(t, a)
		if len(img.Data) > 5<<20 || img.MIMEType != "image/jpeg" {
			t.Errorf("%+v: %s of %d bytes", a, img.MIMEType, len(img.Data))
		}
	}
	if img, _ := c.shot(t, browser.ScreenshotArgs{Format: "webp"}); img.MIMEType != "image/webp" {
		t.Errorf("asked for WebP: %s", img.MIMEType)
	}
}

func TestScreenshotOfATabInTheBackground(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	out := c.openShot(t)
	img, _ := c.shot(t, browser.ScreenshotArgs{})
	back := img.Tab.ID
	c.open(t, "/form.html") // in front of it
	for range 10 {
		// It changes while nobody draws it.
		if _, err := c.Click(ctx, browser.ClickArgs{Ref: ref(t, out, `"Red"`)}); err != nil {
			t.Fatal(err)
		}
		img, pic := c.shot(t, browser.ScreenshotArgs{Tab: back, Annotate: true})
		colourAt(t, img, pic, 100, 35, red)
		colourAt(t, img, pic, 385, 190, green)
	}
}

func TestScreenshotArguments(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	for _, w := range []struct {
		a    browser.ScreenshotArgs
		want string
	}{
		{browser.ScreenshotArgs{Format: "gif"}, `There is no format "gif"; use png, jpeg or webp.`},
		{browser.ScreenshotArgs{Ref: "e1", FullPage: true}, "not both."},
	} {
		if _, err := c.Screenshot(ctx, w.a); err == nil || !strings.Contains(err.Error(), w.want) {
			t.Errorf("%+v: %v", w.a, err)
		}
	}
}
