//go:build linux

package e2e

import "strings"

// Each editor keeps a document of its own beside what it shows: what it gives
// back is the witness, not the page's text.

func quill(l *library) {
	l.t.Helper()
	const text = `JSON.stringify(quill.getText())`
	l.fill("textbox", "", "First line\nSecond line")
	l.want("filled", text, `"First line\nSecond line\n"`)
	l.typeIn("textbox", "", " and more", false)
	l.want("typed", text, `"First line\nSecond line and more\n"`)
	l.press("Control+a")
	l.click("button", "bold")
	l.want("bold", `quill.getContents().ops.every((o) => o.attributes?.bold || o.insert === '\n')`, "true")
	l.click("button", "Normal")
	l.click("button", "Heading 1")
	l.want("a heading", `all('.ql-editor h1').length`, "2")
	l.fill("textbox", "", "")
	l.want("emptied", text, `"\n"`)
}

func proseMirror(l *library) {
	l.t.Helper()
	const text = `view.state.doc.textBetween(0, view.state.doc.content.size, '|')`
	l.reads("Hello ProseMirror", "This is editable text.")
	l.typeIn("textbox", "", " And more.", false)
	l.want("typed", text, "Hello ProseMirror|This is editable text. And more.")
	l.fill("textbox", "", "First line\nSecond line")
	l.want("filled", text, "First line|Second line")
	l.press("Control+a")
	l.click("button", "Toggle strong style")
	l.want("strong", `all('.ProseMirror strong').map((n) => n.textContent).join('|')`, "First line|Second line")
	l.click("button", "Undo last change")
	l.want("undone", `all('.ProseMirror strong').length`, "0")
	l.fill("textbox", "", "")
	l.want("emptied", text, "")
}

func lexical(l *library) {
	l.t.Helper()
	const text = `JSON.stringify(textOf())`
	l.fill("textbox", "Editor", "First line")
	l.want("filled", text, `"First line"`)
	l.typeIn("textbox", "Editor", " and more", true)
	l.ok("type_text", args{"tab": l.tab, "text": "Second"})
	l.want("typed", text, `"First line and more\n\nSecond"`)
	l.fill("textbox", "Editor", "One\nTwo")
	l.want("filled with two lines", `textOf().replace(/\n+/g, '|')`, "One|Two")
	l.fill("textbox", "Editor", "")
	l.want("emptied", text, `""`)
}

func codeMirror(l *library) {
	l.t.Helper()
	const text = `JSON.stringify(view.state.doc.toString())`
	l.fill("textbox", "", "let a = 1;\nlet b = 2;")
	l.want("filled", text, `"let a = 1;\nlet b = 2;"`)
	l.reads("- text: let a = 1;\n", "- text: let b = 2;\n")
	l.press("Control+End")
	l.ok("type_text", args{"tab": l.tab, "text": "\nc"})
	l.want("typed", text, `"let a = 1;\nlet b = 2;\nc"`)
	l.press("Control+z")
	l.fill("textbox", "", "")
	l.want("emptied", text, `""`)
}

func monaco(l *library) {
	l.t.Helper()
	const text = `JSON.stringify(editor.getValue())`
	l.fill("textbox", "Editor content", "let a = 1;\nlet b = 2;")
	l.want("filled", text, `"let a = 1;\nlet b = 2;"`)
	l.reads("- text: let a = 1;\n", "- text: let b = 2;\n")
	l.press("Control+End")
	l.ok("type_text", args{"tab": l.tab, "text": " // more"})
	l.want("typed", text, `"let a = 1;\nlet b = 2; // more"`)
	l.fill("textbox", "Editor content", "")
	l.want("emptied", text, `""`)
}

// reads fails unless the outline has each text once: an editor's document is
// read, and it is not read twice.
func (l *library) reads(texts ...string) {
	l.t.Helper()
	outline := l.read()
	for _, text := range texts {
		if n := strings.Count(outline, text); n != 1 {
			l.t.Fatalf("%q is there %d times:\n%s", text, n, outline)
		}
	}
}
