//go:build linux

package e2e

import (
	"bytes"
	"image"
	_ "image/png" // the screenshot
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README's first command.
func TestDemo(t *testing.T) {
	e := newEnv(t)
	picture := filepath.Join(e.base, "demo.png")
	c := exec.Command(binary, "demo", "--out", picture)
	c.Env = e.environ()
	if display != "" {
		c.Args = append(c.Args, "--headful")
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("demo: %v\n%s%s", err, out.String(), errs.String())
	}
	t.Log("\n" + out.String())
	contains(t, out.String(), researcherTitle, "t1", "t2", " ms ", "LP-1042", "nothing is left running")
	b, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := image.Decode(bytes.NewReader(b)); err != nil {
		t.Errorf("the screenshot: %v", err)
	}
	// All of it ran under this test's folder of temporary files.
	for _, p := range processes(e.tmp) {
		t.Errorf("the demo has left %v", p)
	}
	if strings.TrimSpace(errs.String()) != "" {
		t.Errorf("the demo complains: %s", errs.String())
	}
}
