// Command sidekick-mcp lets AI agents use the browser of the user who runs it.
//
// One binary plays every part. Without arguments it is the MCP server of one
// agent, over stdio. Started by a browser (its first argument is then the
// extension's address) it is the native messaging host. Everything else is a
// command; see "sidekick-mcp help".
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

func main() { os.Exit(run(os.Args[1:])) }

// run plays the part that the arguments ask for and returns the process's exit
// code. The two parts that other programs start, and wait for, build nothing
// of the command line.
func run(args []string) int {
	byBrowser := len(args) > 0 && strings.HasPrefix(args[0], "chrome-extension://")
	if len(args) > 0 && !byBrowser {
		return runCommand(args)
	}
	dirs, err := paths.Default()
	if err != nil {
		return complain(err)
	}
	if byBrowser {
		return runNativeHost(dirs, version(), args)
	}
	return runAgent(dirs, version())
}

// complain tells whoever started this process what is wrong, and returns the
// exit code that says so.
func complain(err error) int {
	fmt.Fprintf(os.Stderr, "sidekick-mcp: %v\n", err)
	return exitFailed
}
