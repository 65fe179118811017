// Package e2e holds tests of the whole path, from an agent's host over stdio to
// a page in a real Chromium and back. They build the binary, run it as a user's
// machine would, each test in a state folder of its own, and look at the
// browser through a second door (its debugging port), never through Sidekick's
// own eyes. After each test they assert that nothing of it is left.
//
// One test runs at a time: their bounds are those of a machine that does nothing
// else. With go test -race each process of ours is built so, too.
//
// They run on Linux, because they look into /proc. E2E_HEADFUL=1 runs them with
// a window, on a virtual display that they start themselves.
package e2e
