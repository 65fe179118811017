// Command release makes what users install, from this source tree, with go
// build and nothing else that is not written here:
//
//	go run ./scripts/release npm   the npm packages, into dist/npm
//	go run ./scripts/release all   these, and archives, .deb packages, bills of
//	                               materials, checksums, a Homebrew formula and
//	                               a Scoop manifest, into dist/release
//
// The same source gives the same bytes. It is a package of its own since no
// user runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "dist", "the `folder` to make it in")
	only := flags.String("platforms", "", "only for these: a `list` such as linux/amd64,darwin/arm64")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: release [-out folder] [-platforms list] npm|all")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	list, err := parsePlatforms(*only)
	if err != nil {
		return err
	}
	what := flags.Arg(0)
	if flags.NArg() != 1 || what != "npm" && what != "all" {
		return errors.New("say what to make: npm or all")
	}
	r, err := newRelease(*out, list)
	if err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	if err := r.npm(filepath.Join(*out, "npm")); err != nil {
		return err
	}
	if what == "all" {
		return r.all(ctx, filepath.Join(*out, "release"))
	}
	return nil
}

// all makes everything that is downloaded from the release's page.
func (r *release) all(ctx context.Context, dir string) error {
	if err := freshDir(dir); err != nil {
		return err
	}
	for _, p := range r.platforms {
		if err := r.archive(dir, p); err != nil {
			return err
		}
		if err := r.bill(dir, p); err != nil {
			return err
		}
		if p.os == "linux" {
			if err := r.deb(ctx, dir, p); err != nil {
				return err
			}
		}
	}
	sums, err := checksums(dir)
	if err != nil {
		return err
	}
	// The package managers' files name all platforms' archives.
	if len(r.platforms) == len(allPlatforms) {
		if err := r.homebrew(dir, sums); err != nil {
			return err
		}
		if err := r.scoop(dir, sums); err != nil {
			return err
		}
	}
	return nil
}
