package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// logged are calls of the console and what a developer would read of them.
var logged = []struct{ call, want string }{
	{`log('a', 1, -0, NaN, 12n, true, null, undefined, Symbol('s'))`, `log: a 1 -0 NaN 12n true null undefined Symbol(s)`},
	{`log({a: 'x', c: {d: 1}, e: [1, 2], f() {}, get g() { return 1 }})`, `log: {a: 'x', c: {…}, e: Array(2), f: ƒ, g: (…)}`},
	{`log({}, [], new (class Lamp { watts = 5 })())`, `log: {} [] Lamp {watts: 5}`},
	{`log([1, 'two', {three: 3}])`, `log: (3) [1, 'two', {…}]`},
	{`log(Array.from({length: 300}, (_, i) => i))`, `log: (300) [0, 1, 2,`},
	{`log(new Map([['a', 1], [{b: 2}, [3]]]), new Set(['x']))`, `log: Map(2) {'a' => 1, {b: 2} => [3]} Set(1) {'x'}`},
	{`log(new Uint8Array([1, 2]))`, `log: Uint8Array(2) [1, 2]`},
	{`log(function add(a, b) { return a + b }, (x) => x, class Lamp {})`, `log: ƒ add(a, b) ƒ (x) class Lamp`},
	{`log(/a+/g, new Date(0))`, `log: /a+/g Thu Jan 01 1970`},
	{`log(document.body, document.querySelector('button'))`, `log: body button`},
	{`log(Promise.resolve(5), new Promise(() => {}))`, `log: Promise {fulfilled, 5} Promise {pending}`},
	{`log('%s is %d years, %i, %f%% and %o', 'Ann', '42.9x', 7.9, '1.5e1 m', {a: 1}, 'rest', 2)`, `log: Ann is 42 years, 7, 15% and {a: 1} rest 2`},
	{`log('%cred%c plain', 'color: red', '')`, `log: red plain`},
	{`log('%s %s %x 100%', 1)`, `log: 1 %s %x 100%`},
	{`log('100%', 1)`, `log: 100% 1`},
	{`log(5, '%s', 'x')`, `log: 5 %s x`},
	{`log('%s')`, `log: %s`},
	{`log('%d %d %O', Symbol('s'), {}, 'x')`, `log: NaN NaN 'x'`},
	{`error(new TypeError('no lamp'))`, `error: TypeError: no lamp at`},
	{`error('%s!', new Error('two\nlines'))`, `error: Error: two lines!`},
	{`log({error: new Error('inner')})`, `log: {error: Error: inner}`},
	{`table([1, 'x'])`, `table: (2) [1, 'x']`},
	{`log({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7})`, `log: {a: 1, b: 2, c: 3, d: 4, e: 5, …}`},
	{`assert(false, 'wrong', {a: 1})`, `assert: wrong {a: 1}`},
	{`dir(document.querySelector('button'))`, `dir: button`},
	{`group('Group %d', 1); console.groupEnd()`, `startGroup: Group 1`},
	{`log(JSON.parse('{"deep":{"deeper":[{"deepest":1}]}}'))`, `log: {deep: {…}}`},
	{`log('x'.repeat(2000))`, `log: xxxxx`},
}

// Messages read as in the developer tools, whether they were logged before
// anybody asked or after.
func TestConsoleText(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	c.run(t, "() => document.body.append(document.createElement('button'))")
	check := func(when string) {
		t.Helper()
		r, err := c.Console(ctx, browser.RecordArgs{Limit: 500})
		if err == nil { // not what the browser says of the icon
			r.List = slices.DeleteFunc(r.List, func(m browser.Message) bool { return strings.Contains(m.Source, "favicon") })
		}
		if err != nil || len(r.List) < len(logged) {
			t.Fatalf("%s: %q, %v", when, lines(r), err)
		}
		for i, m := range r.List[len(r.List)-len(logged):] {
			got := m.Level + ": " + m.Text
			if l := logged[i]; got != l.want && !(strings.HasPrefix(got, l.want) && (strings.HasSuffix(l.want, ",") || strings.Contains(got, "…") || strings.Contains(got, " at ") || strings.Contains(got, "1970"))) || len(got) > 520 {
				t.Errorf("%s: console.%s\n got %s\nwant %s", when, l.call, got, l.want)
			}
		}
	}
	for _, l := range logged {
		c.run(t, "() => { console.%s }", l.call)
	}
	check("before")
	for _, l := range logged {
		c.run(t, "() => { console.%s }", l.call)
	}
	check("after")
}

// What a script throws is told, whatever it is.
func TestConsoleUncaught(t *testing.T) {
	t.Parallel()
	c := startChromium(t)
	ctx := testContext(t)
	c.open(t, "/other.html")
	throw := func() {
		c.run(t, `() => new Promise((done) => {
			setTimeout(() => { throw {code: 5} });
			setTimeout(() => { throw 'words' });
			setTimeout(() => { throw new RangeError('two\nlines') });
			setTimeout(() => Promise.reject(new Error('promised')));
			setTimeout(done, 50);
		})`)
	}
	throw()
	for _, when := range []string{"before", "after"} {
		r, err := c.Console(ctx, browser.RecordArgs{Filter: "uncaught"})
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.List)
		if n < 4 {
			t.Fatalf("%s: %q", when, lines(r))
		}
		for i, want := range []string{"{code: 5}", "words", "RangeError: two lines", "(in promise) Error: promised"} {
			if got := r.List[n-4+i]; got.Level != "uncaught" || got.Text != want {
				t.Errorf("%s: %s, want %s", when, got.Line(), want)
			}
		}
		throw()
	}
}
