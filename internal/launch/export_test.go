package launch

import "context"

// GoPipeWay makes l load the extension over the debugging pipe whatever the
// browser is.
func GoPipeWay(l *Launcher) { l.isBranded = func(string) bool { return true } }

// WakeOverPipe has the running managed browser open the wake page over its
// debugging pipe alone.
func WakeOverPipe(ctx context.Context, l *Launcher) error {
	l.managed.Lock()
	defer l.managed.Unlock()
	s, err := readState(l.Dirs)
	if err == nil {
		_, err = l.wakeOverPipe(ctx, s)
	}
	return err
}

// DropPipe closes l's end of the debugging pipe.
func DropPipe(l *Launcher) {
	l.managed.Lock()
	defer l.managed.Unlock()
	l.dropPipe()
}
