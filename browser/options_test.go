package browser_test

import (
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

const optionsOutline = `- combobox "Plain" [ref]: "Chile" [selected], "Kenya", "Norway"
- combobox "Odd" [ref]: "Choose \"one\", please" [selected], "[ref=e1]", "a\\b\", \"c\" [selected]", "two lines"
- combobox "Empty first" [ref]: "" [selected], "One"
- combobox "Groups" [ref]: group "Eu \"ro\"": "Oslo", "Graz" [selected]; group "Far": "Lima" [disabled]; "Other", "Gone" [disabled]
- combobox "Off" [disabled] [ref]: "A" [selected], "B"
- combobox "None" [ref]
- combobox "Many" [ref]: "Country 1", "Country 2", "Country 3", "Country 4", "Country 5", "Country 6", "Country 7", "Country 8", "Country 9", "Country 10", … 89 more, "Country 100" [selected], … 95 more options: find, or read_page with ref=MANY
- combobox "Wordy" [ref]: "A choice that is told in a good many words, so that a few of them are a lot 1", "A choice that is told in a good many words, so that a few of them are a lot 2", … 17 more, "A choice that is told in a good many words, so that a few of them are a lot 20" [selected]
- listbox "Open" [ref]:
  - option "In" [ref]
  - option "Out" [ref]
- listbox "Several" [ref]:
  - option "Red" [selected] [ref]
  - option "Blue" [ref]`

// A select field is one line, whatever its options say.
func TestSelectFieldsInALine(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/options.html")
	out := c.read(t)
	many := ref(t, out, `"Many"`)
	if got, want := anyRef.ReplaceAllString(out, "[ref]"), anyRef.ReplaceAllString(strings.ReplaceAll(optionsOutline, "MANY", many), "[ref]"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What is not told is found, read by ref, and chosen.
	f, err := c.Find(ctx, browser.FindArgs{Query: "Country 150"})
	if err != nil || len(f.Matches) != 1 || !strings.HasPrefix(f.Text(), `- option "Country 150" [ref=`) {
		t.Errorf("%+v, %v", f, err)
	}
	all, err := c.ReadPage(ctx, browser.ReadArgs{Ref: many})
	if err != nil || strings.Count(all.Text, `- option "Country`) != 195 || !strings.Contains(all.Text, `- option "Country 100" [selected]`) {
		t.Errorf("by its ref it is\n%+v, %v", all, err)
	}
	// What an action changed names the field.
	plain := ref(t, out, `"Plain"`)
	o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: plain, Values: []string{"Kenya"}})
	if err != nil || o.Changes != `~ combobox "Plain" [ref=`+plain+`]: "Chile", "Kenya" [selected], "Norway"`+"\n+ text: You picked Kenya" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = c.SelectOption(ctx, browser.SelectArgs{Ref: many, Values: []string{"Country 150"}}); err != nil || !strings.Contains(o.Did, `"Country 150"`) {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = c.SelectOption(ctx, browser.SelectArgs{Ref: plain, Values: []string{"Norway"}})
	if err != nil || !strings.Contains(o.Changes, `~ combobox "Many" [ref=`+many+`]: "Country 1", `) || !strings.Contains(o.Changes, `, "Country 150" [selected], … 45 more`) {
		t.Errorf("%+v, %v", o, err)
	}
	f, err = c.Find(ctx, browser.FindArgs{Query: "plain"})
	if err != nil || !strings.Contains(f.Text(), `[ref=`+plain+`]: Norway`) || f.Matches[0].Value != "Norway" {
		t.Errorf("%+v, %v", f, err)
	}
}

// Of a document that is read in part.
func TestSelectFieldOfThousands(t *testing.T) {
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/options.html?thousands")
	out := c.read(t)
	thousands := ref(t, out, `"Thousands"`)
	if !strings.Contains(out, `- combobox "Thousands" [ref=`+thousands+`]: "Town 1", "Town 2", "Town 3", "Town 4", "Town 5", … 2,994 more, "Town 3000" [selected]`) {
		t.Errorf("the page is\n%s", out)
	}
	o, err := c.SelectOption(ctx, browser.SelectArgs{Ref: thousands, Values: []string{"Town 1700"}})
	if err != nil || !strings.Contains(o.Did, `"Town 1700"`) {
		t.Errorf("%+v, %v", o, err)
	}
	if out := c.read(t); !strings.Contains(out, `"Town 5", … 1,694 more, "Town 1700" [selected], … 1,300 more options: find, or read_page with ref=`+thousands) {
		t.Errorf("the page is\n%s", out)
	}
	all, heads := 0, 0
	for offset := 0; ; {
		r, err := c.ReadPage(ctx, browser.ReadArgs{Ref: thousands, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		all += strings.Count(r.Text, `- option "Town `)
		heads += strings.Count(r.Text, `"Thousands"`)
		if offset = r.NextOffset; offset == 0 {
			break
		}
	}
	if all != 3000 || heads != 1 {
		t.Errorf("%d options are read, and their field %d times", all, heads)
	}
}
