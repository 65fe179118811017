//go:build linux

package e2e

import "strings"

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
	l.ok("drag", args{"from": l.ref("slider", "Volume"), "x": -400, "y": 0})
	l.want("Slider by its thumb", reactState+".volume", "0")
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
	// The options that can be seen come with the click that shows them; the list
	// for assistive software holds two of them at most.
	opened := l.click("combobox", "Fruit")
	plum := findRefs(strings.ReplaceAll(opened, "\n+ ", "\n- "), "generic|option", "Plum")
	if len(plum) != 1 || strings.Contains(l.read(), "listbox") {
		l.t.Fatalf("Plum is to be there once, and no hidden list:\n%s\n%s", opened, l.read())
	}
	l.ok("click", args{"ref": plum[0]})
	l.want("Select by an option", `all('.ant-select')[0].textContent`, "Plum")
	l.typeIn("combobox", "Fruit", "Cher", true)
	l.ok("select_option", args{"ref": l.ref("combobox", "Fruit"), "values": []string{"Banana"}})
	l.want("Select by select_option", `all('.ant-select')[0].textContent`, "Banana")
	l.ok("select_option", args{"ref": l.ref("combobox", "Tags"), "values": []string{"Red", "Blue"}})
	l.want("Select of several by select_option", `all('.ant-select')[1].innerText.replace(/\s+/g, ' ').trim()`, "Red Blue")
	l.press("Backspace")
	l.press("Backspace")
	l.want("both taken back", `all('.ant-select')[1].innerText.trim()`, "")
	l.typeIn("combobox", "Fruit", "Cher", true)
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

	l.click("button", "Actions")
	l.click("menuitem", "Move it")
	l.want("Dropdown", reactState+".menu", "move")
	l.click("textbox", "Day")
	l.click("button", "Next month")
	l.click("cell", "15")
	l.want("DatePicker by a day", `all('.ant-picker input')[0].value`, "2026-04-15")

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
	l.ok("select_option", args{"ref": l.ref("combobox", "Favorite animal"), "values": []string{"Dog"}})
	l.want("Select by select_option", `all('sl-select')[0].value`, "dog")
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

	l.ok("press_key", args{"ref": l.ref("generic", `\(ui-slider-handle.*`), "key": "ArrowRight"})
	l.want("Slider by key", `all('#amount')[0].textContent`, "1")
	l.ok("drag", args{"from": l.ref("generic", `\(ui-slider-handle.*`), "x": 150, "y": 0})
	l.want("Slider by its handle", `Math.abs(all('#amount')[0].textContent - 51) < 3`, "true")
	l.ok("drag", args{"from": l.found("Item 1"), "to": l.found("Item 3")})
	l.want("Sortable", `all('#sortable li').map((n) => n.textContent).join()`, "Item 2,Item 3,Item 1")
	l.ok("drag", args{"from": l.found("Item 1"), "to": l.found("Item 2")})
	l.want("Sortable upwards", `all('#sortable li').map((n) => n.textContent).join()`, "Item 1,Item 2,Item 3")

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
	l.click("combobox", "Wyoming|State.*")
	l.ok("type_text", args{"tab": l.tab, "text": "cali", "submit": true}) // it moves the focus by itself
	l.want("one by typing where the focus is", `all('#state')[0].value`, "CA")
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
	l.want("farther by key", `map.getZoom() + ' ' + map._animatingZoom`, "13 false")

	l.ok("click", args{"ref": l.ref("graphics-symbol", `\(leaflet-interactive, red path.*`)})
	l.want("the circle's popup", `all('.leaflet-popup-content').map((n) => n.innerText).join()`, "I am a circle.")
	l.click("button", "Close popup")
	l.want("it closes", `all('.leaflet-popup').length`, "0")
	// The map has moved to show the popup.
	l.ok("evaluate", args{"tab": l.tab, "function": "() => { map.stop(); map.setView([51.505, -0.09], 13, { animate: false }); window.was = map.getCenter(); }"})
	l.ok("click", args{"ref": l.ref("generic", ""), "x": 550, "y": 300})
	l.want("a click at a point", `all('#at')[0].textContent.startsWith('You clicked the map at LatLng(51.49')`, "true")
	l.ok("drag", args{"from": l.ref("generic", ""), "path": [][]int{{500, 300}, {400, 300}, {300, 250}}})
	l.want("dragged", `map.getCenter().lng > was.lng + 0.02 && map.getCenter().lat < was.lat`, "true")
}

// sortableJS sorts by HTML5's own drag and drop. Its entries say by nothing that
// they can be dragged: a person knows it of the page.
func sortableJS(l *library) {
	l.t.Helper()
	list := func(id string) string { return `all('#` + id + ` > *').map((n) => n.textContent.trim()).join()` }
	l.ok("drag", args{"from": l.found("item 1"), "to": l.found("item 3")})
	l.want("down the list", list("items"), "item 2,item 3,item 1")
	l.ok("drag", args{"from": l.found("item 1"), "to": l.found("item 2")})
	l.want("up the list", list("items"), "item 1,item 2,item 3")
	l.ok("drag", args{"from": l.found("left 1"), "to": l.found("right 2")})
	l.want("to another list", list("left")+" + ' | ' + "+list("right")+".split(',').sort().join()", "left 2 | left 1,right 1,right 2")
	l.ok("drag", args{"from": l.ref("generic", "::", 1), "to": l.ref("generic", "::", 0)})
	l.want("by a handle", list("cards"), ":: card 2,:: card 1")
}
