package launch

import (
	"context"
	"os"
	"slices"
	"time"
)

// process names one process for as long as the machine runs: a process id alone
// is given to another one some day.
type process struct {
	PID int `json:"pid"`
	// Start is when it started, in whatever form the system tells it.
	Start string `json:"start"`
}

// processOf names the running process with an id.
func processOf(pid int) (process, error) {
	start, err := startOf(pid)
	return process{pid, start}, err
}

// alive reports whether p still runs.
func (p process) alive() bool {
	if p.PID <= 0 || p.Start == "" {
		return false
	}
	start, err := startOf(p.PID)
	return err == nil && start == p.Start
}

// family is who started whom.
type family struct {
	children map[int][]int
	groups   map[int][]int
}

// add notes a process, its parent and the group that it is in (named after the
// process that began it, 0 for none).
func (f *family) add(pid, parent, group int) {
	if f.children == nil {
		f.children, f.groups = make(map[int][]int), make(map[int][]int)
	}
	f.children[parent] = append(f.children[parent], pid)
	f.groups[group] = append(f.groups[group], pid)
}

// of are the processes below pid and in its group, without pid itself.
func (f *family) of(pid int) []process {
	var tree []process
	// Parents' ids are given anew on Windows, so that circles are possible.
	seen := map[int]bool{pid: true, 0: true}
	for queue := slices.Concat(f.children[pid], f.groups[pid]); len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		if p, err := processOf(id); err == nil {
			tree = append(tree, p)
		}
		queue = append(queue, f.children[id]...)
	}
	return tree
}

// look is how often a process is looked at whose end gives no notice to others
// than its parent.
const look = 10 * time.Millisecond

// waitGone waits for the end of a process.
func (p process) waitGone(ctx context.Context) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for p.alive() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// WaitGone waits for the end of the process with an id. This process is not
// waited for.
func WaitGone(ctx context.Context, pid int) error {
	if pid == os.Getpid() {
		return nil
	}
	p, err := processOf(pid)
	if err != nil {
		return nil // no such process any more
	}
	return p.waitGone(ctx)
}

// stopBounds are how long a browser may take to end by itself, and then to die.
const (
	gracefulBound = 5 * time.Second
	killBound     = 2 * time.Second
)

// stop ends a browser: it is asked to, and if it does not, it is killed with
// all processes that it started. others are processes of its that are not to be
// found by their parents; they are to end too.
func (p process) stop(ctx context.Context, others []process) error {
	tree := others
	if p.alive() {
		tree = append(tree, descendants(p.PID)...)
		if !p.closeOverPipe(ctx) {
			terminate(p)
		}
		graceful, cancel := context.WithTimeout(ctx, gracefulBound)
		defer cancel()
		if p.waitGone(graceful) != nil {
			tree = append(tree, descendants(p.PID)...)
			for _, each := range append(tree, p) {
				kill(each)
			}
		}
	}
	// What is left ends by itself as it loses the browser, most of the time.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), killBound)
	defer cancel()
	for _, each := range append(tree, p) {
		if each.waitGone(last) != nil {
			kill(each)
		}
	}
	dead, cancel := context.WithTimeout(context.WithoutCancel(ctx), killBound)
	defer cancel()
	return p.waitGone(dead)
}
