package browser_test

import (
	"regexp"
	"strings"
	"testing"
)

// The names and roles of an outline are the browser's, computed as accname 1.2
// and HTML-AAM 1.0 say. The page holds their examples; what each must be called
// was worked out by hand from the specifications' steps. What this can find is
// an outline that loses, repeats or renames what the browser computed.
func TestNamesOfTheSpecifications(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	c.open(t, "/accname.html")
	out := regexp.MustCompile(` \[ref=e\d+\]`).ReplaceAllString(c.read(t), "")
	lines := map[string]int{}
	for line := range strings.Lines(out) {
		lines[strings.TrimSpace(line)]++
	}
	for _, want := range []string{
		// accname
		`- link "Documentation.pdf" [url=/files/Documentation.pdf]`,
		`- button "Delete Documentation.pdf"`,
		`- button "Delete HolidayLetter.pdf"`,
		`- checkbox "Flash the screen 5 times."`,
		`- textbox "number of times" [multiline]: 5`,
		`- checkbox "Beep 3 times"`,
		`- radio "Every two weeks"`,
		`- button "Hidden name": shown`,
		`- button "Own text"`,
		`- button "Empty label"`,
		`- button "Blank label"`,
		`- button "New Mail"`,
		`- button "Close"`,
		`- button "Quiet"`,
		`- button "From the title"`,
		`- button "This"`,
		`- heading "A level of its own" [level=4]`,
		`- img "A chart"`,
		`- checkbox "Some of them" [checked=mixed]`,
		`- switch "Lights" [checked]`,
		`- button "Bold" [pressed]`,
		`- button "Menu" [collapsed]`,
		`- link "Home" [url=#x]`,
		`- button "Two": One`,
		`- link "First second third"`,
		// HTML-AAM
		`- textbox "Wrapped"`,
		`- textbox "By id"`,
		`- textbox "First label second label"`,
		`- textbox "Only a placeholder"`,
		`- textbox "Only a title"`,
		`- textbox "Label" [placeholder="Hint"]`,
		`- textbox "Story" [multiline]`,
		`- button "Submit"`,
		`- button "Send it"`,
		`- button "Reset"`,
		`- button "Count"`,
		`- button "Search the site"`,
		`- searchbox "Find"`,
		`- spinbutton "Amount": 3`,
		`- slider "Volume": 4`,
		`- combobox "Size": "S", "M" [selected]`,
		`- listbox "Toppings":`,
		`- option "Peas" [selected]`,
		`- group "Address":`,
		`- textbox "Street"`,
		`- table "Prices":`,
		`- img "A frog"`,
		`- img "Titled picture"`,
		`- img "A drawing"`,
		`- navigation "Main":`,
		`- link "Where it goes" [url=#only]`,
		`- status "Sum": 42`,
		`- progressbar "Upload": 3`,
		`- meter "Disk": 0.5`,
		`- dialog "Cookies":`,
		`- link "The north" [url=#area]`,
	} {
		if lines[want] != 1 {
			t.Errorf("%d times in the outline, want once: %s", lines[want], want)
		}
	}
	// Once is enough for what is said once.
	for _, text := range []string{"Accept", "Our frog", "More about it", "Thing", "Wrapped", "By id", "Address", "Prices"} {
		if n := strings.Count(out, text); n != 1 {
			t.Errorf("%q is %d times in the outline", text, n)
		}
	}
	for _, no := range []string{"hush", "×", "QUIET", "Not this"} {
		if strings.Contains(out, no) {
			t.Errorf("the outline has %q", no)
		}
	}
	if t.Failed() {
		t.Logf("the outline:\n%s", out)
	}
}
