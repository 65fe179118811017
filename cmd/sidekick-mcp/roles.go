package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/frogbotai/sidekick-mcp/browser"
	"github.com/frogbotai/sidekick-mcp/cache"
	"github.com/frogbotai/sidekick-mcp/helper"
	"github.com/frogbotai/sidekick-mcp/internal/cause"
	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/launch"
	"github.com/frogbotai/sidekick-mcp/internal/logs"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/mcpserver"
	"github.com/frogbotai/sidekick-mcp/nativehost"
	"github.com/frogbotai/sidekick-mcp/pairing"
	"github.com/frogbotai/sidekick-mcp/tabgroups"
)

// signals returns a context that ends with the first SIGINT or SIGTERM.
func signals() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// logger returns a log that SIDEKICK_LOG sets the level of; in the roles whose
// stdout belongs to a protocol it goes to stderr.
func logger(w io.Writer, level slog.Level) *slog.Logger {
	if s := os.Getenv("SIDEKICK_LOG"); s != "" {
		if err := level.UnmarshalText([]byte(strings.ToUpper(s))); err != nil {
			level = slog.LevelInfo
		}
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: logs.Attr}))
}

// takeStdout gives stdout to a protocol alone: whatever else in this process
// prints there, prints to stderr from now on.
func takeStdout() *os.File {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out
}

// starter returns what starts the helper on demand.
func starter(dirs paths.Dirs) func(context.Context) error {
	return func(ctx context.Context) error {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		return ipc.StartHelper(ctx, helper.Preferred(dirs, version(), exe), dirs)
	}
}

// runAgent serves one agent over stdio and returns the process's exit code.
// Nothing but a tool call starts the helper or a browser.
func runAgent(dirs paths.Dirs, version string) int {
	ctx, stop := signals()
	defer stop()
	ctx = withLaunchers(ctx)
	// A host that was killed leaves a pipe that nobody reads: writing to it
	// must be an error, not a death without the work under way being ended.
	signal.Ignore(syscall.SIGPIPE)
	stdout := takeStdout()
	store := pairing.Open(dirs.Pairings())
	token := ""
	limits := make(chan struct{}, 1)
	return mcpserver.Run(ctx, mcpserver.Options{
		Stdin: os.Stdin, Stdout: stdout, Stderr: os.Stderr,
		Token:    os.Getenv("SIDEKICK_TOKEN"),
		Terminal: isTerminal(os.Stdin),
		Version:  version,
		Cache:    cache.New(dirs.Cache),
		Log:      logger(os.Stderr, slog.LevelWarn),
		Authenticate: func(ctx context.Context, env string) (mcpserver.Identity, error) {
			var err error
			if token, err = pairing.OpenSecrets(store, dirs.KeyFile()).ResolveToken(ctx, env); err != nil {
				return mcpserver.Identity{}, err
			}
			p, err := store.Authenticate(ctx, token)
			return mcpserver.Identity{ID: p.ID, Name: p.Name}, err
		},
		Limits: func(ctx context.Context, id mcpserver.Identity) (mcpserver.Limits, error) {
			p, err := store.Get(ctx, id.ID)
			return mcpserver.Limits{NoEvaluate: p.NoEvaluate}, err
		},
		LimitsChanged: limits,
		Connect: func(_ context.Context, _ mcpserver.Identity, client string) (browser.API, error) {
			dialer := &helper.Dialer{Dirs: dirs, Token: token, Client: client, Version: version, Start: starter(dirs)}
			return browser.New(func(ctx context.Context) (browser.Transport, error) {
				conn, _, err := dialer.Dial(ctx)
				if err != nil {
					return nil, err
				}
				tr := tabgroups.NewTransport(conn)
				tr.Limits = func() {
					select {
					case limits <- struct{}{}:
					default: // it is known that something has changed
					}
				}
				return tr, nil
			}, browser.Options{
				Log:        logger(os.Stderr, slog.LevelWarn),
				UploadDirs: filepath.SplitList(os.Getenv("SIDEKICK_UPLOAD_DIRS")),
			}), nil
		},
	})
}

// runNativeHost is what Chrome starts for the extension.
func runNativeHost(dirs paths.Dirs, version string, args []string) int {
	ctx, stop := signals()
	defer stop()
	log := logger(os.Stderr, slog.LevelWarn)
	hello := nativehost.Browser(args)
	hello.Version = version
	err := nativehost.Run(ctx, nativehost.Options{
		Stdin: os.Stdin, Stdout: takeStdout(), Hello: hello, Log: log,
		Dial: func(ctx context.Context) (*ipc.Conn, error) { return ipc.DialOrStart(ctx, dirs, starter(dirs)) },
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Error("the native host ended", "error", err)
		return 1
	}
	return 0
}

// runHelper is the per-user hub; it returns when it has nothing to do for idle,
// or was told to stop.
func runHelper(ctx context.Context, dirs paths.Dirs, version string, idle time.Duration) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	file, err := logs.Open(dirs.Log())
	if err != nil {
		return err
	}
	defer file.Close()
	var bound sync.WaitGroup
	bound.Go(func() { logs.Bound(ctx, launch.Output(dirs)) })
	defer func() {
		stop()
		bound.Wait()
	}()
	log := logger(file, slog.LevelInfo)
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	launcher := launch.New(dirs, exe, log)
	store := pairing.Open(dirs.Pairings())
	return helper.Run(ctx, helper.Options{
		Dirs: dirs, Version: version, Idle: idle, Log: log,
		Pairings: store, Launcher: launcher,
		Diagnose:     func(ctx context.Context, t launch.Target) (cause.Cause, bool) { return why(ctx, dirs, version, t) },
		Revoked:      func(ctx context.Context, p pairing.Pairing) error { return forgetRevoked(ctx, dirs, store, p) },
		AgentCommand: func() ([]string, error) { return agentCommand(dirs) },
	})
}
