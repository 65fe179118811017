//go:build linux

package e2e

// What every TodoMVC has on its page, in the page's own words.
const (
	todoTitles = `all('.view label').map((n) => n.textContent.trim()).join()`
	todoDone   = `all('.toggle').map((n) => n.checked ? 1 : 0).join('')`
	todoCount  = `all('.todo-count')[0].textContent.trim().replace(/\s+/g, ' ')`
)

// todoMVC is the same application whatever it is made with.
func todoMVC(l *library) {
	l.t.Helper()
	for _, title := range []string{"Buy milk", "Walk the dog", "Write \"it\" down"} {
		l.typeIn("textbox", "What needs to be done\\?", title, true)
		l.want("the draft is empty again", `all('.new-todo')[0].value`, "")
	}
	l.want("three added", todoTitles, `Buy milk,Walk the dog,Write "it" down`)

	// The check boxes have no name; those of the list come after the one for all.
	l.ok("click", args{"ref": l.todo(1)})
	l.want("the second done", todoDone, "010")
	l.want("two left", todoCount, "2 items left")

	// The button shows only under the pointer.
	l.ok("hover", args{"ref": l.todo(0)})
	l.click("button", ".*", 0)
	l.want("the first removed", todoTitles, `Walk the dog,Write "it" down`)

	l.click("link", "Active")
	l.want("only what is to do", todoTitles, `Write "it" down`)
	l.click("link", "Completed")
	l.want("only what is done", todoTitles, `Walk the dog`)
	l.ok("navigate", args{"tab": l.tab, "action": "back"})
	l.want("back at what is to do", todoTitles, `Write "it" down`)
	l.click("link", "All")
	l.click("button", "Clear completed")
	l.want("what was done is gone", todoTitles, `Write "it" down`)
	l.want("one left", todoCount, "1 item left")

	l.fill("textbox", "What needs to be done\\?", "Filled in")
	l.press("Enter")
	l.want("fill and Enter", todoTitles, `Write "it" down,Filled in`)
}

// todo is the ref of the nth entry's check box.
func (l *library) todo(n int) string {
	l.t.Helper()
	return l.ref("checkbox", "", n)
}
