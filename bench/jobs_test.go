package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// BenchmarkJobs has our server and two peers do the same jobs, turn and turn
// about, and prints a table. A job counts as done when its page has told the
// web server so; no tool is its own witness. The peers come from npm:
//
//	PEERS=1 go test ./bench -run '^$' -bench Jobs -benchtime 5x -timeout 20m
func BenchmarkJobs(b *testing.B) {
	if os.Getenv("PEERS") == "" {
		b.Skip("PEERS is not set")
	}
	site := newJobSite(b)
	drivers := []driver{newOurs(b), newPlaywright(b), newDevTools(b)}
	tallies := make([]*tally, len(drivers))
	for i, d := range drivers {
		tallies[i] = newTally(d.name())
		// The browser starts with the first call, which is not measured here.
		if err := d.open(b.Context(), site.page("form", "warm")); err != nil {
			b.Fatalf("%s: %v", d.name(), err)
		}
		d.calls().tally = tallies[i]
	}
	round := 0
	for b.Loop() {
		for _, j := range jobs {
			for k := range drivers {
				i := (round + k) % len(drivers) // each begins as often as the others
				tallies[i].run(b, drivers[i], site, j, fmt.Sprintf("%s%d", j.name, round))
			}
		}
		round++
	}
	printTable(os.Stdout, tallies)
}

// jobBound is when a job counts as failed.
const jobBound = 60 * time.Second

// run does a job once and counts it.
func (t *tally) run(b *testing.B, d driver, site *jobSite, j job, id string) {
	ctx, cancel := context.WithTimeout(b.Context(), jobBound)
	defer cancel()
	id = strings.ReplaceAll(t.name, " ", "-") + "-" + id
	t.job = j.name
	t.tries[j.name]++
	calls, spent, read := t.count, t.spent, t.read
	err := d.open(ctx, site.page(j.name, id))
	if err == nil {
		err = j.do(ctx, &worker{driver: d})
	}
	t.needed[j.name] = append(t.needed[j.name], t.count-calls)
	t.whole[j.name] = append(t.whole[j.name], t.spent-spent)
	t.input[j.name] = append(t.input[j.name], t.read-read)
	got := site.wait(id, 3*time.Second)
	if err != nil || got != j.want {
		b.Logf("%s, %s: %v; the page said %q, not %q", t.name, j.name, err, got, j.want)
		return
	}
	t.done[j.name]++
}

// tally is what one server needed.
type tally struct {
	name  string
	job   string // under way
	count int    // calls
	read  int    // bytes
	spent time.Duration
	times map[string]times // by the kind of call
	tries map[string]int   // by job, as all that follow
	done  map[string]int
	reads map[string]times // of the readings as they are by default
	bytes map[string][]int
	// Of whole jobs: calls, bytes of all answers, time of all calls but waits.
	needed map[string][]int
	input  map[string][]int
	whole  map[string]times
}

func newTally(name string) *tally {
	return &tally{name: name, times: map[string]times{}, tries: map[string]int{}, done: map[string]int{}, reads: map[string]times{},
		bytes: map[string][]int{}, needed: map[string][]int{}, input: map[string][]int{}, whole: map[string]times{}}
}

// add counts a call of a kind; of the waits no time, for it is the page's.
func (t *tally) add(kind string, took time.Duration, size int) {
	t.count++
	t.read += size
	if kind == "wait" {
		return
	}
	t.spent += took
	t.times[kind] = append(t.times[kind], took)
	if kind == "read" {
		t.reads[t.job] = append(t.reads[t.job], took)
		t.bytes[t.job] = append(t.bytes[t.job], size)
	}
}

func (t times) median() string {
	if len(t) == 0 {
		return "-"
	}
	s := slices.Sorted(slices.Values(t))
	return fmt.Sprintf("%.0f", float64(s[len(s)/2].Microseconds())/1000)
}

func medianInt(list []int) string {
	if len(list) == 0 {
		return "-"
	}
	s := slices.Sorted(slices.Values(list))
	return fmt.Sprint(s[len(s)/2])
}

// printTable prints a line for each figure and a column for each server.
func printTable(out io.Writer, tallies []*tally) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(what string, of func(*tally) string) {
		fmt.Fprintf(w, "%s\t", what)
		for _, t := range tallies {
			fmt.Fprintf(w, "%s\t", of(t))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	line("", func(t *tally) string { return t.name })
	for _, j := range jobs {
		line(j.name+": done of tries", func(t *tally) string { return fmt.Sprintf("%d/%d", t.done[j.name], t.tries[j.name]) })
		line(j.name+": calls", func(t *tally) string { return medianInt(t.needed[j.name]) })
		line(j.name+": ms of all calls but waits", func(t *tally) string { return t.whole[j.name].median() })
		line(j.name+": bytes of all answers", func(t *tally) string { return medianInt(t.input[j.name]) })
		line(j.name+": bytes per reading", func(t *tally) string { return medianInt(t.bytes[j.name]) })
		line(j.name+": ms per reading", func(t *tally) string { return t.reads[j.name].median() })
	}
	for _, kind := range []string{"open", "read", "click", "fill", "select", "scroll"} {
		line("ms per "+kind, func(t *tally) string { return t.times[kind].median() })
	}
	_ = w.Flush()
}
