package helper

import (
	"fmt"
	"testing"
)

// An agent's colour is made of its id alone, and so stays over restarts of
// everything; several agents do not all have one.
func TestEachAgentHasItsColor(t *testing.T) {
	for id, want := range map[string]string{
		"2657ba17/researcher": "yellow", "2657ba17/writer": "cyan", "2657ba17/researcher 2": "purple",
	} {
		if got := colorOf(id); got != want {
			t.Errorf("the colour of %s is %s, and was %s: users know their agents by it", id, got, want)
		}
	}
	seen := map[string]bool{}
	for i := range 200 {
		seen[colorOf(fmt.Sprintf("2657ba17/agent %d", i))] = true
	}
	if len(seen) != len(colors) {
		t.Errorf("200 agents have %d colours of %d", len(seen), len(colors))
	}
}
