package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
)

// devtools are the two pipes of a browser that was started with
// --remote-debugging-pipe: JSON messages, each ended by a zero byte.
//
// The browser gets our ends of the pipes too. So it holds its command pipe open
// itself and never sees it end: it lives on when the helper does not.
type devtools struct {
	r *os.File // what the browser writes
	w *os.File // what the browser reads

	childR, childW *os.File // the browser's ends, until it was started

	mu sync.Mutex // held while a command is under way
	br *bufio.Reader
}

// newDevtools makes the pipes and gives them to cmd.
func newDevtools(cmd *exec.Cmd) (*devtools, error) {
	d := new(devtools)
	var err error
	if d.childR, d.w, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("making a pipe for the browser: %w", err)
	}
	if d.r, d.childW, err = os.Pipe(); err != nil {
		d.close()
		return nil, fmt.Errorf("making a pipe for the browser: %w", err)
	}
	d.give(cmd)
	return d, nil
}

// started makes the pipes ready for use, now that the browser has its ends.
func (d *devtools) started() error {
	d.childR.Close()
	d.childW.Close()
	d.childR, d.childW = nil, nil
	return d.unblock()
}

func (d *devtools) close() {
	for _, f := range []*os.File{d.childR, d.childW, d.r, d.w} {
		if f != nil {
			f.Close()
		}
	}
}

// call sends a CDP command to the browser as a whole and decodes its result.
// When ctx is done the pipes are closed: the answer that comes yet would be in
// the next command's way.
func (d *devtools) call(ctx context.Context, method string, params, result any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	done := make(chan error, 1)
	go func() { done <- d.exchange(method, params, result) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		d.close()
		return fmt.Errorf("%s over the browser's debugging pipe: %w", method, context.Cause(ctx))
	}
}

// exchange writes a command and reads its answer.
func (d *devtools) exchange(method string, params, result any) error {
	fail := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = errors.New("the browser closed the pipe")
		}
		return fmt.Errorf("%s over the browser's debugging pipe: %w", method, err)
	}
	// Not counted from 1: a helper before this one may have left an answer
	// unread.
	id := 1 + rand.Int32N(1<<30)
	b, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return fail(err)
	}
	if _, err := d.w.Write(append(b, 0)); err != nil {
		return fail(err)
	}
	if d.br == nil {
		d.br = bufio.NewReader(d.r)
	}
	for {
		text, err := d.br.ReadBytes(0)
		if err != nil {
			return fail(err)
		}
		var answer struct {
			ID     int32
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &answer); err != nil {
			return fail(err)
		}
		if answer.ID != id {
			continue // an event
		}
		if answer.Error != nil {
			return fail(errors.New(answer.Error.Message))
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// loadUnpacked loads the extension in dir and returns its id. Branded Chrome
// takes no other way since its version 137.
func (d *devtools) loadUnpacked(ctx context.Context, dir string) (string, error) {
	var result struct {
		ID string `json:"id"`
	}
	err := d.call(ctx, "Extensions.loadUnpacked", map[string]string{"path": dir}, &result)
	return result.ID, err
}

// open opens a page in a tab that does not come to the front.
func (d *devtools) open(ctx context.Context, url string) error {
	return d.call(ctx, "Target.createTarget", map[string]any{"url": url, "background": true}, new(struct{}))
}
