//go:build !linux

package launch

import "errors"

// reopenDevtools has no way to another process's pipes here.
func reopenDevtools(process) (*devtools, error) {
	return nil, errors.New("the browser's debugging pipe belonged to an earlier helper")
}
