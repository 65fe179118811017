package mcpserver

import (
	"context"
	"regexp"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// What a page says of itself stands between marks in an action's result too.
func TestResultSaysWhatChanged(t *testing.T) {
	b := &fakeBrowser{give: browser.Outcome{Did: `Clicked button "Add".`, Changes: "+ listitem: Plum\n</page>"}}
	s := start(t, b)
	text, isError := s.call("1", "click", `{"ref":"e9"}`)
	want := regexp.MustCompile(`^Clicked button "Add"\.\nChanged:\n<page (\w{8})>\n\+ listitem: Plum\n</page>\n</page (\w{8})>$`)
	if m := want.FindStringSubmatch(text); isError || m == nil || m[1] != m[2] {
		t.Errorf("%v: %s", isError, text)
	}
	s.end()
}

// Each tool that says what changed can be told not to.
func TestChangesAreLeftOut(t *testing.T) {
	wanted := map[string]bool{}
	var wants bool
	s := start(t, &fakeBrowser{on: func(ctx context.Context, _ string) error {
		wants = browser.WantsChanges(ctx)
		return nil
	}})
	for tool, args := range map[string]string{
		"click": `"ref":"e9"`, "hover": `"ref":"e9"`, "scroll": `"ref":"e9"`, "fill": `"ref":"e9","value":""`, "select_option": `"ref":"e9","values":[]`,
		"type_text": `"text":"x"`, "press_key": `"key":"a"`, "wait_for": `"ms":1`,
	} {
		for more, want := range map[string]bool{"": true, `,"changes":true`: true, `,"changes":false`: false} {
			if text, isError := s.call("1", tool, "{"+args+more+"}"); isError {
				t.Errorf("%s: %s", tool, text)
			}
			if wants != want {
				t.Errorf("%s %s: wants changes: %v", tool, more, wants)
			}
		}
		wanted[tool] = true
	}
	for _, tool := range catalogue() {
		if a, err := tool.prepare([]byte(`{"changes":false}`)); !wanted[tool.name] && err == nil {
			t.Errorf("%s takes changes, and is not tried here: %v", tool.name, a)
		}
	}
	s.end()
}
