package browser_test

import (
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// The list says which tabs wait for an answer to a dialog, and takes no address
// for a title.
func TestTabsList(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	titles := map[string]string{"/other.html": "Other", "/tell": "", "about:blank": "", "/echo?x=1#y": ""}
	of := map[string]string{}
	for at := range titles {
		to := at
		if at != "about:blank" {
			to = c.site.URL + at
		}
		o, err := c.OpenTab(ctx, to)
		if err != nil {
			t.Fatal(err)
		}
		of[o.Tab.ID] = at
	}
	list := func() map[string]browser.Tab {
		t.Helper()
		tabs, err := c.Tabs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]browser.Tab{}
		for _, tab := range tabs {
			if at, ok := of[tab.ID]; ok {
				m[at] = tab
			}
		}
		return m
	}
	tabs := list()
	for at, want := range titles {
		if tab, ok := tabs[at]; !ok || tab.Title != want || tab.Dialog != nil {
			t.Errorf("%s: %+v, want the title %q", at, tab, want)
		}
	}
	asks := tabs["/other.html"].ID
	if _, err := c.Evaluate(ctx, browser.EvaluateArgs{Tab: asks, Function: "() => { setTimeout(() => confirm('Delete?')); }"}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return list()["/other.html"].Dialog != nil })
	for at, tab := range list() {
		if d := tab.Dialog; (d != nil) != (at == "/other.html") || d != nil && (d.Type != "confirm" || d.Message != "Delete?") {
			t.Errorf("%s: %+v", at, d)
		}
	}
	if o, err := c.SwitchTab(ctx, asks); err != nil || o.Dialog == nil || o.Dialog.Message != "Delete?" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Tab: asks}); err != nil {
		t.Fatal(err)
	}
	if d := list()["/other.html"].Dialog; d != nil {
		t.Errorf("after its answer the dialog is %+v", d)
	}
}
