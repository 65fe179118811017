package mcpserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// How much of a page's own words goes on one line of a result, in characters.
const (
	maxTitle   = 200
	maxURL     = 600
	maxMessage = 2000 // of a dialog
	maxDid     = 4000
)

// pageLine says when a result names the page.
type pageLine bool

const (
	changedPage pageLine = false // if its address or title changed
	alwaysPage  pageLine = true
)

// outcomeOf is what a call to the engine gave, as a result.
func outcomeOf(o *browser.Outcome, err error) *mcp.CallToolResult {
	return outcome(o, err, changedPage)
}

// outcome makes the result of an action. An error comes first; what happened
// before it comes after.
func outcome(o *browser.Outcome, err error, page pageLine) *mcp.CallToolResult {
	var lines []string
	if err != nil {
		lines = append(lines, sentence(err))
	}
	if o != nil {
		if o.Did != "" {
			did := oneLine(o.Did, maxDid)
			if err != nil {
				did = "Before that: " + did
			}
			lines = append(lines, did)
		}
		if o.URLChanged || o.TitleChanged || bool(page) && o.Tab.ID != "" {
			lines = append(lines, "Page: "+describeTab(o.Tab))
		}
		if o.Dialog != nil {
			lines = append(lines, dialogLine(o.Dialog, o.Tab.ID))
		}
		for _, t := range o.Opened {
			lines = append(lines, fmt.Sprintf("A new tab opened: %s %s", t.ID, describeTab(t)))
		}
		for _, id := range o.Closed {
			lines = append(lines, fmt.Sprintf("Tab %s was closed.", id))
		}
		for _, d := range o.Downloads {
			lines = append(lines, downloadLine(d))
		}
		for _, n := range o.Notes {
			lines = append(lines, "Note: "+oneLine(n, maxDid))
		}
	}
	if o != nil && o.Changes != "" {
		lines = append(lines, "Changed:\n"+pageContent(o.Changes))
	}
	if len(lines) == 0 {
		lines = append(lines, "Done.")
	}
	return textResult(strings.Join(lines, "\n"), err != nil)
}

// reading makes the result of read_page.
func reading(r *browser.Reading, err error, args browser.ReadArgs) *mcp.CallToolResult {
	if err != nil || r == nil {
		return failure(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Tab %s: %s\n", r.Tab.ID, describeTab(r.Tab))
	if r.Dialog != nil {
		b.WriteString(dialogLine(r.Dialog, r.Tab.ID) + "\n")
	}
	for _, n := range r.Notes {
		b.WriteString("Note: " + oneLine(n, maxDid) + "\n")
	}
	if r.Text == "" {
		if r.Dialog == nil {
			b.WriteString(emptyReading(r))
		}
		return textResult(b.String(), false)
	}
	b.WriteString(pageContent(r.Text))
	end := r.Offset + utf8.RuneCountInString(r.Text)
	if r.NextOffset > 0 {
		of := "of"
		if r.Open {
			of = "of more than"
		}
		fmt.Fprintf(&b, "\nCut: this was %d to %d %s %d characters. For more: read_page with %s.", r.Offset, end, of, r.Total, goOn(r, args))
	} else if r.Offset > 0 {
		fmt.Fprintf(&b, "\nThis was %d to %d of %d characters, the end.", r.Offset, end, r.Total)
	}
	return textResult(b.String(), false)
}

// pageContent puts what a page says between two marks with a random word that
// the page cannot know.
func pageContent(text string) string {
	mark := boundary(text)
	return fmt.Sprintf("<page %s>\n%s\n</page %s>", mark, strings.TrimSuffix(text, "\n"), mark)
}

func emptyReading(r *browser.Reading) string {
	if r.Offset > 0 {
		return fmt.Sprintf("There is nothing at offset %d: the page has %d characters.", r.Offset, r.Total)
	}
	return "The page shows nothing that can be read. If it may still be loading, use wait_for; screenshot shows what it looks like."
}

// goOn says with which arguments the rest can be read.
func goOn(r *browser.Reading, args browser.ReadArgs) string {
	parts := []string{fmt.Sprintf("offset %d", r.NextOffset)}
	if args.Mode != "" {
		parts = append(parts, fmt.Sprintf("mode %q", args.Mode))
	}
	if args.Ref != "" {
		parts = append(parts, fmt.Sprintf("ref %q", args.Ref))
	}
	if args.MaxChars > 0 {
		parts = append(parts, fmt.Sprintf("max_chars %d", args.MaxChars))
	}
	if args.Tab != "" {
		parts = append(parts, fmt.Sprintf("tab %q", args.Tab))
	}
	return strings.Join(parts, ", ")
}

// boundary makes a word that does not occur in text.
func boundary(text string) string {
	for {
		// 26 random letters and digits, of which 8 are beyond guessing: a page has
		// one guess, before the word is made.
		if word := strings.ToLower(rand.Text()[:8]); !strings.Contains(text, word) {
			return word
		}
	}
}

// picture makes the result of screenshot.
func picture(img *browser.Image, err error) *mcp.CallToolResult {
	if err != nil || img == nil {
		return failure(err)
	}
	lines := []string{fmt.Sprintf("Screenshot of tab %s, %d × %d pixels: %s", img.Tab.ID, img.Width, img.Height, describeTab(img.Tab))}
	for _, n := range img.Notes {
		lines = append(lines, "Note: "+oneLine(n, maxDid))
	}
	res := textResult(strings.Join(lines, "\n"), false)
	res.Content = append(res.Content, &mcp.ImageContent{Data: img.Data, MIMEType: img.MIMEType})
	return res
}

// tabList makes the result of tabs with action list.
func tabList(tabs []browser.Tab, err error) *mcp.CallToolResult {
	if err != nil {
		return failure(err)
	}
	if len(tabs) == 0 {
		none := `You have no tabs. Open one with navigate, or with tabs and action "open".`
		return structured(textResult(none, false), tabsOut{Tabs: []tabOut{}, Notes: none})
	}
	lines := make([]string, len(tabs))
	for i, t := range tabs {
		current := ""
		if t.Current {
			current = " (current)"
		}
		lines[i] = fmt.Sprintf("%s%s: %s", t.ID, current, describeTab(t))
		if t.Dialog != nil {
			lines[i] += ", dialog open: " + openDialog(t.Dialog)
		}
	}
	return structured(textResult(strings.Join(lines, "\n"), false), tabsOf(tabs))
}

// failure makes the result of a call that gave nothing but an error.
func failure(err error) *mcp.CallToolResult {
	if err == nil {
		err = errors.New("the page engine gave no result; this is a bug in Sidekick")
	}
	text := sentence(err)
	if r := []rune(text); len(r) > maxErrorChars { // it quotes what was asked for
		text = string(r[:maxErrorChars]) + "…"
	}
	return textResult(text, true)
}

// maxErrorChars bounds an error's text.
const maxErrorChars = 2000

func textResult(text string, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: strings.ToValidUTF8(text, "\uFFFD")}},
		IsError: isError,
	}
}

// sentence is an error's text for the model.
func sentence(err error) string { return strings.TrimSpace(err.Error()) }

// describeTab names a page. The title is the page's own word and so stands in
// quotes that it cannot break out of.
func describeTab(t browser.Tab) string {
	url := oneLine(t.URL, maxURL)
	if t.Title == "" {
		return url
	}
	return quote(t.Title, maxTitle) + " — " + url
}

// openDialog names a dialog in a list.
func openDialog(d *browser.Dialog) string {
	return oneLine(d.Type, maxTitle) + " " + quote(d.Message, maxTitle)
}

func dialogLine(d *browser.Dialog, tab string) string {
	line := fmt.Sprintf("The page opened a dialog (%s): %s", oneLine(d.Type, maxTitle), quote(d.Message, maxMessage))
	if d.Default != "" {
		line += fmt.Sprintf(", with the text %s", quote(d.Default, maxMessage))
	}
	line += ". Until you answer it with handle_dialog the page does nothing else"
	if tab != "" {
		line += fmt.Sprintf(" (tab %s)", tab)
	}
	return line + "."
}

// quote puts a page's words in double quotes, on one line.
func quote(s string, limit int) string {
	s = oneLine(s, limit)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// oneLine makes one line of any text, so that it cannot pass for a line of
// ours: line ends and other control characters become spaces. Marks that turn
// the direction of writing go too, since they could show the rest of the line
// in another order than it has.
func oneLine(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\u2028' || r == '\u2029' || unicode.IsControl(r):
			return ' '
		case r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069':
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return shorten(strings.TrimSpace(s), limit)
}

// shorten cuts s to at most limit characters and says so with an ellipsis.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
