package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// devtools are the two pipes of a browser that was started with
// --remote-debugging-pipe: JSON messages, each ended by a zero byte.
//
// The browser gets our ends of the pipes too. So it holds its command pipe open
// itself and never sees it end: it lives on when the helper, which needs the
// pipes only to load the extension, does not.
type devtools struct {
	r *os.File // what the browser writes
	w *os.File // what the browser reads

	childR, childW *os.File
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

// started closes the ends that are the browser's alone.
func (d *devtools) started() {
	d.childR.Close()
	d.childW.Close()
}

func (d *devtools) close() {
	for _, f := range []*os.File{d.childR, d.childW, d.r, d.w} {
		if f != nil {
			f.Close()
		}
	}
}

// loadUnpacked loads the extension in dir and returns its id. Branded Chrome
// takes no other way since its version 137.
func (d *devtools) loadUnpacked(ctx context.Context, dir string) (string, error) {
	stop := context.AfterFunc(ctx, d.close)
	defer stop()
	const id = 1
	b, err := json.Marshal(map[string]any{
		"id": id, "method": "Extensions.loadUnpacked", "params": map[string]string{"path": dir},
	})
	if err != nil {
		return "", err
	}
	fail := func(err error) (string, error) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if errors.Is(err, io.EOF) {
			err = errors.New("the browser closed its debugging pipe")
		}
		return "", fmt.Errorf("loading the extension over the debugging pipe: %w", err)
	}
	if _, err := d.w.Write(append(b, 0)); err != nil {
		return fail(err)
	}
	br := bufio.NewReader(d.r)
	for {
		text, err := br.ReadBytes(0)
		if err != nil {
			return fail(err)
		}
		var answer struct {
			ID     int
			Result struct{ ID string }
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
		return answer.Result.ID, nil
	}
}
