package bench

import (
	"context"
	"fmt"
	"time"
)

// job is something to do on a page of jobSite, and what the page says when it is
// done.
type job struct {
	name string
	do   func(context.Context, *worker) error
	want string
}

// worker does jobs with a driver.
type worker struct {
	driver
	reading string
}

// look reads the page.
func (w *worker) look(ctx context.Context) (err error) {
	w.reading, err = w.read(ctx)
	return err
}

// on does something with an element of the last reading.
func (w *worker) on(role, name string, do func(ref string) error) error {
	ref := w.ref(w.reading, role, name)
	if ref == "" {
		return fmt.Errorf("no %s %q in the reading", role, name)
	}
	return do(ref)
}

// steps does one thing after another until one fails.
func steps(list ...func() error) error {
	for _, s := range list {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

var jobs = []job{
	{"form", doForm, "name=Ada Lovelace mail=ada@engine.example story=one two country=Norway size=large agree=true"},
	{"table", doTable, "edited 2000"},
	{"spa", doSPA, "bought Lamp 7"},
	{"checkout", doCheckout, "paid with 4242424242424242 12/30 123"},
	{"feed", doFeed, "liked 65"},
}

func doForm(ctx context.Context, w *worker) error {
	fill := func(name, value string) func() error {
		return func() error {
			return w.on("textbox", name, func(ref string) error { return w.fill(ctx, ref, value) })
		}
	}
	click := func(role, name string) func() error {
		return func() error {
			return w.on(role, name, func(ref string) error { return w.click(ctx, ref) })
		}
	}
	return steps(
		func() error { return w.look(ctx) },
		fill("Name", "Ada Lovelace"), fill("Mail", "ada@engine.example"), fill("Story", "one two"),
		func() error {
			return w.on("combobox", "Country", func(ref string) error { return w.choose(ctx, ref, "Norway") })
		},
		click("radio", "Large"), click("checkbox", "I agree"), click("button", "Send"),
		func() error { return w.wait(ctx, "Thank you") },
	)
}

// doTable reads the page as it is read by default, and finds the last row by the
// server's best means.
func doTable(ctx context.Context, w *worker) error {
	if err := w.look(ctx); err != nil {
		return err
	}
	ref, err := w.find(ctx, w.reading, "button", "Edit 2000")
	if err != nil {
		return err
	}
	return steps(func() error { return w.click(ctx, ref) }, func() error { return w.wait(ctx, "Edited 2000") })
}

func doSPA(ctx context.Context, w *worker) error {
	follow := func(role, name, then string) func() error {
		return func() error {
			return steps(
				func() error { return w.look(ctx) },
				func() error {
					return w.on(role, name, func(ref string) error { return w.click(ctx, ref) })
				},
				func() error { return w.wait(ctx, then) },
			)
		}
	}
	return steps(follow("link", "Products", "All lamps"), follow("link", "Lamp 7", "A fine lamp"), follow("button", "Buy", "You bought Lamp 7"))
}

func doCheckout(ctx context.Context, w *worker) error {
	fill := func(name, value string) func() error {
		return func() error {
			return w.on("textbox", name, func(ref string) error { return w.fill(ctx, ref, value) })
		}
	}
	return steps(
		func() error { return w.wait(ctx, "Your order") },
		func() error { return w.look(ctx) },
		fill("Card number", "4242424242424242"), fill("Expiry", "12/30"), fill("Code", "123"),
		func() error {
			return w.on("button", "Pay", func(ref string) error { return w.click(ctx, ref) })
		},
		func() error { return w.wait(ctx, "Paid") },
	)
}

// doFeed goes down a feed that grows as its end comes into view.
func doFeed(ctx context.Context, w *worker) error {
	for range 8 {
		if err := w.look(ctx); err != nil {
			return err
		}
		if ref := w.ref(w.reading, "button", "Like post 65"); ref != "" {
			return w.click(ctx, ref)
		}
		if ref, err := w.find(ctx, w.reading, "button", "Like post 65"); err == nil {
			return w.click(ctx, ref)
		}
		if err := w.down(ctx); err != nil {
			return err
		}
		select { // the feed answers after 60 ms
		case <-time.After(150 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("the post did not come")
}
