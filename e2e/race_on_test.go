//go:build linux && race

package e2e

// raceEnabled says that the tests run under the race detector: the binary is
// then built with it too.
const raceEnabled = true
