package mcpserver

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Run serves one agent until stdin ends or ctx is cancelled, and returns the
// process's exit code: 0 after a session, 1 if there was none or it broke. It
// closes Stdin if that is an io.Closer. When either end comes, calls under way
// are cancelled at once; whatever then still runs after Options.ExitAfter is
// ended with the process, by Options.Exit.
func Run(ctx context.Context, o Options) int {
	o.setDefaults()
	identity, err := o.Authenticate(ctx, o.Token)
	if err != nil {
		return refuse(ctx, &o, err)
	}

	base, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newConn(o.Stdout)
	s := newServer(base, &o, identity, c)
	session, err := s.sdk.Connect(base, c, nil)
	if err != nil {
		fmt.Fprintf(o.Stderr, "sidekick-mcp: starting the session: %v\n", err)
		return 1
	}
	var telling sync.WaitGroup
	telling.Go(s.tellLimits)
	defer telling.Wait()
	closed := make(chan error, 1)
	go func() { closed <- session.Wait() }()
	in := readLines(o.Stdin, c.accept)

	over := false
	select {
	case <-ctx.Done():
	case <-in.done:
	case err = <-closed: // stdout cannot be written any more
		over = true
	}
	hard := time.AfterFunc(o.ExitAfter, func() { o.Exit(1) })
	defer hard.Stop()
	cancel()
	c.end()
	in.stop()
	if !over {
		err = <-closed
	}
	s.engines.close()
	if err != nil {
		fmt.Fprintf(o.Stderr, "sidekick-mcp: the session broke: %v\n", err)
		return 1
	}
	return 0
}
