package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	out := c.read(t)
	name := ref(t, out, `"Name"`)
	// The page's own world: what one call leaves there the next one finds.
	for _, tc := range []struct{ fn, ref, want, err string }{
		{"() => document.title", "", `"A form"`, ""},
		{"document.title", "", `"A form"`, ""},
		{"function () { return [1, null, {a: 'é\\n'}]; }", "", `[1,null,{"a":"é\n"}]`, ""},
		{"async () => { await new Promise((r) => setTimeout(r, 50)); return location.pathname; }", "", `"/form.html"`, ""},
		{"(el) => el.name", name, `"name"`, ""},
		{"(el) => { el.value = 'set'; window.kept = el; }", name, "", ""},
		{"() => window.kept.value // the page's own", "", `"set"`, ""},
		{"() => ({no: NaN, many: 1e999})", "", `{"no":"NaN","many":"Infinity"}`, ""},
		{"() => undefined", "", "", ""},
		{"() => '\\ud800'", "", `"\ud800"`, ""},
		{"() => document.body", "", "", "it is an element or node (body)"},
		{"() => ({at: {el: document.body}})", "", "", "el in it is an element or node"},
		{"() => window", "", "", "a window"},
		{"() => { const a = {}; a.a = a; return a; }", "", "", "refers to itself"},
		{"() => 1n", "", "", "BigInt"},
		{"() => () => 1", "", "", "a function"},
		{"() => new Map([[1, 2]])", "", "", "a Map"},
		{"() => {\n  const a = 1;\n  throw new TypeError('no good');\n}", "", "", "TypeError: no good (line 3 of the function)"},
		{"() => {\n\n  nowhere.to = 1;\n}", "", "", "nowhere is not defined (line 3 of the function)"},
		{"() => Promise.reject('why')", "", "", "string why"},
		{"() => {\n  const = 1;\n}", "", "", "line 2"},
		{"const a = 1; a", "", "", "cannot be run"},
	} {
		e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: tc.fn, Ref: tc.ref})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %+v, %v", tc.fn, e, err)
			}
			continue
		}
		if err != nil || e.JSON != tc.want {
			t.Errorf("%s: %+v, %v", tc.fn, e, err)
		}
	}
	e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => 'x'.repeat(300000)"})
	if err != nil || len(e.JSON) != 20_000 || e.Total != 300_002 {
		t.Errorf("%d of %d, %v", len(e.JSON), e.Total, err)
	}
	e, err = c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { document.title = 'Changed'; open('/other.html'); }"})
	if err != nil || !e.TitleChanged || len(e.Opened) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => confirm('sure?')"})
	if err != nil || e.Dialog == nil || e.Dialog.Message != "sure?" {
		t.Fatalf("%+v, %v", e, err)
	}
	if _, err := c.HandleDialog(ctx, browser.DialogArgs{Accept: true}); err != nil {
		t.Fatal(err)
	}
	e, err = c.Evaluate(ctx, browser.EvaluateArgs{Function: "() => { location = '/other.html'; }"})
	if err != nil || e.Tab.Title != "Other" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err = c.Evaluate(ctx, browser.EvaluateArgs{Function: "(el) => el.name", Ref: name}); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("%v", err)
	}
}

func TestEvaluateInAFrame(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/canvas-frame.html")
	if _, err := c.WaitFor(ctx, browser.WaitArgs{Text: "Tip"}); err != nil {
		t.Fatal(err)
	}
	e, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: "(el) => el.id + location.pathname + typeof out", Ref: ref(t, c.read(t), `"Map"`)})
	if err != nil || e.JSON != `"map/canvas.htmlobject"` {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestEvaluateWithoutEnd(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/form.html")
	for _, fn := range []string{"() => { for (;;); }", "() => new Promise((r) => setTimeout(r, 60000))"} {
		start := time.Now()
		_, err := c.Evaluate(ctx, browser.EvaluateArgs{Function: fn})
		if err == nil || !strings.Contains(err.Error(), "did not end within 10s") || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %v after %s", fn, err, time.Since(start))
		}
		if !strings.Contains(c.read(t), "Newsletter") {
			t.Errorf("after %s the page is gone", fn)
		}
	}
}
