//go:build linux

package e2e

const reactState = `JSON.parse(all('#state')[0].textContent)`

func materialUI(l *library) {
	l.t.Helper()
	l.click("combobox", "Age.*")
	l.click("option", "Twenty")
	l.want("Select", reactState+".age", "20")

	l.fill("combobox", "Movie", "inc")
	l.click("option", "Inception")
	l.want("Autocomplete", reactState+".film", "Inception")

	l.typeIn("combobox", "Favorites", "matr", false)
	l.click("option", "The Matrix")
	l.typeIn("combobox", "Favorites", "seven", true)
	l.press("ArrowDown")
	l.press("Enter")
	l.want("Autocomplete of several", reactState+".picked", "The Matrix,Seven Samurai")
	l.press("Backspace")
	l.want("the last one taken back", reactState+".picked", "The Matrix")

	l.fill("spinbutton", "Amount", "42")
	l.want("number", reactState+".amount", "42")
	l.click("switch", "Wi-Fi")
	l.want("Switch", reactState+".wifi", "true")
	l.click("checkbox", "I agree")
	l.want("Checkbox", reactState+".terms", "true")
	l.fill("slider", "Volume", "70")
	l.want("Slider", reactState+".volume", "70")
	l.ok("press_key", args{"ref": l.ref("slider", "Volume"), "key": "ArrowLeft"})
	l.want("Slider by key", reactState+".volume", "69")
	l.click("radio", "4 Stars")
	l.want("Rating", reactState+".stars", "4")
	l.click("tab", "Item two")
	l.want("Tabs", reactState+".tab", "1")
	l.click("button", "Details of it")
	l.want("Accordion", `all('.MuiAccordionDetails-root')[0].checkVisibility({ visibilityProperty: true })`, "true")

	l.click("button", "Dashboard")
	l.click("menuitem", "My account")
	l.want("Menu", reactState+".chose", "My account")

	l.click("button", "Open form dialog")
	l.fill("textbox", "Email Address", "ada@engine.example")
	l.click("button", "Subscribe")
	l.want("Dialog", reactState+".subscribed", "ada@engine.example")
	l.want("it closes", `all('[role=dialog]').length`, "0")
}

func antDesign(l *library) {
	l.t.Helper()
	l.click("button", "Submit")
	l.want("a required field", `all('.ant-form-item-explain-error').map((n) => n.textContent).join()`, "Please input your username!")
	l.fill("textbox", "[* ]*Username", "ada")

	l.typeIn("combobox", "Fruit", "Cher", true)
	l.want("Select", `all('.ant-select')[0].textContent`, "Cherry")
	l.typeIn("combobox", "Tags", "Gre", true)
	l.typeIn("combobox", "Tags", "Bl", true)
	l.press("Escape")
	l.fill("textbox", "Day", "2026-03-10")
	l.press("Enter")
	l.fill("spinbutton", "Count", "7")
	l.click("radio", "Large")
	l.click("switch", "Remember")
	l.click("button", "Submit")
	l.want("what is sent", `JSON.stringify(`+reactState+`.form)`,
		`{"username":"ada","fruit":"cherry","tags":["Green","Blue"],"day":"2026-03-10","count":7,"size":"b","remember":true}`)

	l.click("button", "Open Modal")
	l.click("button", "OK")
	l.want("Modal", reactState+".modal", "ok")
	l.want("it closes", `all('.ant-modal').filter((n) => n.checkVisibility()).length`, "0")
	l.click("button", "Delete")
	l.click("button", "OK")
	l.want("Popconfirm", reactState+".deleted", "true")

	l.click("columnheader", "Years")
	l.want("sorted", `all('.ant-table-tbody tr').map((r) => r.cells[2]?.textContent).filter(Boolean).join()`, "27,32,42")
	l.click("columnheader", "Years")
	l.want("sorted the other way", `all('.ant-table-tbody tr').map((r) => r.cells[2]?.textContent).filter(Boolean).join()`, "42,32,27")
	l.click("checkbox", "Select row 2")
	l.want("a row chosen", reactState+".rows", "1")
}

func shoelace(l *library) {
	l.t.Helper()
	l.fill("textbox", "Name.*", "Ada")
	l.fill("textbox", "Story", "one\ntwo")
	l.click("combobox", "Favorite animal")
	l.click("option", "Cat")
	l.click("checkbox", "I agree")
	l.click("switch", "Wi-Fi")
	l.click("radio", "Large")
	l.fill("slider", "Volume", "60")
	l.click("button", "Send")
	l.want("what is sent", `all('#sent')[0].textContent.split('&').sort().join(' ')`, "agree=yes animal=cat name=Ada size=l story=one%0Atwo volume=60 wifi=on")
	l.click("button", "Toggle me")
	l.want("Details", `all('sl-details')[0].open`, "true")
	l.click("tab", "Custom")
	l.want("Tabs", `all('sl-tab-panel').map((n) => n.active).join()`, "false,true")
	l.click("button", "Edit")
	l.click("menuitem", "Paste")
	l.want("Dropdown", `all('#picked')[0].textContent`, "paste")
	l.click("button", "Open Dialog")
	l.click("button", "Take them")
	l.want("Dialog", `all('#took')[0].textContent`, "taken")
	l.want("it closes", `all('sl-dialog')[0].open`, "false")
}

func jQueryUI(l *library) {
	l.t.Helper()
	l.ok("click", args{"ref": l.ref("textbox", "", 0)})
	l.click("link", "Next")
	l.click("link", "15")
	l.want("Datepicker", `all('#datepicker')[0].value`, "04/15/2026")
	l.want("it closes", `all('#ui-datepicker-div')[0].style.display`, "none")

	l.typeIn("textbox", "Tags:", "jav", false)
	l.ok("wait_for", args{"text": "JavaScript"})
	l.press("ArrowDown")
	l.press("ArrowDown")
	l.press("Enter")
	l.want("Autocomplete", `all('#tags')[0].value`, "JavaScript")

	l.ok("press_key", args{"ref": l.ref("generic|slider", "", -1), "key": "ArrowRight"})
	l.want("Slider by key", `all('#amount')[0].textContent`, "1")

	l.click("combobox", "(Speed)?")
	l.click("option|generic", "Fast")
	l.want("Selectmenu", `all('#speed')[0].value`, "Fast")

	l.fill("spinbutton", "Amount", "8")
	l.press("ArrowUp")
	l.want("Spinner", `all('#spinner')[0].value`, "9")
	l.click("tab", "Section 2")
	l.want("Accordion", `all('#accordion h3').map((n) => n.getAttribute('aria-expanded')).join()`, "false,true")
	l.click("tab", "Proin dolor")
	l.want("Tabs", `all('#tabs-1, #tabs-2').map((n) => n.checkVisibility()).join()`, "false,true")

	l.click("button", "Create new user")
	l.fill("textbox", "User", "ada")
	l.click("button", "Create an account")
	l.want("Dialog", `all('#users')[0].textContent`, "ada")
	l.want("it closes", `all('.ui-dialog').filter((n) => n.checkVisibility()).length`, "0")
}

func bootstrap(l *library) {
	l.t.Helper()
	l.click("button", "Launch demo modal")
	l.fill("textbox", "Recipient:", "Ada")
	l.click("button", "Send message")
	l.want("Modal", `all('#said')[0].textContent`, "Sent to Ada")
	l.want("it closes", `all('.modal-backdrop').length`, "0")

	l.click("button", "Dropdown button")
	l.click("link", "Another action")
	l.want("Dropdown", `location.hash`, "#another")
	l.click("button", "Link with href")
	l.want("Collapse", `all('#collapseExample')[0].className`, "collapse show")
	l.click("tab", "Profile")
	l.want("Tabs", `all('#profile')[0].className`, "tab-pane fade active show")
	l.click("switch", "Default switch")
	l.want("Switch", `all('#switch')[0].checked`, "true")
	l.click("radio", "Radio 2")
	l.want("Toggle buttons", `all('#r2')[0].checked`, "true")
	l.click("button", "Accordion Item #1")
	l.want("Accordion", `all('#c1')[0].className`, "accordion-collapse collapse show")
	l.click("button", "Open offcanvas")
	l.click("button", "Within it")
	l.want("Offcanvas", `all('#said')[0].textContent`, "within")
	l.press("Escape")
	l.want("it closes", `all('.offcanvas-backdrop').length`, "0")
}

func flatpickr(l *library) {
	l.t.Helper()
	l.click("textbox", "When")
	l.click("generic", "March 15, 2026")
	l.want("a day", `all('#when')[0].value`, "2026-03-15")
	l.click("textbox", "Range")
	l.click("generic", "March 20, 2026")
	l.click("generic", "March 25, 2026")
	l.want("a range", `all('#range')[0].value`, "2026-03-20 to 2026-03-25")
	l.click("textbox", "At")
	l.fill("spinbutton", "Hour", "17")
	l.fill("spinbutton", "Minute", "35")
	l.press("Enter")
	l.want("a time", `all('#at')[0].value`, "17:35")
}

func select2(l *library) {
	l.t.Helper()
	l.click("combobox", "Alabama|State.*")
	l.click("option", "New York")
	l.want("one", `all('#state')[0].value`, "NY")
	l.click("combobox", "New York|State.*")
	l.ok("type_text", args{"ref": l.ref("searchbox", "Search", -1), "text": "wyo", "submit": true}) // the last is the open list's
	l.want("one by searching", `all('#state')[0].value`, "WY")
	l.click("searchbox", "Search", 0)
	l.click("option", "California")
	l.click("searchbox", "Search", 0)
	l.click("option", "Wyoming")
	l.want("several", `[...all('#states')[0].selectedOptions].map((o) => o.value).join()`, "CA,WY")
	l.click("button", "Remove item.*", 0)
	l.want("one taken back", `[...all('#states')[0].selectedOptions].map((o) => o.value).join()`, "WY")
}

func dataTables(l *library) {
	l.t.Helper()
	const first, info = `all('tbody td')[0].textContent`, `all('.dt-info')[0].textContent`
	l.click("button", "Name: .*")
	l.want("sorted down", first, "Person 57")
	l.click("button", "Age: .*")
	l.want("sorted by another", `all('tbody tr')[0].cells[2].textContent`, "20")
	l.fill("searchbox", "Search:", "Tokyo")
	l.want("searched", info, "Showing 1 to 10 of 14 entries (filtered from 57 total entries)")
	l.ok("select_option", args{"ref": l.ref("combobox", "entries per page"), "values": []string{"25"}})
	l.want("more on a page", info, "Showing 1 to 14 of 14 entries (filtered from 57 total entries)")
	l.fill("searchbox", "Search:", "")
	l.want("all again", info, "Showing 1 to 25 of 57 entries") // it draws its buttons anew
	l.click("link|button", "Next")
	l.want("the next page", info, "Showing 26 to 50 of 57 entries")
	l.click("link|button", "3")
	l.want("page 3", info, "Showing 51 to 57 of 57 entries")
}

func leaflet(l *library) {
	l.t.Helper()
	l.click("button", "Marker")
	l.want("the marker's popup", `all('.leaflet-popup-content').map((n) => n.innerText.replace(/\s+/g, ' ')).join()`, "A pretty CSS popup. Easily customizable.")
	l.click("button", "Close popup")
	l.want("it closes", `all('.leaflet-popup').length`, "0")
	l.click("button", "Zoom in")
	l.want("nearer", `map.getZoom() + ' ' + map._animatingZoom`, "14 false") // while it moves, keys do nothing
	l.ok("press_key", args{"ref": l.ref("generic|region|application", ".*"), "key": "-"})
	l.want("farther by key", `map.getZoom()`, "13")
}
